package operand

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/problem"
)

// Segment is the part of a dim that something goes through: for each element of the result its own.
type Segment struct {
	Dim  int // of the array
	Ends [2]End
	held int       // which of the arrays of the argument says how many elements there are; -1: all
	Dims []ops.Dim // of the result: those of the ends, then those of the array that stay
	Pick []int     // the dims of the result that are those of the array that stay
}

// End is the first or the last index of a segment.
type End struct {
	Operand
	at   int // which of the arrays of the argument it is
	less int // what it is more than the index
}

// NewSegment finds a segment that an argument gives for an array, along one of the dims that something goes over.
func NewSegment(of ops.Segment, arg string, t ops.Type, over []int) (*Segment, error) {
	s := &Segment{Dim: t.Dim(of.Dim), held: -1}
	n := t.Dims[s.Dim].Size
	var errs []error
	var joined []Operand
	arrays := 0
	for i, v := range []ops.Value{of.From, of.To} {
		e := &s.Ends[i]
		*e = End{Operand: New(arg+[...]string{".from", ".to"}[i], v)}
		if !e.Scalar {
			e.at, arrays = arrays, arrays+1
		}
		if of.Count && i == 1 {
			e.less = 1
		} else {
			errs = append(errs, e.check(of, i, n))
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
	joined = append(joined, Operand{Name: "a", Type: ops.Type{Dims: Without(t.Dims, over)}})
	if of.Within != nil {
		s.held = arrays
	}
	dims, err := Broadcast("over", joined)
	if err := errors.Join(append(errs, err)...); err != nil {
		return nil, err
	}
	s.Dims, s.Ends[0].Pick, s.Ends[1].Pick, s.Pick = dims, joined[0].Pick, joined[1].Pick, joined[2].Pick
	return s, nil
}

// check finds what is wrong with an end, the last one of which lies one before the next segment. Where only a run knows how many elements there
// are, it holds the ends at these.
func (e *End) check(of ops.Segment, last, n int) error {
	dim := of.Dim
	if k := e.Value.Kind(); k&(ops.KNumber|ops.KArray) == 0 {
		return problem.Wrong(problem.WrongKind, e.Name, "", "a part of %s goes from one index to another, and this is %s", dim, k)
	}
	if !e.Whole() {
		return problem.Wrong(problem.NotWhole, e.Name, "round gives whole numbers",
			"a part of %s goes from one index to another, and this is no whole number: %s", dim, e.Value)
	}
	if of.Within != nil {
		return nil
	}
	return Within(e.Operand, "these ends", dim, "; a part that ends before it begins is empty", -last, n-last, n)
}

// Within checks that whole numbers lie between two of them: the indices of a dim of n elements, but for an end of nothing.
func Within(p Operand, what, dim, besides string, least, most, n int) error {
	lo, hi, nan, ok := 0.0, 0.0, false, true
	if a, array := p.Value.(ops.Array); array {
		lo, hi, nan, ok = ops.BoundsWithin(a, float64(least), float64(most))
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
func (e *End) in(b *ops.Body, stages []*ops.Stage, index []*ir.Node, beyond, n int) *ir.Node {
	if e.Scalar {
		return b.I32(int(e.SI()) + beyond)
	}
	beyond -= e.less
	x := stages[e.at].At(b, Picked(index, e.Pick)...).Re
	if x.Type.Float() {
		x = b.Cast(ir.I64, x)
	}
	// In their own type: a file may have changed since it was looked at.
	if lo, hi, ok := ir.SureRange(x, nil); !ok || lo < float64(-beyond) || hi > float64(n-beyond) {
		x = b.Max(b.Int(x.Type, int64(-beyond)), b.Min(b.Int(x.Type, int64(n-beyond)), x))
	}
	return b.Add(b.Cast(ir.I32, x), b.I32(beyond))
}

// Loop is where the loop over the segment's dim begins and ends.
func (s *Segment) Loop(b *ops.Body, stages []*ops.Stage, index []*ir.Node, n int) (lo, hi *ir.Node) {
	lo, hi = s.Ends[0].in(b, stages, index, 0, n), s.Ends[1].in(b, stages, index, 1, n)
	if s.held >= 0 {
		hi = b.Min(hi, b.Cast(ir.I32, stages[s.held].At(b).Re))
	}
	return lo, hi
}

// At are the first and last index of the part at an index of what the ends are joined with.
func (s *Segment) At(in map[string]ops.Dense, index []int) (ends [2]int) {
	for k, e := range s.Ends {
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
	if s.held >= 0 {
		ends[1] = min(ends[1], int(real(in[ops.ReferenceKey("over", s.held)].At(0)))-1)
	}
	return ends
}

// Filled is the Expand of operators that need to know how many elements there are, for arrays of which only a run does: what follows the last
// element is what fill says for an argument, and of what the operator makes there are as many as there were.
func Filled(fill func(e ops.Expander, arg string, a ops.Array) ops.Value) func(*ops.Call, ops.Expander) (ops.Value, error) {
	return func(c *ops.Call, e ops.Expander) (ops.Value, error) {
		args := maps.Clone(c.Args)
		var dims []ops.Dim
		for _, p := range c.Spec.Params {
			for {
				a, _ := args[p.Name].(ops.Array)
				d := countedDim(a)
				if d == nil {
					break
				}
				with := fill(e, p.Name, a)
				if with == nil {
					return nil, nil
				}
				if args[p.Name] = e.Apply("filled", map[string]ops.Value{"a": a, "with": with, "along": ops.Symbol(d.Name)}); args[p.Name] == nil {
					return nil, nil
				}
				dims = append(dims, *d)
			}
		}
		made := e.Apply(c.Spec.Name, args)
		for _, d := range dims {
			a, ok := made.(ops.Array)
			if k := -1; ok {
				if k = a.Type().Dim(d.Name); k >= 0 && a.Type().Dims[k].Count == nil {
					made = e.Apply("leading", map[string]ops.Value{"a": a, "count": *d.Count, "along": ops.Symbol(d.Name)})
				}
			}
		}
		return made, nil
	}
}

// Counted reports whether only a run knows how many elements there are in an argument.
func Counted(c *ops.Call) (counted bool) {
	c.Arrays(func(_ string, a ops.Array) { counted = counted || countedDim(a) != nil })
	return counted
}

func countedDim(a ops.Array) *ops.Dim {
	if a.Of == nil {
		return nil
	}
	i := slices.IndexFunc(a.Type().Dims, func(d ops.Dim) bool { return d.Count != nil })
	if i < 0 {
		return nil
	}
	return &a.Type().Dims[i]
}
