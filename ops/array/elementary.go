package array

import (
	"math"
	"weft/ops/operand"

	"weft/kernels/ir"
	"weft/ops"
)

// elementary are functions that are made of others, each by a form that loses no digits.
var elementary = []elementwise{
	{name: "mod", doc: "What remains of a after whole multiples of b: it has the sign of b.", group: groupFunction, args: pair, keepsWhole: true, compute: numeric, unit: operand.SameUnit,
		long: "a - b * floor(a / b). By 0 it is NaN, and 0 for whole numbers.",
		build: two(func(b *ops.Body, x, y ops.Elem) ops.Elem {
			if x.Re.Type.Int() {
				return ops.Real(b.Mod(x.Re, y.Re))
			}
			return ops.Real(b.Sub(x.Re, b.Mul(y.Re, b.Alu(ir.Floor, b.Div(x.Re, y.Re)))))
		}), divides: true, value: real2(modOf), ofWhole: orZero(modOf), rule: operand.Rounded,
		examples: []ops.Example{{Title: "Time within a period", Code: "t = axis(t, 0 s .. 20 s in 9)\nshow(mod(t, 7 s))"}}},
	{name: "floor_div", doc: "Largest whole number of times that b is in a.", long: "Whole numbers divided by 0 give 0.", group: groupFunction, args: pair, compute: numeric, unit: operand.Ratio, whole: true,
		build: two(func(b *ops.Body, x, y ops.Elem) ops.Elem {
			if x.Re.Type.Int() {
				return ops.Real(b.Div(x.Re, y.Re))
			}
			return ops.Real(b.Alu(ir.Floor, b.Div(x.Re, y.Re)))
		}), divides: true, value: real2(floorDivOf), ofWhole: orZero(floorDivOf), rule: operand.Exact,
		examples: []ops.Example{{Title: "Whole periods", Code: "t = axis(t, 0 s .. 20 s in 9)\nshow(floor_div(t, 7 s))"}}},
	{name: "sign", doc: "-1, 0 or 1, as a is below, at or above 0; NaN of NaN.", group: groupFunction, args: single, compute: numeric, unit: operand.Ratio, whole: true,
		build: one(func(b *ops.Body, x ops.Elem) ops.Elem { return ops.Real(signOf(b, x.Re)) }),
		value: real1(func(x float64) float64 {
			switch {
			case x > 0:
				return 1
			case x < 0:
				return -1
			}
			return x
		}), rule: operand.Exact,
		examples: []ops.Example{{Title: "Sides of the middle", Code: "x = axis(x, -1 mm .. 1 mm in 5)\nshow(sign(x))"}}},
	{name: "cis", doc: "cos(a) + i sin(a) of an angle.", group: groupFunction, args: single, compute: inexact, unit: operand.Angle,
		result: func(t ops.ElemType) ops.ElemType { return ops.ElemType{Base: t.Base, Complex: true} }, arrays: true,
		build: one(func(b *ops.Body, x ops.Elem) ops.Elem {
			return ops.Elem{Re: b.Alu(ir.Cos, x.Re), Im: b.Alu(ir.Sin, x.Re)}
		}),
		value: func(x []complex128) complex128 { return complex(math.Cos(real(x[0])), math.Sin(real(x[0]))) }, rule: operand.Rounded,
		returns:  "a complex array with the dimensions of its argument.",
		examples: []ops.Example{{Title: "A turning phasor", Code: "p = axis(t, 0 deg .. 360 deg in 9)\nshow(phase(cis(p)))"}}},
	function("expm1", "e^a - 1, exact near 0.", operand.PlainOnly, expm1, math.Expm1, "show(expm1(axis(x, -1e-6 .. 1e-6 in 3)))"),
	function("log1p", "Natural logarithm of 1 + a, exact near 0.", operand.PlainOnly, log1p, math.Log1p, "show(log1p(axis(x, -1e-6 .. 1e-6 in 3)))"),
	function("log2", "Logarithm to base 2.", operand.PlainOnly, log2, math.Log2, "show(log2(axis(x, 1 .. 8 in 8)))"),
	function("erf", "Error function: 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to a.", operand.PlainOnly,
		func(b *ops.Body, x *ir.Node) *ir.Node { return b.Alu(ir.Erf, x) }, math.Erf, "show(erf(axis(x, -2 .. 2 in 9)))"),
	function("asin", "Angle of which a is the sine, -90 deg to 90 deg; NaN beyond -1 and 1.", operand.AngleOf,
		func(b *ops.Body, x *ir.Node) *ir.Node { return b.Alu(ir.Atan2, x, across(b, x)) }, math.Asin, "show(asin(axis(x, -1 .. 1 in 9)))"),
	function("acos", "Angle of which a is the cosine, 0 deg to 180 deg; NaN beyond -1 and 1.", operand.AngleOf,
		func(b *ops.Body, x *ir.Node) *ir.Node { return b.Alu(ir.Atan2, across(b, x), x) }, math.Acos, "show(acos(axis(x, -1 .. 1 in 9)))"),
	function("atan", "Angle of which a is the tangent, -90 deg to 90 deg.", operand.AngleOf,
		func(b *ops.Body, x *ir.Node) *ir.Node { return b.Alu(ir.Atan2, x, b.Const(x.Type, 1)) }, math.Atan, "show(atan(axis(x, -1 .. 1 in 9)))"),
	function("sinh", "Hyperbolic sine.", operand.PlainOnly, sinh, math.Sinh, "show(sinh(axis(x, -2 .. 2 in 9)))"),
	function("cosh", "Hyperbolic cosine.", operand.PlainOnly, cosh, math.Cosh, "show(cosh(axis(x, -2 .. 2 in 9)))"),
	function("asinh", "Number of which a is the hyperbolic sine.", operand.PlainOnly, asinh, math.Asinh, "show(asinh(axis(x, -2 .. 2 in 9)))"),
	function("acosh", "Number, 0 or more, of which a is the hyperbolic cosine; NaN below 1.", operand.PlainOnly, acosh, math.Acosh, "show(acosh(axis(x, 1 .. 3 in 9)))"),
	function("atanh", "Number of which a is the hyperbolic tangent; NaN beyond -1 and 1.", operand.PlainOnly, atanh, math.Atanh, "show(atanh(axis(x, -0.9 .. 0.9 in 9)))"),
}

