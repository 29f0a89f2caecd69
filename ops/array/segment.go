package array

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/operand"
	"weft/ops/problem"
)

// segment is the part of a dim that a reduction goes through: for each element of the result its own.
type segment struct {
	dim  int // of the array
	ends [2]end
	dims []ops.Dim // of the result: those of the ends, then those of the array that stay
	pick []int     // the dims of the result that are those of the array that stay
}

// end is the first or the last index of a segment.
type end struct {
	operand.Operand
	at   int // which of the arrays of the argument it is
	less int // what it is more than the index
}

// overOf finds the dims that a reduction goes through, in the order of the array, and the segment if it goes through a part of one.
func overOf(c *ops.Call, t ops.Type) ([]int, *segment, error) {
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
	s, err := newSegment(parts[0], args[0], t, over)
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

func newSegment(of ops.Segment, arg string, t ops.Type, over []int) (*segment, error) {
	s := &segment{dim: t.Dim(of.Dim)}
	n := t.Dims[s.dim].Size
	var errs []error
	var joined []operand.Operand
	if t.Dims[s.dim].Count != nil && !of.Count {
		errs = append(errs, problem.Wrong(problem.WrongDims, arg, "pack with at_most gives a size that is known", "a part of %s may lie behind the last element: this is %s", of.Dim, t))
	}
	arrays := 0
	for i, v := range []ops.Value{of.From, of.To} {
		e := &s.ends[i]
		*e = end{Operand: operand.New(arg+[...]string{".from", ".to"}[i], v)}
		if !e.Scalar {
			e.at, arrays = arrays, arrays+1
		}
		if of.Count && i == 1 {
			e.less = 1
		} else {
			errs = append(errs, e.check(of.Dim, i, n))
		}
		for _, d := range over {
			if e.Type.Dim(t.Dims[d].Name) >= 0 {
				errs = append(errs, problem.Wrong(problem.DuplicateDim, e.Name,
					"reduce first through the part, then over the rest: sum(sum(a, over: k in first .. last), over: row)",
					"the ends of a part of %s differ along %s, which is reduced as well", of.Dim, t.Dims[d].Name))
			}
		}
		joined = append(joined, e.Operand)
	}
	joined = append(joined, operand.Operand{Name: "a", Type: ops.Type{Dims: operand.Without(t.Dims, over)}})
	dims, err := operand.Broadcast("over", joined)
	if err := errors.Join(append(errs, err)...); err != nil {
		return nil, err
	}
	s.dims, s.ends[0].Pick, s.ends[1].Pick, s.pick = dims, joined[0].Pick, joined[1].Pick, joined[2].Pick
	return s, nil
}

// check finds what is wrong with an end, the last one of which lies one before the next segment.
func (e *end) check(dim string, last, n int) error {
	if k := e.Value.Kind(); k&(ops.KNumber|ops.KArray) == 0 {
		return problem.Wrong(problem.WrongKind, e.Name, "", "a part of %s goes from one index to another, and this is %s", dim, k)
	}
	if !e.Whole() {
		return problem.Wrong(problem.NotWhole, e.Name, "round gives whole numbers",
			"a part of %s goes from one index to another, and this is no whole number: %s", dim, e.Value)
	}
	return within(e.Operand, "these ends", dim, "; a part that ends before it begins is empty", -last, n-last, n)
}

// within checks that whole numbers lie between two of them: the indices of a dim of n elements, but for an end of nothing.
func within(p operand.Operand, what, dim, besides string, least, most, n int) error {
	lo, hi, nan, ok := 0.0, 0.0, false, true
	if a, array := p.Value.(ops.Array); array {
		lo, hi, nan, ok = ops.Bounds(a)
	} else {
		lo, hi = p.SI(), p.SI()
	}
	help := fmt.Sprintf("bound them by clamp(..., 0, %d)%s", n-1, besides)
	switch {
	case !ok || nan:
		return problem.Wrong(problem.PlaceOutside, p.Name, help, "nothing is known of where %s along %s lie, and there are 0 to %d", what, dim, n-1)
	case lo < float64(least) || hi > float64(most):
		return problem.Wrong(problem.PlaceOutside, p.Name, help, "%s along %s may lie from %.10g to %.10g, and there are 0 to %d", what, dim, lo, hi, n-1)
	}
	return nil
}

// in is the end in the loop over a dim of n elements at an index of the result: the last one lies one further.
func (e *end) in(b *ops.Body, stages []*ops.Stage, index []*ir.Node, beyond, n int) *ir.Node {
	if e.Scalar {
		return b.I32(int(e.SI()) + beyond)
	}
	beyond -= e.less
	x := stages[e.at].At(b, operand.Picked(index, e.Pick)...).Re
	if x.Type.Float() {
		x = b.Cast(ir.I64, x)
	}
	// In their own type: a file may have changed since it was looked at.
	if lo, hi, ok := ir.SureRange(x, nil); !ok || lo < float64(-beyond) || hi > float64(n-beyond) {
		x = b.Max(b.Int(x.Type, int64(-beyond)), b.Min(b.Int(x.Type, int64(n-beyond)), x))
	}
	return b.Add(b.Cast(ir.I32, x), b.I32(beyond))
}

// loop is where the loop over the segment's dim begins and ends.
func (s *segment) loop(b *ops.Body, stages []*ops.Stage, index []*ir.Node, n int) (lo, hi *ir.Node) {
	return s.ends[0].in(b, stages, index, 0, n), s.ends[1].in(b, stages, index, 1, n)
}

// at are the first and last index of the part at an index of what the ends are joined with.
func (s *segment) at(in map[string]ops.Dense, index []int) (ends [2]int) {
	for k, e := range s.ends {
		if e.Scalar {
			ends[k] = int(e.SI())
			continue
		}
		d, at := in[ops.ReferenceKey("over", e.at)], 0
		for j, stride := range d.Strides() {
			at += index[e.Pick[j]] * stride
		}
		ends[k] = int(real(d.At(at))) - e.less
	}
	return ends
}

// dense reduces the parts of an array.
func (s *segment) dense(r *reduce, in map[string]ops.Dense) ops.Dense {
	a := in["a"]
	out := ops.NewDense(r.out.Elem.Complex, r.out.Shape()...)
	strides := a.Strides()
	stay := kept(ops.Type{Dims: make([]ops.Dim, len(a.Shape))}, r.over)
	var shape []int
	for _, d := range r.over {
		shape = append(shape, a.Shape[d])
	}
	for i, index := range ops.Indices(out.Shape) {
		ends := s.at(in, index)
		first := 0
		for j, d := range stay {
			first += index[s.pick[j]] * strides[d]
		}
		var group []complex128
		var places []int
		for flat, steps := range ops.Indices(shape) {
			at, within := first, true
			for j, d := range r.over {
				at += steps[j] * strides[d]
				within = within && (d != s.dim || ends[0] <= steps[j] && steps[j] <= ends[1])
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
func endsOf(l *ops.Lowering, s *segment) []*ops.Stage {
	if s == nil {
		return nil
	}
	return slices.Clone(l.Lists["over"])
}
