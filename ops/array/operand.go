package array

import (
	"math"

	"weft/kernels/ir"
	"weft/ops"
)

// operand is an argument that is an array, a number or a truth value.
type operand struct {
	name   string
	value  ops.Value
	typ    ops.Type // dims are empty for a number
	scalar bool     // not an array
	stage  *ops.Stage
	pick   []int // for each of its dims, the dim of the result that it is
}

// operandsOf takes the named arguments of a call; absent ones are left out.
func operandsOf(c *ops.Call, names ...string) []operand {
	var out []operand
	for _, name := range names {
		if c.Has(name) {
			out = append(out, newOperand(name, c.Args[name]))
		}
	}
	return out
}

func newOperand(name string, v ops.Value) operand {
	o := operand{name: name, value: v, scalar: true}
	switch v := v.(type) {
	case ops.Array:
		o.typ, o.scalar = v.Type(), false
	case ops.Number:
		o.typ = ops.Type{Elem: ops.NumberType(v), Unit: v.Unit}
	case ops.Flag:
		o.typ = ops.Type{Elem: ops.Bool}
	}
	return o
}

// anyUnit reports whether the operand goes with every unit.
func (o operand) anyUnit() bool {
	n, ok := o.value.(ops.Number)
	return ok && n.AnyUnit()
}

// whole reports whether the operand holds whole numbers only.
func (o operand) whole() bool {
	switch v := o.value.(type) {
	case ops.Array:
		return ops.IsWhole(v)
	case ops.Number:
		return v.Int
	}
	return false
}

// si is the value of a scalar operand.
func (o operand) si() float64 {
	switch v := o.value.(type) {
	case ops.Number:
		return v.V
	case ops.Flag:
		if v {
			return 1
		}
	}
	return 0
}

// promote is the type in which the operands compute together.
func promote(xs []operand) ops.ElemType {
	var t ops.ElemType
	first := true
	for _, x := range xs {
		if x.scalar {
			continue
		}
		if first {
			t, first = x.typ.Elem.Widen(), false
		} else {
			t = ops.Promote(t, x.typ.Elem)
		}
	}
	for _, x := range xs {
		n, isNumber := x.value.(ops.Number)
		switch {
		case !x.scalar:
		case first:
			t, first = x.typ.Elem, false
		case isNumber:
			t = ops.PromoteNumber(t, n)
		}
	}
	return t
}

// read is the operand's element at an index of the result, in the given type.
func (o operand) read(b *ops.Body, base ir.DType, index []*ir.Node) ops.Elem {
	if !o.scalar {
		at := make([]*ir.Node, len(o.pick))
		for i, p := range o.pick {
			at[i] = index[p]
		}
		return ops.CCast(b, base, o.stage.At(b, at...))
	}
	v := o.si()
	if n, ok := o.value.(ops.Number); ok && base.Float() {
		return ops.Real(b.Number(base, n))
	}
	if base.Int() && math.Abs(v) < 1<<62 {
		return ops.Real(b.Int(base, int64(v)))
	}
	return ops.Real(b.Const(base, v))
}

// stagesOf gives array operands their stages.
func stagesOf(l *ops.Lowering, xs []operand) (inputs []*ops.Stage) {
	for i := range xs {
		if xs[i].scalar {
			continue
		}
		xs[i].stage = l.In(xs[i].name)
		inputs = append(inputs, xs[i].stage)
	}
	return inputs
}
