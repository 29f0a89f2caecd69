package ir

import "math"

var (
	opTable [numOps]OpInfo
	ownOp   = OpInfo{Name: "own", Arity: 1, Takes: Floats | Ints | Bools, Gives: Number, Flops: 4, Range: rangeOf1(func(a span) span { return a }), Bound: unbounded}
)

const (
	numbers = Floats | Ints
	all     = Floats | Ints | Bools
)

// The table is filled in here because its rules use what uses the table.
func init() {
	opTable = [numOps]OpInfo{
		Add: {Name: "add", Arity: 2, Takes: numbers, Gives: Number, Symbol: "+", Written: numbers, Cost: CostFused, Times: 1, Flops: 1, Exact: Rounds,
			Float: func(a [3]float64) float64 { return a[0] + a[1] }, Int: func(a [3]int64) int64 { return a[0] + a[1] },
			Range: addRange, Bound: boundPair(Lo, Lo), Width: sumWidth, Affine: affine(1, 1)},
		Sub: {Name: "sub", Arity: 2, Takes: numbers, Gives: Number, Symbol: "-", Written: numbers, Cost: CostFused, Times: 1, Flops: 1, Exact: Rounds,
			Float: func(a [3]float64) float64 { return a[0] - a[1] }, Int: func(a [3]int64) int64 { return a[0] - a[1] },
			Range: subRange, Bound: boundPair(Lo, Hi), Width: sumWidth, Affine: affine(1, -1)},
		Mul: {Name: "mul", Arity: 2, Takes: numbers, Gives: Number, Symbol: "*", Written: numbers, Cost: CostFused, Times: 1, Flops: 1, Exact: Rounds,
			Float: func(a [3]float64) float64 { return a[0] * a[1] }, Int: func(a [3]int64) int64 { return a[0] * a[1] },
			Range: mulRange, Bound: (*Bounder).mul, Width: mulWidth, Affine: mulAffine},
		Div: {Name: "div", Arity: 2, Takes: numbers, Gives: Number, Symbol: "/", Written: Floats, Cost: CostDivide, Times: 1, Flops: 8, Exact: Rounds,
			Float: func(a [3]float64) float64 { return a[0] / a[1] }, Int: func(a [3]int64) int64 { return FloorDiv(a[0], a[1]) },
			Range: divRange, Bound: (*Bounder).div, Width: divWidth, Affine: notAffine},
		Mod: {Name: "mod", Arity: 2, Takes: Ints, Gives: Number, Cost: CostDivide, Times: 1, Flops: 8, Exact: Rounds,
			Int: func(a [3]int64) int64 { return FloorMod(a[0], a[1]) }, Range: modRange, Bound: (*Bounder).mod, Width: anyWidth, Affine: notAffine},
		Neg: {Name: "neg", Arity: 1, Takes: numbers, Gives: Number, Symbol: "-", Written: numbers, Cost: CostSimple, Times: 1, Flops: 1, Exact: Exact,
			Float: func(a [3]float64) float64 { return -a[0] }, Int: func(a [3]int64) int64 { return -a[0] },
			Range: rangeOf1(func(a span) span { return span{-a.hi, -a.lo, a.nan} }), Bound: boundOf(Side.Other), Width: firstWidth, Affine: affine(-1)},
		Abs: {Name: "abs", Arity: 1, Takes: numbers, Gives: Number, Cost: CostSimple, Times: 1, Flops: 1, Exact: Exact,
			Float: func(a [3]float64) float64 { return math.Abs(a[0]) }, Int: func(a [3]int64) int64 { return max(a[0], -a[0]) },
			Range: rangeOf1(absSpan), Bound: (*Bounder).abs, Width: firstWidth, Affine: notAffine},
		Min: {Name: "min", Arity: 2, Takes: numbers, Gives: Number, Cost: CostSimple, Times: 1, Flops: 1, Exact: Exact,
			Float: func(a [3]float64) float64 { return chosen(a[0] < a[1], a[0], a[1]) }, Int: func(a [3]int64) int64 { return min(a[0], a[1]) },
			Range: minRange, Bound: (*Bounder).extremum, Width: eitherWidth, Affine: notAffine},
		Max: {Name: "max", Arity: 2, Takes: numbers, Gives: Number, Cost: CostSimple, Times: 1, Flops: 1, Exact: Exact,
			Float: func(a [3]float64) float64 { return chosen(a[0] > a[1], a[0], a[1]) }, Int: func(a [3]int64) int64 { return max(a[0], a[1]) },
			Range: maxRange, Bound: (*Bounder).extremum, Width: eitherWidth, Affine: notAffine},

		Lt: comparison("lt", "<", numbers, func(a [3]float64) bool { return a[0] < a[1] }, func(a [3]int64) bool { return a[0] < a[1] }, ltRange),
		Le: comparison("le", "<=", numbers, func(a [3]float64) bool { return a[0] <= a[1] }, func(a [3]int64) bool { return a[0] <= a[1] }, leRange),
		Eq: comparison("eq", "==", all, func(a [3]float64) bool { return a[0] == a[1] }, func(a [3]int64) bool { return a[0] == a[1] }, eqRange),
		Ne: comparison("ne", "!=", all, func(a [3]float64) bool { return a[0] != a[1] }, func(a [3]int64) bool { return a[0] != a[1] }, neRange),
		And: logic("and", "&", 2, func(a [3]int64) int64 { return a[0] & a[1] },
			func(_ *Node, a [3]span) span { return span{min(a[0].lo, a[1].lo), min(a[0].hi, a[1].hi), false} }),
		Or: logic("or", "|", 2, func(a [3]int64) int64 { return a[0] | a[1] },
			func(_ *Node, a [3]span) span { return span{max(a[0].lo, a[1].lo), max(a[0].hi, a[1].hi), false} }),
		Not: logic("not", "!", 1, func(a [3]int64) int64 { return 1 - a[0] }, rangeOf1(func(a span) span { return span{1 - a.hi, 1 - a.lo, false} })),

		BitAnd: integer("bitand", "&", func(a [3]int64) int64 { return a[0] & a[1] }, bitAndRange),
		BitOr:  integer("bitor", "|", func(a [3]int64) int64 { return a[0] | a[1] }, bitHullRange),
		BitXor: integer("bitxor", "^", func(a [3]int64) int64 { return a[0] ^ a[1] }, bitHullRange),
		Shl:    shift("shl", func(a [3]int64) int64 { return a[0] << (a[1] & 63) }, shlRange, (*Bounder).shift, shlAffine),
		Shr:    shift("shr", func(a [3]int64) int64 { return a[0] >> (a[1] & 63) }, shrRange, (*Bounder).shift, notAffine),
		Ushr:   shift("ushr", func(a [3]int64) int64 { return int64(uint64(a[0]) >> (a[1] & 63)) }, ushrRange, unbounded, notAffine),

		Select: {Name: "select", Arity: 3, Takes: all, Gives: Number, Cost: CostSimple, Times: 1, Flops: 1, Exact: Exact,
			Float: func(a [3]float64) float64 { return chosen(a[0] != 0, a[1], a[2]) }, Int: func(a [3]int64) int64 { return chosen(a[0] != 0, a[1], a[2]) },
			Range: selectRange, Bound: (*Bounder).choice, Width: anyWidth, Affine: notAffine},
		Cast: {Name: "cast", Arity: 1, Takes: all, Gives: Other, Cost: CostConvert, Times: 1, Flops: 1, Exact: Rounds,
			Float: func(a [3]float64) float64 { return a[0] }, Int: func(a [3]int64) int64 { return a[0] },
			Range: castRange, Bound: (*Bounder).cast, Width: firstWidth, Affine: affine(1)},
		Apart: {Name: "apart", Arity: 1, Takes: Floats, Gives: Number, Symbol: "+", Written: Floats, Cost: CostNothing, Exact: Exact,
			Float: func(a [3]float64) float64 { return a[0] }, Range: rangeOf1(func(a span) span { return a }), Bound: boundOf(same), Width: firstWidth, Affine: notAffine},
		Bits: {Name: "bits", Arity: 1, Takes: numbers, Gives: Other, Cost: CostNothing, Exact: Rounds,
			Float: func([3]float64) float64 { return math.NaN() }, Int: func(a [3]int64) int64 { return a[0] },
			Range: anyRange, Bound: unbounded, Width: anyWidth, Affine: notAffine},

		Sqrt: {Name: "sqrt", Arity: 1, Takes: Floats, Gives: Number, Library: "sqrt", Cost: CostRoot, Times: 1, Flops: 8, Exact: Rounds,
			Float: func(a [3]float64) float64 { return math.Sqrt(a[0]) }, Range: rangeOf1(nonNegative(math.Sqrt)), Bound: (*Bounder).sqrt,
			Width: anyWidth, Affine: notAffine},
		Rint:  whole("rint", math.RoundToEven),
		Floor: whole("floor", math.Floor),
		Ceil:  whole("ceil", math.Ceil),
		Trunc: whole("trunc", math.Trunc),

		Exp: inForms(function("exp", math.Exp, CostExp, 1, 16, func(a span) span { return widen(monotone(math.Exp)(a), 0, inf) }),
			Form{"normal", [2]float64{-87, 88}, [2]float64{-708, 709}, 0.7}),
		Log: inForms(function("log", logarithm(math.Log, math.Ln2), CostLog, 1, 16, func(a span) span { return widen(nonNegative(math.Log)(a), -inf, inf) }),
			normal),
		Log10: inForms(function("log10", logarithm(math.Log10, math.Ln2/math.Ln10), CostLog, 1, 16, func(a span) span { return widen(nonNegative(math.Log10)(a), -inf, inf) }),
			normal),
		Sin:   wave("sin", math.Sin),
		Cos:   wave("cos", math.Cos),
		Tan:   function("tan", math.Tan, CostSine, 1.5, 24, func(span) span { return anything }),
		Tanh:  function("tanh", math.Tanh, CostExp, 2, 32, func(a span) span { return widen(monotone(math.Tanh)(a), -1, 1) }),
		Erf:   function("erf", math.Erf, CostExp, 2, 32, func(a span) span { return widen(monotone(math.Erf)(a), -1, 1) }),
		Atan2: function2("atan2", math.Atan2, CostAtan2, 24, func(_ *Node, a [3]span) span { return span{-3.1415930, 3.1415930, a[0].nan || a[1].nan} }),
		Pow:   function2("pow", power, CostPower, 40, anyRange),
	}
	for o := range Ops {
		if what := opTable[o].incomplete(); what != "" {
			panic("ir: the table lacks the " + what + " of operation " + opTable[o].Name)
		}
	}
}

