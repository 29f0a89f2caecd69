package array

import (
	"weft/kernels/ir"
	"weft/ops"
)

// remap is an operator that moves elements: each of the result is one of the input.
type remap struct {
	out ops.Type
	at  func(b *ops.Body, index []*ir.Node) []*ir.Node // index of the input from that of the result
	ref func(index []int) []int                        // the same on numbers
}

// remapSpec completes a spec whose first parameter is the array that plan takes elements from.
func remapSpec(s *ops.Spec, plan func(*ops.Call) (remap, error)) *ops.Spec {
	input := s.Params[0].Name
	s.Error = rounded
	s.Infer = func(c *ops.Call) ([]ops.Output, error) {
		m, err := plan(c)
		if err != nil {
			return nil, err
		}
		return []ops.Output{{Type: m.out}}, nil
	}
	s.Lower = func(l *ops.Lowering) []*ops.Stage {
		m, err := plan(l.Call)
		if err != nil {
			panic("array: lowering of an unchecked call: " + err.Error())
		}
		in := l.In(input)
		st := l.Stage("", m.out, []*ops.Stage{in}, func(b *ops.Body, index []*ir.Node) ops.Elem {
			return ops.CCast(b, m.out.Elem.Base, in.At(b, m.at(b, index)...))
		})
		st.Steps = []string{s.Name}
		return []*ops.Stage{st}
	}
	s.Reference = func(c *ops.Call, in map[string]ops.Dense) ([]ops.Dense, error) {
		m, err := plan(c)
		if err != nil {
			return nil, err
		}
		a := in[input]
		strides := a.Strides()
		out := ops.NewDense(a.Im != nil, m.out.Shape()...)
		for i, index := range ops.Indices(out.Shape) {
			at := 0
			for d, x := range m.ref(index) {
				at += x * strides[d]
			}
			out.Set(i, a.At(at))
		}
		return []ops.Dense{out}, nil
	}
	return s
}

// same leaves elements where they are.
func same(out ops.Type) remap {
	return remap{out: out, at: func(_ *ops.Body, index []*ir.Node) []*ir.Node { return index }, ref: func(index []int) []int { return index }}
}

// widened is a type with another set of dims, in the type that elements compute in.
func widened(t ops.Type, dims []ops.Dim) ops.Type {
	return ops.Type{Elem: t.Elem.Widen(), Dims: dims, Unit: t.Unit}
}
