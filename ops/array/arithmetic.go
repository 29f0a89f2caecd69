package array

import (
	"math"
	"weft/ops/operand"

	"weft/kernels/ir"
	"weft/ops"
)

// inexact computes in floats.
func inexact(t ops.ElemType, _ []operand.Operand) ops.ElemType {
	return ops.ElemType{Base: ops.Inexact(t.Base), Complex: t.Complex}
}

// numeric makes booleans count as integers.
func numeric(t ops.ElemType, _ []operand.Operand) ops.ElemType {
	if t.Base == ir.Bool {
		return ops.I32
	}
	return t
}

func realPart(t ops.ElemType) ops.ElemType { return ops.ElemType{Base: t.Base} }
func toBool(ops.ElemType) ops.ElemType     { return ops.Bool }

// two and one adapt functions of elements and values.
func two(f func(b *ops.Body, x, y ops.Elem) ops.Elem) func(*ops.Body, []operand.Operand, []ops.Elem) ops.Elem {
	return func(b *ops.Body, _ []operand.Operand, x []ops.Elem) ops.Elem { return f(b, x[0], x[1]) }
}

func one(f func(b *ops.Body, x ops.Elem) ops.Elem) func(*ops.Body, []operand.Operand, []ops.Elem) ops.Elem {
	return func(b *ops.Body, _ []operand.Operand, x []ops.Elem) ops.Elem { return f(b, x[0]) }
}

func alu(op ir.Op) func(*ops.Body, []operand.Operand, []ops.Elem) ops.Elem {
	return func(b *ops.Body, _ []operand.Operand, x []ops.Elem) ops.Elem {
		args := make([]*ir.Node, len(x))
		for i := range x {
			args[i] = x[i].Re
		}
		return ops.Real(b.Alu(op, args...))
	}
}

func real1(f func(float64) float64) func([]complex128) complex128 {
	return func(x []complex128) complex128 { return complex(f(real(x[0])), 0) }
}

func real2(f func(x, y float64) float64) func([]complex128) complex128 {
	return func(x []complex128) complex128 { return complex(f(real(x[0]), real(x[1])), 0) }
}

func truth(v bool) complex128 {
	if v {
		return 1
	}
	return 0
}

const wrapping = "Whole numbers of 32 bits give i64 where the text and the types of arrays do not show that 32 bits will do; what leaves 64 bits, or a state of 32 that a " +
	"program carries, is an error that the comparison with float64 finds."

var pair = []arg{{"a", "first"}, {"b", "second"}}

var arithmetic = []elementwise{
	{name: "add", doc: "Sum a + b.", group: groupArithmetic, args: pair, keepsWhole: true, takes: complexToo, compute: numeric, unit: operand.SumUnit,
		long:  "Written a + b. Both sides measure the same kind of quantity; dB add only to dB. " + wrapping,
		build: two(ops.CAdd), value: func(x []complex128) complex128 { return x[0] + x[1] }, rule: operand.Rounded,
		examples: []ops.Example{{Title: "Arrays over different dimensions give one over both", Code: "x = axis(x, 0 mm .. 1 mm in 3)\ny = axis(y, 0 mm .. 2 mm in 5)\nshow(x + y)"}}},
	{name: "sub", doc: "Difference a - b.", group: groupArithmetic, args: pair, keepsWhole: true, takes: complexToo, compute: numeric, unit: operand.DifferenceUnit,
		long:  "Written a - b. Both sides measure the same kind of quantity. " + wrapping,
		build: two(ops.CSub), value: func(x []complex128) complex128 { return x[0] - x[1] }, rule: operand.Rounded,
		examples: []ops.Example{{Title: "Distance from a point", Code: "x = axis(x, -1 mm .. 1 mm in 5)\nshow(abs(x - 0.5 mm))"}}},
	{name: "mul", doc: "Product a * b.", group: groupArithmetic, args: pair, keepsWhole: true, takes: complexToo, compute: numeric, unit: operand.ProductUnit,
		long:  "Written a * b. Units multiply. " + wrapping,
		build: two(ops.CMul), value: func(x []complex128) complex128 { return productOf(x[0], x[1]) }, rule: operand.Rounded,
		examples: []ops.Example{{Title: "An area", Code: "x = axis(x, -1 mm .. 1 mm in 5)\ny = axis(y, 0 mm .. 2 mm in 3)\nshow(x * y)"}}},
	{name: "div", doc: "Quotient a / b.", group: groupArithmetic, args: pair, takes: complexToo, compute: inexact, unit: operand.QuotientUnit,
		long: "Written a / b. Units divide. Integers give floats: 1 / 2 is 0.5. Complex quotients are a conj(b) / |b|^2, so |b|^2 " +
			"must be within the range of the element type.",
		build: two(ops.CDiv), divides: true, value: func(x []complex128) complex128 { return quotientOf(x[0], x[1]) }, rule: operand.Rounded,
		examples: []ops.Example{{Title: "A time of flight", Code: "x = axis(x, -1 mm .. 1 mm in 5)\nshow(x / (1540 m/s))"}}},
	{name: "neg", doc: "Negative -a.", group: groupArithmetic, args: pair[:1], keepsWhole: true, takes: complexToo, compute: numeric, unit: operand.OwnUnit,
		long:  wrapping,
		build: one(ops.CNeg), value: func(x []complex128) complex128 { return -x[0] }, rule: operand.Rounded,
		examples: []ops.Example{{Title: "Turned round", Code: "x = axis(x, -1 mm .. 1 mm in 5)\nshow(-x)"}}},
	powerNamed("power"), powerNamed("pow"),
}