func chosen[T any](first bool, a, b T) T {
	if first {
		return a
	}
	return b
}

func comparison(name, symbol string, takes Class, float func([3]float64) bool, integer func([3]int64) bool, r func(*Node, [3]span) span) OpInfo {
	return OpInfo{Name: name, Arity: 2, Takes: takes, Gives: Truth, Symbol: symbol, Written: takes, Cost: CostSimple, Times: 1, Flops: 1, Exact: Rounds,
		Float: func(a [3]float64) float64 { return chosen(float(a), 1.0, 0) }, Int: func(a [3]int64) int64 { return chosen[int64](integer(a), 1, 0) },
		Range: r, Bound: unbounded, Width: anyWidth, Affine: notAffine}
}

// logic is an operation on Bools; Not is written otherwise for vectors.
func logic(name, symbol string, arity int, f func([3]int64) int64, r func(*Node, [3]span) span) OpInfo {
	return OpInfo{Name: name, Arity: arity, Takes: Bools, Gives: Truth, Symbol: symbol, Written: Bools, Cost: CostSimple, Times: 1, Flops: 1, Exact: Rounds,
		Int: f, Range: r, Bound: unbounded, Width: anyWidth, Affine: notAffine}
}

func integer(name, symbol string, f func([3]int64) int64, r func(*Node, [3]span) span) OpInfo {
	return OpInfo{Name: name, Arity: 2, Takes: Ints, Gives: Number, Symbol: symbol, Written: Ints, Cost: CostSimple, Times: 1, Flops: 1, Exact: Rounds,
		Int: f, Range: r, Bound: unbounded, Width: anyWidth, Affine: notAffine}
}

