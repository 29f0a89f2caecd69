package array

import (
	"math"
	"math/cmplx"
	"weft/ops/operand"

	"weft/kernels/ir"
	"weft/ops"
)

var single = []arg{{"a", "array or number"}}

var functions = []elementwise{
	{name: "abs", doc: "Magnitude.", group: groupFunction, args: single, keepsWhole: true, takes: complexToo, compute: numeric, result: realPart, unit: operand.OwnUnit,
		long:  "The square of a complex magnitude must be within the range of the element type.",
		build: one(func(b *ops.Body, x ops.Elem) ops.Elem { return ops.Real(ops.CAbs(b, x)) }),
		value: func(x []complex128) complex128 { return complex(cmplx.Abs(x[0]), 0) }, rule: operand.Rounded,
		examples: []ops.Example{{Title: "Distance from the origin", Code: "x = axis(x, -1 mm .. 1 mm in 5)\nshow(abs(x))"}}},
	{name: "real", doc: "Real part.", group: groupFunction, args: single, takes: complexToo, compute: numeric, result: realPart, unit: operand.SameUnit,
		build: one(func(_ *ops.Body, x ops.Elem) ops.Elem { return ops.Real(x.Re) }),
		value: func(x []complex128) complex128 { return complex(real(x[0]), 0) }, rule: operand.Rounded,
		examples: []ops.Example{{Title: "Real part of a phasor", Code: "p = axis(t, 0 deg .. 360 deg in 9)\nshow(real(complex(cos(p), sin(p))))"}}},
	{name: "imag", doc: "Imaginary part; 0 for real numbers.", group: groupFunction, args: single, takes: complexToo, compute: numeric, result: realPart, unit: operand.SameUnit,
		build: one(func(b *ops.Body, x ops.Elem) ops.Elem { return ops.Real(x.Imag(b)) }),
		value: func(x []complex128) complex128 { return complex(imag(x[0]), 0) }, rule: operand.Rounded,
		examples: []ops.Example{{Title: "Imaginary part of a phasor", Code: "p = axis(t, 0 deg .. 360 deg in 9)\nshow(imag(complex(cos(p), sin(p))))"}}},
	{name: "conj", doc: "Complex conjugate.", group: groupFunction, args: single, takes: complexToo, compute: numeric, unit: operand.SameUnit,
		build: one(ops.CConj), value: func(x []complex128) complex128 { return cmplx.Conj(x[0]) }, rule: operand.Rounded,
		examples: []ops.Example{{Title: "Turning the other way", Code: "p = axis(t, 0 deg .. 160 deg in 5)\nshow(phase(conj(complex(cos(p), sin(p)))))"}}},
	{name: "phase", doc: "Angle of a complex number, -180 deg to 180 deg.", group: groupFunction, args: single, takes: complexToo, compute: inexact, result: realPart, unit: operand.ToAngle,
		build: one(func(b *ops.Body, x ops.Elem) ops.Elem { return ops.Real(b.Alu(ir.Atan2, x.Imag(b), x.Re)) }),
		value: func(x []complex128) complex128 { return complex(math.Atan2(imag(x[0]), real(x[0])), 0) }, rule: operand.Turning,
		examples: []ops.Example{{Title: "A turning phasor", Code: "p = axis(t, 0 deg .. 160 deg in 5)\nshow(phase(complex(cos(p), sin(p))))"}}},
	{name: "sqrt", doc: "Square root; NaN for negative numbers.", group: groupFunction, args: single, compute: inexact, unit: operand.RootUnit,
		build: alu(ir.Sqrt), value: real1(math.Sqrt), rule: operand.Rounded,
		examples: []ops.Example{{Title: "A side of a square", Code: "x = axis(x, -1 mm .. 1 mm in 5)\nshow(sqrt(x * x))"}}},
	{name: "exp", doc: "Exponential function.", group: groupFunction, args: single, takes: complexToo, compute: inexact, unit: operand.PlainOnly,
		build: one(ops.CExp), value: func(x []complex128) complex128 { return expOf(x[0]) }, rule: operand.Rounded,
		examples: []ops.Example{{Title: "A bell", Code: "x = axis(x, -3 mm .. 3 mm in 49)\nshow(exp(-(x / (1 mm)) ^ 2))"}}},
	{name: "log", doc: "Natural logarithm.", group: groupFunction, args: single, compute: inexact, unit: operand.PlainOnly,
		long:  "log(0) is -inf and the logarithm of a negative number NaN.",
		build: alu(ir.Log), value: real1(math.Log), rule: operand.Rounded,
		examples: []ops.Example{{Title: "Growth", Code: "x = axis(x, 1 .. 5 in 5)\nshow(log(x))"}}},
	{name: "log10", doc: "Logarithm to base 10.", group: groupFunction, args: single, compute: inexact, unit: operand.PlainOnly,
		long:  "log10(0) is -inf and the logarithm of a negative number NaN. For levels in dB see decibel.",
		build: alu(ir.Log10), value: real1(math.Log10), rule: operand.Rounded,
		examples: []ops.Example{{Title: "Decades", Code: "x = axis(x, 1 .. 100 in 4)\nshow(log10(x))"}}},
	{name: "sin", doc: "Sine of an angle.", group: groupFunction, args: single, compute: inexact, unit: operand.Angle,
		build: alu(ir.Sin), value: real1(math.Sin), rule: operand.Rounded,
		examples: []ops.Example{{Title: "A wave", Code: "x = axis(x, 0 deg .. 360 deg in 73)\nshow(sin(x))"}}},
	{name: "cos", doc: "Cosine of an angle.", group: groupFunction, args: single, compute: inexact, unit: operand.Angle,
		build: alu(ir.Cos), value: real1(math.Cos), rule: operand.Rounded,
		examples: []ops.Example{{Title: "A wave", Code: "x = axis(x, 0 deg .. 360 deg in 73)\nshow(cos(x))"}}},
	{name: "tan", doc: "Tangent of an angle.", group: groupFunction, args: single, compute: inexact, unit: operand.Angle,
		build: alu(ir.Tan), value: real1(math.Tan), rule: operand.Rounded,
		examples: []ops.Example{{Title: "Slope of an angle", Code: "x = axis(x, -60 deg .. 60 deg in 5)\nshow(tan(x))"}}},
	{name: "tanh", doc: "Hyperbolic tangent.", group: groupFunction, args: single, compute: inexact, unit: operand.PlainOnly,
		build: alu(ir.Tanh), value: real1(math.Tanh), rule: operand.Rounded,
		examples: []ops.Example{{Title: "A soft step", Code: "x = axis(x, -3 .. 3 in 7)\nshow(tanh(x))"}}},
	{name: "atan2", doc: "Angle of the point (x, y), -180 deg to 180 deg.", group: groupFunction, args: []arg{{"y", "ordinate"}, {"x", "abscissa"}}, compute: inexact, unit: operand.ToAngle,
		build: alu(ir.Atan2), value: real2(math.Atan2), rule: operand.Turning,
		examples: []ops.Example{{Title: "Angle seen from the origin", Code: "x = axis(x, -1 mm .. 1 mm in 5)\nshow(atan2(x, 2 mm))"}}},
	{name: "hypot", doc: "Root of a^2 + b^2.", group: groupFunction, args: pair, compute: inexact, unit: operand.SameUnit,
		long: "The squares must be within the range of the element type.",
		build: two(func(b *ops.Body, x, y ops.Elem) ops.Elem {
			return ops.Real(b.Sqrt(b.Add(b.Mul(x.Re, x.Re), b.Mul(y.Re, y.Re))))
		}),
		value: real2(func(x, y float64) float64 { return math.Sqrt(x*x + y*y) }), rule: operand.Rounded,
		examples: []ops.Example{{Title: "Distance from the origin", Code: "x = axis(x, -1 mm .. 1 mm in 5)\ny = axis(y, -1 mm .. 1 mm in 5)\nshow(hypot(x, y))"}}},
	{name: "floor", doc: "Largest whole number not above.", group: groupFunction, args: single, compute: numeric, unit: operand.PlainOnly,
		build: ifFloat(ir.Floor), whole: true, value: real1(math.Floor), rule: operand.Exact,
		examples: []ops.Example{{Title: "Whole numbers below", Code: "x = axis(x, -1 .. 1 in 5)\nshow(floor(x))"}}},
	{name: "ceil", doc: "Smallest whole number not below.", group: groupFunction, args: single, compute: numeric, unit: operand.PlainOnly,
		build: ifFloat(ir.Ceil), whole: true, value: real1(math.Ceil), rule: operand.Exact,
		examples: []ops.Example{{Title: "Whole numbers above", Code: "x = axis(x, -1 .. 1 in 5)\nshow(ceil(x))"}}},
	{name: "round", doc: "Nearest whole number; halves go to the even one.", group: groupFunction, args: single, compute: numeric, unit: operand.PlainOnly,
		long:  "To round to a multiple of a quantity divide by it first: round(x / (0.5 mm)) * 0.5 mm.",
		build: ifFloat(ir.Rint), whole: true, value: real1(math.RoundToEven), rule: operand.Exact,
		examples: []ops.Example{{Title: "Multiples of half a millimetre", Code: "x = axis(x, 0 mm .. 2 mm in 7)\nshow(round(x / (0.5 mm)) * 0.5 mm)"}}},
	{name: "clamp", doc: "The nearest value within low and high.", group: groupFunction, keepsWhole: true, compute: numeric, unit: operand.SameUnit,
		args:  []arg{{"a", "array or number"}, {"low", "lower limit"}, {"high", "upper limit"}},
		long:  "NaN stays NaN. Where low is above high the result is high.",
		build: buildClamp, value: clampOf, rule: operand.Rounded,
		examples: []ops.Example{{Title: "Cut off", Code: "x = axis(x, -2 .. 2 in 5)\nshow(clamp(x, -1, 1))"}}},
}

// ifFloat applies a rounding to floats; integers are whole already.
func ifFloat(op ir.Op) func(*ops.Body, []operand.Operand, []ops.Elem) ops.Elem {
	return func(b *ops.Body, _ []operand.Operand, x []ops.Elem) ops.Elem {
		if !x[0].Re.Type.Float() {
			return x[0]
		}
		return ops.Real(b.Alu(op, x[0].Re))
	}
}

// buildClamp relies on Max(low, x) being x where x is NaN.
func buildClamp(b *ops.Body, _ []operand.Operand, x []ops.Elem) ops.Elem {
	return ops.Real(b.Min(x[2].Re, b.Max(x[1].Re, x[0].Re)))
}

func clampOf(x []complex128) complex128 {
	a, low, high := real(x[0]), real(x[1]), real(x[2])
	if a < low {
		a = low
	}
	if a > high {
		a = high
	}
	return complex(a, 0)
}

// expOf keeps real operands real, so that exp(inf) is infinite.
func expOf(x complex128) complex128 {
	if imag(x) == 0 {
		return complex(math.Exp(real(x)), 0)
	}
	return cmplx.Exp(x)
}
