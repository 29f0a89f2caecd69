package array

import (
	"math"
	"slices"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/retype"
	"weft/ops"
	"weft/ops/matrix"
	"weft/ops/operand"
	"weft/ops/problem"
)

// castTypes are the element types that arrays compute in, and those of small whole numbers, which they compute with as i32.
var castTypes = []ops.ElemType{ops.Bool, {Base: ir.U8}, {Base: ir.I8}, {Base: ir.U16}, {Base: ir.I16}, ops.I32, ops.I64, ops.F32, ops.F64, ops.C64, ops.C128}

// roundTypes are those that values can be rounded to.
var roundTypes = []ops.ElemType{{Base: ir.F16}, {Base: ir.BF16}}

func convertSpecs() []*ops.Spec {
	join := elementwise{name: "complex", doc: "Complex numbers of their parts.", group: groupType, compute: inexact, unit: operand.SameUnit, arrays: true,
		returns: "a complex array with the dimensions of both.",
		args:    []arg{{"re", "real part"}, {"im", "imaginary part"}},
		result:  func(t ops.ElemType) ops.ElemType { return ops.ElemType{Base: t.Base, Complex: true} },
		build: func(_ *ops.Body, _ []operand.Operand, x []ops.Elem) ops.Elem {
			return ops.Elem{Re: x[0].Re, Im: x[1].Re}
		},
		value: func(x []complex128) complex128 { return complex(real(x[0]), real(x[1])) }, rule: operand.Rounded,
		examples: []ops.Example{{Title: "A turning phasor", Code: "p = axis(t, 0 deg .. 360 deg in 9)\nshow(phase(complex(cos(p), sin(p))))"}}}
	var names []string
	for _, t := range slices.Concat(castTypes, roundTypes) {
		names = append(names, t.String())
	}
	return []*ops.Spec{join.spec(), {
		Name: "cast", Doc: "The same values as another element type.", Group: groupType, Error: operand.Rounded,
		Long: "Floats become integers by truncation; NaN becomes 0 and what is out of range the nearest integer. Everything but 0 becomes true. " +
			"Whole numbers beyond the range of a smaller type become its nearest. f16 and bf16 round to the nearest number of these types, where it stands, in " +
			"whatever kernel that is, and whatever types the planner chooses; what is computed of it is f32, and an array of them that is kept takes 16 bits an element. For smaller types in files see the argument `as` of write.",
		Returns:  "an array of the same dimensions; of a number, one value.",
		Params:   []ops.Param{ops.In("input", "array or number").Also(ops.KNumber | ops.KBool), ops.Choose("type", "element type", names...)},
		Examples: []ops.Example{{Title: "Whole numbers", Code: "axis(x, 0 .. 4 in 9) | cast(i32) | show"}},
		Bind:     bindCast,
		Counts:   true,
	}}
}

// casting is a use of cast: what it gives.
type casting struct {
	from operand.Operand
	out  ops.Type
	to   ir.DType // what floats are rounded to
}

func bindCast(c *ops.Call) (ops.Op, error) {
	from := operand.Of(c, "input")
	if _, err := operand.Broadcast("cast", from); err != nil {
		return nil, err
	}
	t := from[0].Type
	e, _ := ops.ParseElem(c.Symbol("type"))
	to := e.Base
	if slices.Contains(roundTypes, e) {
		e = ops.F32
	}
	out := ops.Type{Elem: e, Dims: t.Dims, Unit: t.Unit}
	switch {
	case t.Elem.Complex && !out.Elem.Complex:
		return nil, problem.Wrong(problem.WrongElementType, "input", "take abs, real or imag of it first", "complex numbers cannot become %s: the input is %s", out.Elem, t)
	case !out.Elem.Base.Float() && t.Elem.Base.Float() && !t.Unit.Plain():
		return nil, problem.Wrong(problem.UnexpectedUnit, "input", "divide by a unit first: `... / (1 "+t.Unit.String()+")`",
			"whole numbers of %s depend on the unit they are counted in", t.Unit)
	}
	if out.Elem.Base == ir.Bool {
		out.Unit = ops.Unit{}
	}
	return casting{from[0], out, to}, nil
}

