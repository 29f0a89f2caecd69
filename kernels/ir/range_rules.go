package ir

import "math"

// unarySpans are the rules of one operand: monotone functions map ends to ends.
var unarySpans = map[Op]func(span) span{
	Neg:   func(a span) span { return span{-a.hi, -a.lo, a.nan} },
	Abs:   absSpan,
	Not:   func(a span) span { return span{1 - a.hi, 1 - a.lo, false} },
	Rint:  monotone(math.RoundToEven),
	Floor: monotone(math.Floor),
	Ceil:  monotone(math.Ceil),
	Trunc: monotone(math.Trunc),
	Sqrt:  nonNegative(math.Sqrt),
	Exp:   func(a span) span { return widen(monotone(math.Exp)(a), 0, inf) },
	Log:   func(a span) span { return widen(nonNegative(math.Log)(a), -inf, inf) },
	Log10: func(a span) span { return widen(nonNegative(math.Log10)(a), -inf, inf) },
	Sin:   func(a span) span { return span{-1, 1, a.nan || !a.finite()} },
	Cos:   func(a span) span { return span{-1, 1, a.nan || !a.finite()} },

	LaneMin: anyLane,
	LaneMax: anyLane,
}

// anyLane: some lane's value lies where each of them does.
func anyLane(a span) span { return a }

func monotone(f func(float64) float64) func(span) span {
	return func(a span) span { return span{f(a.lo), f(a.hi), a.nan} }
}

// nonNegative is monotone for a function that is NaN below zero.
func nonNegative(f func(float64) float64) func(span) span {
	return func(a span) span { return span{f(max(a.lo, 0)), f(max(a.hi, 0)), a.nan || a.lo < 0} }
}

// widen allows for the error of a device's transcendental functions, within the function's own bounds.
func widen(s span, lo, hi float64) span {
	const slack = 1e-6
	return span{max(lo, s.lo-slack*math.Abs(s.lo)-slack), min(hi, s.hi+slack*math.Abs(s.hi)+slack), s.nan}
}

func absSpan(a span) span {
	hi := max(a.hi, -a.lo)
	return span{max(a.lo, -a.hi, 0), hi, a.nan}
}

func squareSpan(a span) span {
	m := absSpan(a)
	return span{m.lo * m.lo, m.hi * m.hi, m.nan}
}

// binarySpans are the rules of two operands of type t.
var binarySpans = map[Op]func(a, b span, t DType) span{
	Add: func(a, b span, _ DType) span {
		return span{a.lo + b.lo, a.hi + b.hi, a.nan || b.nan || !a.finite() && !b.finite()}
	},
	Sub: func(a, b span, _ DType) span {
		return span{a.lo - b.hi, a.hi - b.lo, a.nan || b.nan || !a.finite() && !b.finite()}
	},
	Mul:   mulSpan,
	Div:   divSpan,
	Mod:   func(a, b span, _ DType) span { return modSpan(a, b) },
	Min:   minSpan,
	Max:   maxSpan,
	Lt:    func(a, b span, _ DType) span { return ordered(a, b, a.hi < b.lo, a.lo >= b.hi) },
	Le:    func(a, b span, _ DType) span { return ordered(a, b, a.hi <= b.lo, a.lo > b.hi) },
	Eq:    func(a, b span, _ DType) span { return equality(a, b) },
	Ne:    func(a, b span, _ DType) span { e := equality(a, b); return span{1 - e.hi, 1 - e.lo, false} },
	And:   func(a, b span, _ DType) span { return span{min(a.lo, b.lo), min(a.hi, b.hi), false} },
	Or:    func(a, b span, _ DType) span { return span{max(a.lo, b.lo), max(a.hi, b.hi), false} },
	Shl:   shiftLeft,
	Shr:   shiftRight,
	Ushr:  func(a, b span, t DType) span { return whenSigned(a, t, shiftRight(a, b, t)) },
	BitOr: bitHull, BitXor: bitHull, BitAnd: bitAnd,
	Atan2: func(a, b span, _ DType) span { return span{-3.1415930, 3.1415930, a.nan || b.nan} },
}

