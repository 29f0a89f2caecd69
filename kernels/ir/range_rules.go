package ir

import "math"

// rangeOf1 is the rule of an operation of one operand.
func rangeOf1(f func(span) span) func(*Node, [3]span) span {
	return func(_ *Node, a [3]span) span { return f(a[0]) }
}

// anyRange is the rule of operations of which nothing is known but their type.
func anyRange(n *Node, _ [3]span) span { return limits(n.Type) }

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

func addRange(_ *Node, a [3]span) span {
	return span{a[0].lo + a[1].lo, a[0].hi + a[1].hi, a[0].nan || a[1].nan || !a[0].finite() && !a[1].finite()}
}

// subRange knows what is left of a value when it is rounded.
func subRange(n *Node, a [3]span) span {
	if whole := n.Args[1]; whole.Kind == KAlu && whole.Args[0] == n.Args[0] {
		if rest, ok := rests[whole.Op]; ok {
			return span{max(rest.lo, a[0].lo-a[1].hi), min(rest.hi, a[0].hi-a[1].lo), a[0].nan || !a[0].finite()}
		}
	}
	return span{a[0].lo - a[1].hi, a[0].hi - a[1].lo, a[0].nan || a[1].nan || !a[0].finite() && !a[1].finite()}
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

var rests = map[Op]span{Rint: {-0.5, 0.5, false}, Floor: {0, 1, false}, Ceil: {-1, 0, false}, Trunc: {-1, 1, false}}

func mulRange(n *Node, a [3]span) span {
	if n.Args[0] == n.Args[1] {
		return squareSpan(a[0])
	}
	return mulSpan(a[0], a[1])
}

func mulSpan(a, b span) span {
	lo, hi := corners(a, b, product)
	return span{lo, hi, a.nan || b.nan || !a.finite() || !b.finite()}
}

func divRange(n *Node, a [3]span) span { return divSpan(a[0], a[1], n.Type) }

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

// modRange has the sign of the divisor, or passes a dividend that stays within one period of a constant.
func modRange(_ *Node, s [3]span) span {
	a, b := s[0], s[1]
	if b.lo == b.hi && b.lo != 0 && a.finite() && math.Floor(a.lo/b.lo) == math.Floor(a.hi/b.lo) {
		period := math.Floor(a.lo/b.lo) * b.lo
		return span{a.lo - period, a.hi - period, false}
	}
	return span{min(b.lo+1, 0), max(b.hi-1, 0), false}
}

// minRange and maxRange yield the second operand where the first is NaN.
func minRange(_ *Node, o [3]span) span {
	a, b := o[0], o[1]
	s := span{min(a.lo, b.lo), min(a.hi, b.hi), b.nan}
	if a.nan {
		s.hi = b.hi
	}
	return s
}

func maxRange(_ *Node, o [3]span) span {
	a, b := o[0], o[1]
	s := span{max(a.lo, b.lo), max(a.hi, b.hi), b.nan}
	if a.nan {
		s.lo = b.lo
	}
	return s
}

func ltRange(_ *Node, a [3]span) span {
	return ordered(a[0], a[1], a[0].hi < a[1].lo, a[0].lo >= a[1].hi)
}

func leRange(_ *Node, a [3]span) span {
	return ordered(a[0], a[1], a[0].hi <= a[1].lo, a[0].lo > a[1].hi)
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

func eqRange(_ *Node, s [3]span) span {
	a, b := s[0], s[1]
	switch {
	case a.hi < b.lo || b.hi < a.lo:
		return falsehood
	case a.lo == a.hi && a.lo == b.lo && b.lo == b.hi && !a.nan && !b.nan:
		return truth
	}
	return anyBool
}

func neRange(n *Node, a [3]span) span {
	e := eqRange(n, a)
	return span{1 - e.hi, 1 - e.lo, false}
}

// shiftCount is the span of 2^b, for counts that stay within the width.
func shiftCount(b span, t DType) (span, bool) {
	if b.lo < 0 || b.hi >= float64(8*t.Size()) {
		return span{}, false
	}
	return span{math.Ldexp(1, int(b.lo)), math.Ldexp(1, int(b.hi)), false}, true
}

func shlRange(n *Node, a [3]span) span {
	if p, ok := shiftCount(a[1], n.Type); ok {
		return mulSpan(a[0], p)
	}
	return limits(n.Type)
}

func shrRange(n *Node, a [3]span) span {
	if p, ok := shiftCount(a[1], n.Type); ok {
		return divSpan(a[0], p, n.Type)
	}
	return limits(n.Type)
}

// ushrRange is shrRange of what is never negative.
func ushrRange(n *Node, a [3]span) span {
	if a[0].lo >= 0 {
		return shrRange(n, a)
	}
	return limits(n.Type)
}

func bitAndRange(n *Node, o [3]span) span {
	a, b, s := o[0], o[1], limits(n.Type)
	if a.lo >= 0 {
		s = span{0, a.hi, false}
	}
	if b.lo >= 0 {
		s = span{0, min(s.hi, b.hi), false}
	}
	return s
}

func bitHullRange(n *Node, o [3]span) span {
	a, b := o[0], o[1]
	if a.lo < 0 || b.lo < 0 {
		return limits(n.Type)
	}
	top := 0.0
	for m := max(a.hi, b.hi); top < m; {
		top = 2*top + 1
	}
	return span{0, top, false}
}

func selectRange(n *Node, a [3]span) span {
	switch a[0] {
	case truth:
		return a[1]
	case falsehood:
		return a[2]
	}
	return where(n.Args[0], n.Args[1], a[1]).hull(a[2])
}

// where is the span of a value where a condition holds that may compare it with constants: then it is no NaN either.
func where(c, x *Node, s span) span {
	if c.Op == And {
		return where(c.Args[1], x, where(c.Args[0], x, s))
	}
	if c.Op != Lt && c.Op != Le {
		return s
	}
	switch less, more := c.Args[0], c.Args[1]; {
	case less == x && more.Kind == KConst:
		return span{s.lo, min(s.hi, constSpan(more).hi), false}
	case more == x && less.Kind == KConst:
		return span{max(s.lo, constSpan(less).lo), s.hi, false}
	}
	return s
}

// castRange: out-of-range values do not count, so the limits of an integer target apply.
func castRange(n *Node, o [3]span) span {
	a, from, to := o[0], n.Args[0].Type, n.Type
	switch {
	case to == Bool:
		return anyBool
	case from.Float() && to.Int():
		all := limits(to)
		if s := (span{max(all.lo, math.Trunc(a.lo)), min(all.hi, math.Trunc(a.hi)), false}); s.lo <= s.hi {
			return s
		}
		return all
	}
	return a
}