// shift counts are taken within 64 bits here: the table is about values, not about widths.
func shift(name string, f func([3]int64) int64, r func(*Node, [3]span) span, b func(*Bounder, *Node, Side) *Node, k func(*Node) ([2]int64, bool)) OpInfo {
	return OpInfo{Name: name, Arity: 2, Takes: Ints, Gives: Number, Cost: CostSimple, Times: 1, Flops: 1, Exact: Rounds,
		Int: f, Range: r, Bound: b, Width: anyWidth, Affine: k}
}

func whole(name string, f func(float64) float64) OpInfo {
	return OpInfo{Name: name, Arity: 1, Takes: Floats, Gives: Whole, Library: name, Cost: CostSimple, Times: 1, Flops: 1, Exact: Exact,
		Float: func(a [3]float64) float64 { return f(a[0]) }, Range: rangeOf1(monotone(f)), Bound: boundOf(same), Width: anyWidth, Affine: notAffine}
}

func function(name string, f func(float64) float64, cost CostClass, times float64, flops int, r func(span) span) OpInfo {
	return OpInfo{Name: name, Arity: 1, Takes: Floats, Gives: Number, Library: name, Cost: cost, Times: times, Flops: flops, Exact: Rounds,
		Float: func(a [3]float64) float64 { return f(a[0]) }, Range: rangeOf1(r), Bound: unbounded, Width: anyWidth, Affine: notAffine}
}