func powerNamed(name string) elementwise {
	return elementwise{name: name, doc: "Power a ^ b.", group: groupArithmetic, args: []arg{{"a", "base"}, {"b", "exponent"}},
		takes: realsOnly, compute: powerType, unit: operand.PowerUnit,
		long: "Written a ^ b. A base with a unit takes a whole constant exponent, or 0.5. Whole exponents from -16 to 16 are products; " +
			"others follow pow of C, so a negative base with a fraction gives NaN. Integers stay integers when the exponent is a whole constant " +
			"that is not negative. " + wrapping,
		build: buildPower, value: real2(math.Pow), rule: operand.Rounded,
		examples: []ops.Example{{Title: "Distance from the origin", Code: "x = axis(x, -1 mm .. 1 mm in 5)\ny = axis(y, -1 mm .. 1 mm in 5)\nshow((x ^ 2 + y ^ 2) ^ 0.5)"}},
	}
}

// powerType keeps integers where the exponent is a whole constant that is not negative.
func powerType(t ops.ElemType, xs []operand.Operand) ops.ElemType {
	n, constant := xs[1].Value.(ops.Number)
	if constant && n.Int && n.V >= 0 {
		return numeric(t, xs)
	}
	return inexact(t, xs)
}

// largestProduct is the largest exponent of a float that is written out as products.
const largestProduct = 16

func buildPower(b *ops.Body, xs []operand.Operand, x []ops.Elem) ops.Elem {
	n, constant := xs[1].Value.(ops.Number)
	base := x[0].Re
	switch {
	case constant && n.V == 0.5:
		return ops.Real(b.Sqrt(base))
	case constant && n.V == math.Trunc(n.V) && (math.Abs(n.V) <= largestProduct || base.Type.Int()):
		p := products(b, base, int(math.Abs(n.V)))
		if n.V < 0 {
			p = b.Div(b.Const(base.Type, 1), p)
		}
		return ops.Real(p)
	}
	return ops.Real(b.Alu(ir.Pow, base, x[1].Re))
}

// products is x^n by squaring.
func products(b *ops.Body, x *ir.Node, n int) *ir.Node {
	var out *ir.Node
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			if out == nil {
				out = x
			} else {
				out = b.Mul(out, x)
			}
		}
		if n > 1 {
			x = b.Mul(x, x)
		}
	}
	if out == nil {
		return b.Const(x.Type, 1)
	}
	return out
}

// productOf is x y with real operands kept apart, so that a NaN spreads to the other part only where both are complex.
func productOf(x, y complex128) complex128 {
	switch {
	case imag(y) == 0:
		return complex(real(x)*real(y), imag(x)*real(y))
	case imag(x) == 0:
		return complex(real(x)*real(y), real(x)*imag(y))
	}
	return x * y
}

// quotientOf is x / y with real operands kept apart, so that 1/0 is infinite and not a complex infinity.
func quotientOf(x, y complex128) complex128 {
	switch {
	case imag(y) == 0 && imag(x) == 0:
		return complex(real(x)/real(y), 0)
	case imag(y) == 0:
		return complex(real(x)/real(y), imag(x)/real(y))
	}
	return x / y
}

