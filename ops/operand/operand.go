// Package operand reads what operators on arrays are given: numbers and arrays that combine by the names of their dims, with rules for
// units, element types and the words of messages.
package operand

import (
	"math"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/problem"
)

// Operand is an argument that is an array, a number or a truth value.
type Operand struct {
	Name   string
	Value  ops.Value
	Type   ops.Type // dims are empty for a number
	Scalar bool     // not an array
	stage  *ops.Stage
	Pick   []int // for each of its dims, the dim of the result that it is
}

// Of takes the named arguments of a call; absent ones are left out.
func Of(c *ops.Call, names ...string) []Operand {
	var out []Operand
	for _, name := range names {
		if c.Has(name) {
			out = append(out, New(name, c.Args[name]))
		}
	}
	return out
}

// New is the operand that an argument gives.
func New(name string, v ops.Value) Operand {
	o := Operand{Name: name, Value: v, Scalar: true}
	switch v := v.(type) {
	case ops.Array:
		o.Type, o.Scalar = v.Type(), false
	case ops.Number:
		o.Type = ops.Type{Elem: ops.NumberType(v), Unit: v.Unit}
	case ops.Flag:
		o.Type = ops.Type{Elem: ops.Bool}
	}
	return o
}

// anyUnit reports whether the operand goes with every unit.
func (o Operand) anyUnit() bool {
	n, ok := o.Value.(ops.Number)
	return ok && n.AnyUnit()
}

// Whole reports whether the operand holds whole numbers only.
func (o Operand) Whole() bool {
	switch v := o.Value.(type) {
	case ops.Array:
		return ops.IsWhole(v)
	case ops.Number:
		return v.Int
	}
	return false
}

// SI is the value of a scalar operand.
func (o Operand) SI() float64 {
	switch v := o.Value.(type) {
	case ops.Number:
		return v.V
	case ops.Flag:
		if v {
			return 1
		}
	}
	return 0
}

// Promote is the type in which the operands compute together.
func Promote(xs []Operand) ops.ElemType {
	var t ops.ElemType
	first := true
	for _, x := range xs {
		if x.Scalar {
			continue
		}
		if first {
			t, first = x.Type.Elem.Widen(), false
		} else {
			t = ops.Promote(t, x.Type.Elem)
		}
	}
	for _, x := range xs {
		n, isNumber := x.Value.(ops.Number)
		switch {
		case !x.Scalar:
		case first:
			t, first = x.Type.Elem, false
		case isNumber:
			t = ops.PromoteNumber(t, n)
		}
	}
	return t
}

// Read is the operand's element at an index of the result, in the given type.
func (o Operand) Read(b *ops.Body, base ir.DType, index []*ir.Node) ops.Elem {
	if !o.Scalar {
		return ops.CCast(b, base, o.stage.At(b, Picked(index, o.Pick)...))
	}
	v := o.SI()
	if n, ok := o.Value.(ops.Number); ok && base.Float() {
		return ops.Real(b.Number(base, n))
	}
	if base.Int() && math.Abs(v) < 1<<62 {
		return ops.Real(b.Int(base, int64(v)))
	}
	return ops.Real(b.Const(base, v))
}

// Picked are some of a few, such as the indices of an operand among those of the result.
func Picked[T any](of []T, pick []int) []T {
	out := make([]T, len(pick))
	for i, p := range pick {
		out[i] = of[p]
	}
	return out
}

// With is the operand with the stage of its array.
func (o Operand) With(s *ops.Stage) Operand { o.stage = s; return o }

// Stages gives array operands their stages.
func Stages(l *ops.Lowering, xs []Operand) (inputs []*ops.Stage) {
	for i := range xs {
		if xs[i].Scalar {
			continue
		}
		xs[i].stage = l.In(xs[i].Name)
		inputs = append(inputs, xs[i].stage)
	}
	return inputs
}

// Element is an argument that stands for an element of an array where there is none.
func Element(c *ops.Call, arg string, t ops.Type) (float64, error) {
	wrong := func(code, help, what string) error {
		return problem.Wrong(code, arg, help, "the array %s, and `%s` is %s", what, arg, c.Args[arg])
	}
	switch v := c.Args[arg].(type) {
	case ops.Flag:
		if t.Elem != ops.Bool {
			return 0, wrong(problem.WrongElementType, "", "holds numbers")
		}
		if v {
			return 1, nil
		}
	case ops.Number:
		switch {
		case t.Elem == ops.Bool:
			return 0, wrong(problem.WrongElementType, "", "holds true and false")
		case !v.AnyUnit() && !v.Unit.Same(t.Unit):
			return 0, problem.Wrong(problem.UnitMismatch, arg, "", "the array is %s, and `%s` is %s", t.Unit.Describe(), arg, v.Unit.Describe())
		case t.Elem.Base.Int() && v.V != float64(int32(v.V)):
			return 0, wrong(problem.NotWhole, "cast the array to f32, or choose a whole number of 32 bits", "holds whole numbers")
		}
		return v.V, nil
	}
	return 0, nil
}
