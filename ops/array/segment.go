package array

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/operand"
	"weft/ops/problem"
)

// overOf finds the dims that a reduction goes through, in the order of the array, and the segment if it goes through a part of one.
func overOf(c *ops.Call, t ops.Type) ([]int, *operand.Segment, error) {
	names := ops.List{}
	counted(c, t)
	var parts []ops.Segment
	var args []string
	for k, v := range c.List("over") {
		if s, ok := v.(ops.Segment); ok {
			arg := "over"
			if _, list := c.Args["over"].(ops.List); list {
				arg = fmt.Sprintf("over.%d", k)
			}
			parts, args, v = append(parts, s), append(args, arg), ops.Symbol(s.Dim)
		}
		names = append(names, v)
	}
	plain := &ops.Call{Spec: c.Spec, Args: map[string]ops.Value{}}
	if c.Has("over") {
		plain.Args["over"] = names
	}
	over, err := operand.DimsNamed(plain, "over", t, true)
	switch {
	case err != nil || len(parts) == 0:
		return over, nil, err
	case len(parts) > 1 && parts[1].Count:
		return nil, nil, problem.Wrong(problem.ContradictArguments, "a", fmt.Sprintf("reduce one after the other: over: %s, and what that gives over: %s", parts[0].Dim, parts[1].Dim),
			"a reduction goes through one dimension of which only a run knows how many elements there are, and %s and %s both are", parts[0].Dim, parts[1].Dim)
	case len(parts) > 1:
		return nil, nil, problem.Wrong(problem.ContradictArguments, args[1], "reduce one after the other",
			"a reduction goes through a part of one dimension, and this is the second")
	}
	s, err := operand.NewSegment(parts[0], args[0], t, over)
	return over, s, err
}

// counted puts the part that there is in place of a dim of which it is known only when it runs how many elements there are.
func counted(c *ops.Call, t ops.Type) {
	all := !c.Has("over") || c.Symbol("over") == "all"
	var over ops.List
	for _, d := range t.Dims {
		if d.Count == nil && all {
			over = append(over, ops.Symbol(d.Name))
		}
	}
	for _, d := range t.Dims {
		part := ops.Segment{Dim: d.Name, From: ops.Integer(0), Count: true}
		if d.Count == nil {
			continue
		}
		if part.To = *d.Count; all {
			over = append(over, part)
			continue
		}
		list := slices.Clone(c.List("over"))
		if i := slices.Index(list, ops.Value(ops.Symbol(d.Name))); i >= 0 {
			list[i] = part
			c.Args["over"] = list
		}
	}
	if all && slices.ContainsFunc(t.Dims, func(d ops.Dim) bool { return d.Count != nil }) {
		c.Args["over"] = over
	}
}

// dense reduces the parts of an array.
func (r *reduce) dense(in map[string]ops.Dense) ops.Dense {
	a, s := in["a"], r.part
	out := ops.NewDense(r.out.Elem.Complex, r.out.Shape()...)
	strides := a.Strides()
	stay := kept(ops.Type{Dims: make([]ops.Dim, len(a.Shape))}, r.over)
	var shape []int
	for _, d := range r.over {
		shape = append(shape, a.Shape[d])
	}
	for i, index := range ops.Indices(out.Shape) {
		ends := s.At(in, index)
		first := 0
		for j, d := range stay {
			first += index[s.Pick[j]] * strides[d]
		}
		var group []complex128
		var places []int
		for flat, steps := range ops.Indices(shape) {
			at, within := first, true
			for j, d := range r.over {
				at += steps[j] * strides[d]
				within = within && (d != s.Dim || ends[0] <= steps[j] && steps[j] <= ends[1])
			}
			if within {
				group, places = append(group, a.At(at)), append(places, flat)
			}
		}
		v := r.value(group)
		switch {
		case r.indexed() && len(group) > 0:
			k := int(real(v))
			if v = 0; !cmplx.IsNaN(group[k]) {
				v = complex(float64(places[k]), 0)
			}
		case math.IsInf(real(v), 0) && r.out.Elem.Base == ir.I32: // which has no infinity
			v = complex(max(math.MinInt32, min(math.MaxInt32, real(v))), 0)
		}
		out.Set(i, v)
	}
	return out
}

// acceptsSegments is the argument that says what a reduction goes through.
func acceptsSegments() ops.Param { return ops.Names("over", overDoc+partDoc).Also(ops.KSegment).Opt() }

const partDoc = "; k in first .. last goes, for each element of the ends, through that part of k alone, where an empty one has nothing"

// ends are the stages of the ends of a segment.
func endsOf(l *ops.Lowering, s *operand.Segment) []*ops.Stage {
	if s == nil {
		return nil
	}
	return slices.Clone(l.Lists["over"])
}
