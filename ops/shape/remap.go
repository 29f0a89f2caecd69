package shape

import (
	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/matrix"
	"weft/ops/operand"
)

// remap is a use of an operator that moves elements: each of the result is one of the input.
type remap struct {
	input string
	from  ops.Array
	out   ops.Type
	whole bool                                           // the input holds whole numbers
	at    func(b *ops.Body, index []*ir.Node) []*ir.Node // index of the input from that of the result
	ref   func(index []int) []int                        // the same on numbers
	names map[string]string                              // of dims that have others in the input; nil: where the elements are may have changed
}

// remapSpec completes a spec whose first parameter is the array that plan takes elements from.
func remapSpec(s *ops.Spec, plan func(*ops.Call) (remap, error)) *ops.Spec {
	s.Error = operand.Rounded
	s.Bind = func(c *ops.Call) (ops.Op, error) {
		m, err := plan(c)
		if err != nil {
			return nil, err
		}
		m.input = s.Params[0].Name
		m.from, _ = c.Array(m.input)
		m.whole = ops.IsWhole(m.from)
		return m, nil
	}
	return s
}

// Outputs is one array.
func (m remap) Outputs() []ops.Output { return ops.One(m.out) }

// From is the array that the elements are of.
func (m remap) From() ops.Array { return m.from }

// Whole tells whether the elements are whole numbers.
func (m remap) Whole() bool { return m.whole }

// Structure implements matrix.Structured: matrices stay what they are where only names and the order of dims are other ones.
func (m remap) Structure(c *ops.Call, _ int) (s matrix.Structure) {
	if a, ok := c.Array(m.input); ok && m.names != nil {
		s = matrix.StructureOf(a)
		for _, dim := range []*string{&s.Rows, &s.Columns} {
			if is := m.names[*dim]; is != "" {
				*dim = is
			}
		}
	}
	return s
}

// Renames implements operand.Renamer.
func (m remap) Renames(c *ops.Call) (a ops.Array, names map[string]string, ok bool) {
	a, ok = c.Array(m.input)
	return a, m.names, ok && m.names != nil
}

// Lower reads the input elsewhere.
func (m remap) Lower(l *ops.Lowering) []*ops.Stage {
	in := l.In(m.input)
	s := l.Stage("", m.out, []*ops.Stage{in}, func(b *ops.Body, index []*ir.Node) ops.Elem {
		return ops.CCast(b, m.out.Elem.Base, in.At(b, m.at(b, index)...))
	})
	s.Steps = []string{l.Op.Spec.Name}
	return []*ops.Stage{s}
}

// Reference moves elements one by one.
func (m remap) Reference(in map[string]ops.Dense) ([]ops.Dense, error) {
	a := in[m.input]
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

// same leaves elements where they are.
func same(out ops.Type) remap {
	return remap{out: out, at: func(_ *ops.Body, index []*ir.Node) []*ir.Node { return index }, ref: func(index []int) []int { return index }}
}

// widened is a type with another set of dims, in the type that elements compute in.
func widened(t ops.Type, dims []ops.Dim) ops.Type {
	return ops.Type{Elem: t.Elem.Widen(), Dims: dims, Unit: t.Unit}
}