// function is a row of a function of one real number.
func function(name, doc string, unit operand.UnitRule, build func(*ops.Body, *ir.Node) *ir.Node, value func(float64) float64, example string) elementwise {
	return elementwise{name: name, doc: doc, group: groupFunction, args: single, compute: inexact, unit: unit, rule: operand.Rounded,
		build: one(func(b *ops.Body, x ops.Elem) ops.Elem { return ops.Real(build(b, x.Re)) }), value: real1(value),
		examples: []ops.Example{{Title: "Along a line", Code: example}}}
}

func modOf(x, y float64) float64      { return x - y*math.Floor(x/y) }
func floorDivOf(x, y float64) float64 { return math.Floor(x / y) }

// orZero is 0 where y is, as divisions of whole numbers are.
func orZero(f func(x, y float64) float64) func([]complex128) complex128 {
	return real2(func(x, y float64) float64 {
		if y == 0 {
			return 0
		}
		return f(x, y)
	})
}

func signOf(b *ops.Body, x *ir.Node) *ir.Node {
	zero := b.Const(x.Type, 0)
	return b.Select(b.Lt(zero, x), b.Const(x.Type, 1), b.Select(b.Lt(x, zero), b.Const(x.Type, -1), x))
}

// expm1 goes by tanh where e^x - 1 would lose digits.
func expm1(b *ops.Body, x *ir.Node) *ir.Node {
	c := func(v float64) *ir.Node { return b.Const(x.Type, v) }
	t := b.Alu(ir.Tanh, b.Mul(x, c(0.5)))
	near := b.Div(b.Mul(c(2), t), b.Sub(c(1), t))
	return b.Select(b.Lt(b.Abs(x), c(1)), near, b.Sub(b.Alu(ir.Exp, x), c(1)))
}

// log1p corrects the logarithm by what was rounded away from 1 + x.
func log1p(b *ops.Body, x *ir.Node) *ir.Node {
	one := b.Const(x.Type, 1)
	u := b.Add(one, x)
	rest := b.Sub(u, one)
	corrected := b.Div(b.Mul(b.Alu(ir.Log, u), x), rest)
	return b.Select(b.Lt(b.Abs(x), b.Const(x.Type, 0.5)), b.Select(b.Alu(ir.Eq, rest, b.Const(x.Type, 0)), x, corrected), b.Alu(ir.Log, u))
}

func log2(b *ops.Body, x *ir.Node) *ir.Node {
	return b.Mul(b.Alu(ir.Log, x), b.Const(x.Type, 1/math.Ln2))
}

// across is sqrt(1 - x^2).
func across(b *ops.Body, x *ir.Node) *ir.Node {
	one := b.Const(x.Type, 1)
	return b.Sqrt(b.Mul(b.Sub(one, x), b.Add(one, x)))
}

// odd makes an odd function of one of magnitudes.
func odd(f func(*ops.Body, *ir.Node) *ir.Node) func(*ops.Body, *ir.Node) *ir.Node {
	return func(b *ops.Body, x *ir.Node) *ir.Node {
		y := f(b, b.Abs(x))
		return b.Select(b.Lt(x, b.Const(x.Type, 0)), b.Neg(y), y)
	}
}

var sinh = odd(func(b *ops.Body, x *ir.Node) *ir.Node {
	half, m := b.Const(x.Type, 0.5), expm1(b, x)
	return b.Mul(half, b.Add(m, b.Sub(b.Const(x.Type, 1), b.Div(b.Const(x.Type, 1), b.Add(m, b.Const(x.Type, 1))))))
})

func cosh(b *ops.Body, x *ir.Node) *ir.Node {
	half := b.Const(x.Type, 0.5)
	return b.Add(b.Mul(half, b.Alu(ir.Exp, x)), b.Mul(half, b.Alu(ir.Exp, b.Neg(x))))
}

var asinh = odd(func(b *ops.Body, x *ir.Node) *ir.Node {
	one := b.Const(x.Type, 1)
	square := b.Mul(x, x)
	return log1p(b, b.Add(x, b.Div(square, b.Add(one, b.Sqrt(b.Add(one, square))))))
})

func acosh(b *ops.Body, x *ir.Node) *ir.Node {
	t := b.Sub(x, b.Const(x.Type, 1))
	return log1p(b, b.Add(t, b.Sqrt(b.Mul(t, b.Add(t, b.Const(x.Type, 2))))))
}

func atanh(b *ops.Body, x *ir.Node) *ir.Node {
	two := b.Const(x.Type, 2)
	return b.Mul(b.Const(x.Type, 0.5), log1p(b, b.Div(b.Mul(two, x), b.Sub(b.Const(x.Type, 1), x))))
}
