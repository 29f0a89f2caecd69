package array

import (
	"errors"
	"math"
	"math/cmplx"
	"weft/ops/operand"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/problem"
)

var decibel = ops.MustUnit("dB")

// peak is the largest magnitude; NaN are skipped.
var peak = reduction{name: "peak", takes: complexToo, accumulate: realFloat, result: realFloat, unit: operand.SameUnit, monoid: ir.Largest, start: zero,
	term: func(b *ops.Body, x ops.Elem, t ir.DType) ops.Elem {
		return ops.Real(ops.CAbs(b, ops.CCast(b, t, x)))
	},
	value: func(x []complex128) complex128 {
		m := 0.0
		for _, v := range x {
			if a := cmplx.Abs(v); a > m {
				m = a
			}
		}
		return complex(m, 0)
	}}

func levelSpecs() []*ops.Spec {
	envelope := elementwise{name: "envelope", takes: complexToo, compute: inexact, result: realPart, unit: operand.SameUnit,
		build: one(func(b *ops.Body, x ops.Elem) ops.Elem { return ops.Real(ops.CAbs(b, x)) }),
		value: func(x []complex128) complex128 { return complex(cmplx.Abs(x[0]), 0) }, args: []arg{{"input", ""}}}
	return []*ops.Spec{
		{
			Name: "envelope", Doc: "Envelope of an analytic signal: the magnitude of complex (IQ) data.", Group: groupLevel, Error: operand.Rounded,
			Long:     "The square of the magnitude must be within the range of the element type.",
			Returns:  "a real array of the same dimensions and unit.",
			Params:   []ops.Param{ops.In("input", "complex (IQ) data")},
			Examples: []ops.Example{{Title: "A pulse", Code: "t = axis(t, -1 us .. 1 us in 65)\na = exp(-(t / (0.3 us)) ^ 2)\np = 2 * 3.14159265 * t * 3 MHz\ncomplex(a * cos(p), a * sin(p)) | envelope | show"}},
			Bind: func(c *ops.Call) (ops.Op, error) {
				if t := c.Type("input"); !t.Elem.Complex {
					return nil, problem.Wrong(problem.WrongElementType, "input", "demodulate real (RF) data to IQ first; abs gives plain magnitudes",
						"`envelope` needs complex (IQ) data, and this is %s", t)
				}
				return envelope.bind(c)
			},
		},
		{
			Name: "decibel", Doc: "Level in dB below the largest magnitude: log compression.", Group: groupLevel,
			Long: "20 log10(|v| / reference), clipped to [-range, 0] dB. Without a reference it is the largest magnitude along over, or of the " +
				"whole array. Where the reference is 0, so is everything, and the level is -range. NaN stay NaN and do not count for the reference. " +
				"The square of a complex magnitude must be within the range of the element type.",
			Error:   ops.ErrorRule{Metric: ops.Absolute, Tolerance: 0.1},
			Returns: "a real array of the same dimensions, in dB.",
			Params: []ops.Param{
				ops.In("input", "real or complex data"),
				ops.Num("range", "dB", "dynamic range").Above0().Or(ops.Quantity(60, "dB")),
				ops.Num("reference", "*", "magnitude at 0 dB, in the unit of the input; the largest when left out").Above0().Opt(),
				ops.Names("over", "dimensions along which the largest is taken; all when left out").Opt(),
			},
			Examples: []ops.Example{{Title: "A Gaussian down to -40 dB", Code: "x = axis(x, -3 mm .. 3 mm in 61)\nexp(-(x / (1 mm)) ^ 2) | decibel(range: 40 dB) | show"}},
			Bind:     bindDecibel,
		},
	}
}

// level is a use of decibel.
type level struct {
	out        ops.Type
	least      ops.Number // level that is given
	reference  ops.Number // 0: the largest magnitude
	over, kept []int      // dims that it is taken over, and the others
	peak       ops.Type
}