// product treats 0 * infinity as 0: the infinity is a bound that no value reaches.
func product(x, y float64) float64 {
	if x == 0 || y == 0 {
		return 0
	}
	return x * y
}

func corners(a, b span, f func(x, y float64) float64) (lo, hi float64) {
	p, q, r, s := f(a.lo, b.lo), f(a.lo, b.hi), f(a.hi, b.lo), f(a.hi, b.hi)
	return min(p, q, r, s), max(p, q, r, s)
}

func mulSpan(a, b span, _ DType) span {
	lo, hi := corners(a, b, product)
	return span{lo, hi, a.nan || b.nan || !a.finite() || !b.finite()}
}

func divSpan(a, b span, t DType) span {
	if b.has(0) || !a.finite() || !b.finite() {
		return limits(t)
	}
	lo, hi := corners(a, b, func(x, y float64) float64 { return x / y })
	if t.Int() {
		lo, hi = math.Floor(lo), math.Floor(hi)
	}
	return span{lo, hi, a.nan || b.nan}
}

// modSpan has the sign of the divisor, or passes a dividend that stays within one period of a constant.
func modSpan(a, b span) span {
	if b.lo == b.hi && b.lo != 0 && a.finite() && math.Floor(a.lo/b.lo) == math.Floor(a.hi/b.lo) {
		period := math.Floor(a.lo/b.lo) * b.lo
		return span{a.lo - period, a.hi - period, false}
	}
	return span{min(b.lo+1, 0), max(b.hi-1, 0), false}
}

// minSpan and maxSpan yield the second operand where the first is NaN.
func minSpan(a, b span, _ DType) span {
	s := span{min(a.lo, b.lo), min(a.hi, b.hi), b.nan}
	if a.nan {
		s.hi = b.hi
	}
	return s
}

func maxSpan(a, b span, _ DType) span {
	s := span{max(a.lo, b.lo), max(a.hi, b.hi), b.nan}
	if a.nan {
		s.lo = b.lo
	}
	return s
}

func ordered(a, b span, always, never bool) span {
	switch {
	case never:
		return falsehood
	case always && !a.nan && !b.nan:
		return truth
	}
	return anyBool
}

func equality(a, b span) span {
	switch {
	case a.hi < b.lo || b.hi < a.lo:
		return falsehood
	case a.lo == a.hi && a.lo == b.lo && b.lo == b.hi && !a.nan && !b.nan:
		return truth
	}
	return anyBool
}

// shiftCount is the span of 2^b, for counts that stay within the width.
func shiftCount(b span, t DType) (span, bool) {
	if b.lo < 0 || b.hi >= float64(8*t.Size()) {
		return span{}, false
	}
	return span{math.Ldexp(1, int(b.lo)), math.Ldexp(1, int(b.hi)), false}, true
}

func shiftLeft(a, b span, t DType) span {
	if p, ok := shiftCount(b, t); ok {
		return mulSpan(a, p, t)
	}
	return limits(t)
}

func shiftRight(a, b span, t DType) span {
	if p, ok := shiftCount(b, t); ok {
		return divSpan(a, p, t)
	}
	return limits(t)
}

// whenSigned keeps s if a is never negative.
func whenSigned(a span, t DType, s span) span {
	if a.lo >= 0 {
		return s
	}
	return limits(t)
}

func bitAnd(a, b span, t DType) span {
	s := limits(t)
	if a.lo >= 0 {
		s = span{0, a.hi, false}
	}
	if b.lo >= 0 {
		s = span{0, min(s.hi, b.hi), false}
	}
	return s
}

func bitHull(a, b span, t DType) span {
	if a.lo < 0 || b.lo < 0 {
		return limits(t)
	}
	top := 0.0
	for m := max(a.hi, b.hi); top < m; {
		top = 2*top + 1
	}
	return span{0, top, false}
}