var comparisons = []elementwise{
	{name: "less", doc: "a < b.", group: groupCompare, args: pair, compute: numeric, result: toBool, unit: operand.NoUnit,
		long:  "Written a < b; b > a is the same. False where either is NaN.",
		build: alu(ir.Lt), value: func(x []complex128) complex128 { return truth(real(x[0]) < real(x[1])) }, rule: operand.Exact,
		examples: []ops.Example{{Title: "Left of the middle", Code: "x = axis(x, -1 mm .. 1 mm in 5)\nshow(x < 0 mm)"}}},
	{name: "less_equal", doc: "a <= b.", group: groupCompare, args: pair, compute: numeric, result: toBool, unit: operand.NoUnit,
		long:  "Written a <= b; b >= a is the same. False where either is NaN.",
		build: alu(ir.Le), value: func(x []complex128) complex128 { return truth(real(x[0]) <= real(x[1])) }, rule: operand.Exact,
		examples: []ops.Example{{Title: "Left half with the middle", Code: "x = axis(x, -1 mm .. 1 mm in 5)\nshow(x <= 0 mm)"}}},
	{name: "equal", doc: "a == b.", group: groupCompare, args: pair, compute: numeric, result: toBool, unit: operand.NoUnit,
		long:  "Written a == b. False where either is NaN.",
		build: alu(ir.Eq), value: func(x []complex128) complex128 { return truth(real(x[0]) == real(x[1])) }, rule: operand.Exact,
		examples: []ops.Example{{Title: "The middle", Code: "x = axis(x, -1 mm .. 1 mm in 5)\nshow(x == 0 mm)"}}},
	{name: "not_equal", doc: "a != b.", group: groupCompare, args: pair, compute: numeric, result: toBool, unit: operand.NoUnit,
		long:  "Written a != b. True where either is NaN.",
		build: alu(ir.Ne), value: func(x []complex128) complex128 { return truth(real(x[0]) != real(x[1])) }, rule: operand.Exact,
		examples: []ops.Example{{Title: "All but the middle", Code: "x = axis(x, -1 mm .. 1 mm in 5)\nshow(x != 0 mm)"}}},
	{name: "and", doc: "Both a and b.", group: groupCompare, args: pair, takes: boolsOnly, unit: operand.NoUnit,
		build: alu(ir.And), value: func(x []complex128) complex128 { return truth(x[0] != 0 && x[1] != 0) }, rule: operand.Exact,
		examples: []ops.Example{{Title: "A window", Code: "x = axis(x, -1 mm .. 1 mm in 5)\nshow(x > -0.6 mm and x < 0.6 mm)"}}},
	{name: "or", doc: "a or b or both.", group: groupCompare, args: pair, takes: boolsOnly, unit: operand.NoUnit,
		build: alu(ir.Or), value: func(x []complex128) complex128 { return truth(x[0] != 0 || x[1] != 0) }, rule: operand.Exact,
		examples: []ops.Example{{Title: "Outside a window", Code: "x = axis(x, -1 mm .. 1 mm in 5)\nshow(x < -0.6 mm or x > 0.6 mm)"}}},
	{name: "not", doc: "The opposite of a.", group: groupCompare, args: pair[:1], takes: boolsOnly, unit: operand.NoUnit,
		build: alu(ir.Not), value: func(x []complex128) complex128 { return truth(x[0] == 0) }, rule: operand.Exact,
		examples: []ops.Example{{Title: "Outside a window", Code: "x = axis(x, -1 mm .. 1 mm in 5)\nshow(not (abs(x) < 0.6 mm))"}}},
	{name: "is_nan", doc: "True where a is not a number.", group: groupCompare, args: pair[:1], takes: complexToo, compute: numeric, result: toBool,
		unit: func(string, []operand.Operand) (ops.Unit, error) { return ops.Unit{}, nil },
		build: one(func(b *ops.Body, x ops.Elem) ops.Elem {
			nan := b.Alu(ir.Ne, x.Re, x.Re)
			if x.Im != nil {
				nan = b.Or(nan, b.Alu(ir.Ne, x.Im, x.Im))
			}
			return ops.Real(nan)
		}), value: func(x []complex128) complex128 {
			return truth(math.IsNaN(real(x[0])) || math.IsNaN(imag(x[0])))
		}, rule: operand.Exact,
		examples: []ops.Example{{Title: "Where a root has no value", Code: "x = axis(x, -2 .. 2 in 5)\nshow(is_nan(sqrt(x)))"}}},
	{name: "where", doc: "a where the condition holds, b elsewhere.", group: groupCompare, masks: 1, keepsWhole: true, takes: complexToo, compute: numeric, unit: operand.SameUnit,
		args: []arg{{"condition", "true or false"}, {"a", "value where it is true"}, {"b", "value where it is false"}},
		build: func(b *ops.Body, _ []operand.Operand, x []ops.Elem) ops.Elem {
			return ops.CSelect(b, x[0].Re, x[1], x[2])
		},
		value:    func(x []complex128) complex128 { return map[bool]complex128{true: x[1], false: x[2]}[x[0] != 0] },
		rule:     operand.Rounded,
		examples: []ops.Example{{Title: "Keep what is positive", Code: "x = axis(x, -2 .. 2 in 5)\nshow(where(x > 0, x, 0))"}}},
}