func wave(name string, f func(float64) float64) OpInfo {
	i := function(name, f, CostSine, 1, 16, func(a span) span {
		if a.lo == 0 && a.hi == 0 {
			return span{f(0), f(0), a.nan}
		}
		return span{-1, 1, a.nan || !a.finite()}
	})
	i.Bound = (*Bounder).wave
	return inForms(i, Form{"small", [2]float64{-0.79, 0.79}, [2]float64{-0.79, 0.79}, 0.3}, Form{"near", [2]float64{-6400, 6400}, [2]float64{-1e6, 1e6}, 0.6})
}

// normal is the form of logarithms for what is not too small for a full exponent.
var normal = Form{"normal", [2]float64{0x1p-126, math.MaxFloat32}, [2]float64{0x1p-1022, math.MaxFloat64}, 0.8}

func inForms(i OpInfo, forms ...Form) OpInfo {
	i.Forms = forms
	return i
}

func function2(name string, f func(x, y float64) float64, cost CostClass, flops int, r func(*Node, [3]span) span) OpInfo {
	i := function(name, nil, cost, 1, flops, nil)
	i.Arity, i.Float, i.Range = 2, func(a [3]float64) float64 { return f(a[0], a[1]) }, r
	return i
}

// Go's logarithms and powers are wrong for subnormals on some processors: those are scaled out of their range.
const (
	least  = 0x1p-1022
	raised = 54
)

// logarithm is f, a logarithm to a base, of which two has that logarithm.
func logarithm(f func(float64) float64, two float64) func(float64) float64 {
	return func(x float64) float64 {
		if x > 0 && x < least {
			return f(x*(1<<raised)) - raised*two
		}
		return f(x)
	}
}

func power(x, y float64) float64 {
	if x != 0 && math.Abs(x) < least && !math.IsInf(y, 0) {
		return math.Pow(x*(1<<raised), y) * math.Exp2(-raised*y)
	}
	return math.Pow(x, y)
}

// FloorDiv rounds to minus infinity. Division by zero, which the language leaves open, gives 0.
func FloorDiv(a, b int64) int64 {
	if b == 0 {
		return 0
	}
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// FloorMod has the sign of the divisor; of zero, it is 0.
func FloorMod(a, b int64) int64 {
	if b == 0 {
		return 0
	}
	r := a % b
	if r != 0 && (r < 0) != (b < 0) {
		r += b
	}
	return r
}