func bindDecibel(c *ops.Call) (ops.Op, error) {
	t := c.Type("input")
	var errs []error
	if t.Unit.Same(decibel) {
		errs = append(errs, problem.Wrong(problem.WrongUnit, "input", "take decibel of the magnitudes", "the input is in dB already"))
	}
	if t.Elem.Base == ir.Bool {
		errs = append(errs, problem.Wrong(problem.WrongElementType, "input", "", "`decibel` needs numbers, and the input is %s", t))
	}
	if r, ok := c.Args["reference"].(ops.Number); ok {
		if !r.Unit.Same(t.Unit) {
			errs = append(errs, problem.Wrong(problem.UnitMismatch, "reference", "give it in the unit of the input", "the reference is %s, and the input %s", operand.InUnit(r.Unit), operand.InUnit(t.Unit)))
		}
		if c.Has("over") {
			errs = append(errs, problem.Wrong(problem.ContradictArguments, "over", "leave one out", "`decibel` takes a reference or `over`, not both"))
		}
	}
	over, err := operand.DimsNamed(c, "over", t, true)
	if err := errors.Join(append(errs, operand.NoOffset("decibel", []operand.Operand{{Name: "input", Type: t}}), err)...); err != nil {
		return nil, err
	}
	real := realFloat(t.Elem)
	span, _ := c.Args["range"].(ops.Number)
	reference, _ := c.Args["reference"].(ops.Number)
	v := &level{least: ops.Number{V: -span.V}.Of("-%s", span), reference: reference, over: over,
		out: ops.Type{Elem: real, Dims: t.Dims, Unit: decibel}, peak: ops.Type{Elem: real, Dims: operand.Without(t.Dims, over), Unit: t.Unit}}
	v.kept = kept(t, over)
	return v, nil
}

// Outputs is one array.
func (v *level) Outputs() []ops.Output { return ops.One(v.out) }

// Lower divides by the reference, or by the largest magnitude, a stage of its own.
func (v *level) Lower(l *ops.Lowering) []*ops.Stage {
	in, base := l.In("input"), v.out.Elem.Base
	inputs := []*ops.Stage{in}
	var top *ops.Stage
	if v.reference.V == 0 {
		top = peak.stages(l, "peak", in, v.over, v.peak, nil, nil)
		inputs = append(inputs, top)
	}
	s := l.Stage("", v.out, inputs, func(b *ops.Body, index []*ir.Node) ops.Elem {
		magnitude := ops.CAbs(b, ops.CCast(b, base, in.At(b, index...)))
		reference := b.Number(base, v.reference)
		if top != nil {
			at := make([]*ir.Node, len(v.kept))
			for i, d := range v.kept {
				at[i] = index[d]
			}
			reference = top.At(b, at...).Re
		}
		low := b.Number(base, v.least)
		level := b.Mul(b.Const(base, 20), b.Alu(ir.Log10, b.Div(magnitude, reference)))
		level = b.Min(b.Const(base, 0), b.Max(low, level))
		if top != nil {
			level = b.Select(b.Lt(b.Const(base, 0), reference), level, low)
		}
		return ops.Real(level)
	})
	s.Steps = []string{"magnitude", "log10", "clip"}
	return []*ops.Stage{s}
}

// Reference is the formula of the documentation.
func (v *level) Reference(in map[string]ops.Dense) ([]ops.Dense, error) {
	a := in["input"]
	top := peak.reduceDense(a, v.over, v.peak)
	strides := top.Strides()
	out := ops.NewDense(false, a.Shape...)
	for i, index := range ops.Indices(a.Shape) {
		reference := v.reference.V
		if reference == 0 {
			at := 0
			for k, d := range v.kept {
				at += index[d] * strides[k]
			}
			reference = top.Re[at]
		}
		out.Re[i] = levelOf(cmplx.Abs(a.At(i)), reference, -v.least.V)
	}
	return []ops.Dense{out}, nil
}

func levelOf(magnitude, reference, span float64) float64 {
	if reference == 0 {
		return -span
	}
	level := 20 * math.Log10(magnitude/reference)
	if math.IsNaN(level) {
		return level
	}
	return min(0, max(-span, level))
}