// Outputs is one array.
func (k casting) Outputs() []ops.Output { return ops.One(k.out) }

// Structure implements matrix.Structured: rounding may spoil no more than what is positive definite by less than that.
func (k casting) Structure(c *ops.Call, _ int) (s matrix.Structure) {
	if a, ok := c.Array("input"); ok && k.out.Elem.Base.Float() {
		s = matrix.StructureOf(a)
	}
	return s
}

// Lower converts element by element.
func (k casting) Lower(l *ops.Lowering) []*ops.Stage {
	out, in := k.out, []operand.Operand{k.from}
	s := l.Stage("", out, operand.Stages(l, in), func(b *ops.Body, index []*ir.Node) ops.Elem {
		x := in[0].Read(b, k.from.Type.Elem.Base.Compute(), index)
		x = ops.Elem{Re: retype.RoundTo(b.Builder, k.to, convert(b, out.Elem.Base, x.Re)), Im: x.Im}
		switch {
		case out.Elem.Complex && x.Im == nil:
			x.Im = b.Const(out.Elem.Base, 0)
		case x.Im != nil:
			x.Im = convert(b, out.Elem.Base, x.Im)
		}
		return x
	})
	if s.Steps = []string{"cast"}; k.to != out.Elem.Base {
		s.Exact, s.Rounded = true, k.to
	}
	return []*ops.Stage{s}
}

// intLimits are the smallest and the largest value of an integer type.
func intLimits(t ir.DType) (low, high int64) {
	bits := 8 * t.Size()
	if t == ir.U8 || t == ir.U16 {
		return 0, 1<<bits - 1
	}
	return -1 << (bits - 1), 1<<(bits-1) - 1
}

// convert is a cast that is defined for every value.
func convert(b *ops.Body, to ir.DType, x *ir.Node) *ir.Node {
	from := x.Type
	switch {
	case to.Int() && to != to.Compute():
		low, high := intLimits(to)
		x = convert(b, to.Compute(), x)
		return b.Max(b.Int(x.Type, low), b.Min(b.Int(x.Type, high), x))
	case to == ir.Bool && from != ir.Bool:
		return b.Alu(ir.Ne, x, b.Const(from, 0))
	case from.Float() && to.Int():
		low, high := intLimits(to)
		end := -float64(low) // the first float above the range
		below := math.Nextafter(end, 0)
		if from != ir.F64 {
			below = float64(math.Nextafter32(float32(end), 0))
		}
		x = b.Select(b.Alu(ir.Eq, x, x), x, b.Const(from, 0))
		inside := b.Cast(to, b.Max(b.Const(from, -end), b.Min(b.Const(from, below), x)))
		return b.Select(b.Alu(ir.Le, b.Const(from, end), x), b.Int(to, high), inside)
	case from == ir.I64 && to == ir.I32:
		return b.Cast(to, b.Max(b.Int(from, math.MinInt32), b.Min(b.Int(from, math.MaxInt32), x)))
	}
	return b.Cast(to, x)
}

// Reference converts as the documentation says.
func (k casting) Reference(in map[string]ops.Dense) ([]ops.Dense, error) {
	a, to := in["input"], k.out.Elem
	if k.from.Scalar {
		a = ops.NewDense(false)
		a.Set(0, complex(k.from.SI(), 0))
	}
	out := ops.NewDense(to.Complex, a.Shape...)
	for i := range a.Re {
		v := a.At(i)
		switch {
		case to.Base == ir.Bool:
			v = truth(v != 0)
		case to.Base.Int() && math.IsNaN(real(v)):
			v = 0
		case to.Base.Int():
			low, high := intLimits(to.Base)
			v = complex(math.Trunc(min(float64(high), max(float64(low), real(v)))), 0)
		case k.to != to.Base:
			was, bits := []float64{float64(float32(real(v)))}, make([]byte, k.to.Size())
			device.Store(k.to, bits, was)
			device.Load(k.to, was, bits)
			v = complex(was[0], 0)
		}
		out.Set(i, v)
	}
	return []ops.Dense{out}, nil
}
