package planner

import (
	"math"
	"slices"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
)

// An array that only kernels read is stored as far as their index maps reach, if that saves enough.
const (
	croppedBytes = 64 << 10
	croppedShare = 1.0 / 16
)

// Devices round square roots and the like each in its own way, and fused operations once where others do twice. An index made from
// floats may so differ from what intervals say by a few units in the last place of a single-precision value.
const (
	indexSlack    = 2
	relativeSlack = 1e-5
)

// reachedOf describes what a stage was cropped to; nil if it was not.
func reachedOf(s *ops.Stage) *Reached {
	box := s.Box()
	if box == nil {
		return nil
	}
	whole := s.Whole()
	r := &Reached{SavedBytes: whole.Bytes() - s.Type.Bytes()}
	for i, at := range box {
		if d := whole.Dims[i]; at.Hi-at.Lo < d.Size {
			r.Dims = append(r.Dims, ReachedDim{Name: d.Name, Lo: at.Lo, Hi: at.Hi, Of: d.Size})
		}
	}
	return r
}

// countSaved finds the operations saved, of a kernel that stores nothing else.
func countSaved(r *Reached, flops float64, g *group) {
	if r != nil {
		t, whole := g.roots[0].Type, g.roots[0].Whole()
		r.SavedFlops = flops * float64(whole.Len()-t.Len()) / float64(t.Len())
	}
}

// crop makes stages that only kernels read hold no more than these reach, and reports whether there are any: kernels must then be
// built again. Readers come first, since what they hold decides what they reach.
func crop(a *assembler, groups []*group) bool {
	r := reach{need: map[*ops.Stage]region.Region{}, stages: map[*ir.Buffer]*ops.Stage{}, values: map[*ir.Buffer]span{}}
	for s, buf := range a.bufs {
		r.stages[buf] = s
	}
	for _, g := range groups {
		r.store(g)
	}
	bounding := boundingTables(a.g)
	found := false
	for _, g := range slices.Backward(groups) {
		s := g.roots[0]
		over := region.Whole(s.Type.Shape()...)
		if box := r.need[s]; len(g.roots) == 1 && box != nil && private(a.g, s) && !bounding[s] && saves(s, box) {
			over, found = box, true
			defer s.Crop(box)
		}
		r.read(g, over)
	}
	return found
}

// private reports a stage that only kernels read, by the index maps of their loads.
func private(g *graph, s *ops.Stage) bool {
	return !given(s) && !g.wanted[s] && label(s) == "" && !annotated(s, "keep") && !s.Unrolled && s.Tall == nil && s.Void == nil && s.Facts == (ir.Facts{})
}

// boundingTables are the stages by which loops over others are cut short: renderers read them as they like.
func boundingTables(g *graph) map[*ops.Stage]bool {
	out := map[*ops.Stage]bool{}
	for _, s := range g.stages {
		for _, t := range s.Tall.Stages() {
			out[t] = true
		}
	}
	return out
}

// saves reports a box that leaves out enough of a stage.
func saves(s *ops.Stage, box region.Region) bool {
	less := float64(s.Type.Len()) - float64(box.Points())
	return !box.Empty() && less >= croppedShare*float64(s.Type.Len()) && less*float64(s.Type.Elem.Size()) >= croppedBytes
}

// reach gathers what kernels read of each stage: a box, by interval analysis of the indices of its loads.
type reach struct {
	need   map[*ops.Stage]region.Region
	stages map[*ir.Buffer]*ops.Stage
	values map[*ir.Buffer]span // of stored arrays, where they are finite
}

// store bounds the values that a kernel stores as they are.
func (r *reach) store(g *group) {
	for _, st := range g.kernel.Stores {
		if st.Combine != ir.Ordered || st.Buf.Type != st.Value.Type {
			continue
		}
		lo, hi, _ := ir.RangeOf(st.Value, r.value)
		if was, ok := r.values[st.Buf]; ok {
			lo, hi = min(lo, was.lo), max(hi, was.hi)
		}
		r.values[st.Buf] = span{lo, hi}
	}
}

// value bounds what a load reads.
func (r *reach) value(n *ir.Node) (lo, hi float64, ok bool) {
	if n.Kind != ir.KLoad {
		return 0, 0, false
	}
	v, ok := r.values[n.Buf]
	return v.lo, v.hi, ok
}

// read adds what a kernel reads to compute a box of what it stores.
func (r *reach) read(g *group, over region.Region) {
	axes := g.kernel.Axes
	known := func(n *ir.Node) (lo, hi float64, ok bool) {
		i := slices.Index(axes, n)
		if i < 0 || i >= len(over) {
			return r.value(n)
		}
		return float64(over[i].Lo), float64(over[i].Hi - 1), true
	}
	g.kernel.Walk(func(n *ir.Node) {
		if n.Kind != ir.KLoad {
			return
		}
		s := r.stages[n.Buf]
		index := n.Index()
		if s.Type.Elem.Complex {
			index = index[1:] // of the plane
		}
		need := r.need[s]
		if need == nil {
			need = make(region.Region, len(index))
			r.need[s] = need
		}
		for i, x := range index {
			lo, hi, _ := ir.RangeOf(x, known)
			lo, hi = slackened(x, lo, hi, 0)
			first, last := max(lo, 0), min(hi, float64(s.Type.Dims[i].Size-1))
			if first <= last {
				need[i] = need[i].Hull(region.Interval{Lo: int(first), Hi: int(last) + 1})
			}
		}
	})
}

// slackened widens the range of an index that is made from floats, less start.
func slackened(index *ir.Node, lo, hi float64, start int) (float64, float64) {
	float := false
	ir.WalkNodes([]*ir.Node{index}, func(n *ir.Node) { float = float || n.Type.Float() })
	if !float {
		return lo, hi
	}
	slack := func(x float64) float64 { return indexSlack + relativeSlack*math.Abs(x+float64(start)) }
	return math.Ceil(lo - slack(lo)), math.Floor(hi + slack(hi))
}

// unproven is what remains of a guard of a load when conjuncts go that keep an index in its dim where it always lies there; nil if
// nothing does. Of two for an index both go or none: padding makes both needless.
func (l *lowerer) unproven(guard *ir.Node, index []*ir.Node, s *ops.Stage) *ir.Node {
	box := s.Box()
	if box == nil {
		box = region.Whole(s.Type.Shape()...)
	}
	var rest *ir.Node
	for _, c := range ir.Conjuncts(guard, nil) {
		proven := false
		for i, x := range index {
			size := s.Type.Dims[i].Size
			proven = proven || (ir.IsLower(c, x) || ir.IsUpper(c, x, int64(size))) && l.always(dimIndex{x, box[i]})
		}
		switch {
		case proven:
		case rest == nil:
			rest = c
		default:
			rest = l.body.And(rest, c)
		}
	}
	return rest
}

// dimIndex is an index, less where the dim starts, into a dim.
type dimIndex struct {
	x   *ir.Node
	dim region.Interval
}

// always reports an index that lies in its dim whatever the point.
func (l *lowerer) always(at dimIndex) bool {
	if known, ok := l.inside[at]; ok {
		return known
	}
	lo, hi, ok := ir.SureRange(at.x, nil)
	lo, hi = slackened(at.x, lo, hi, at.dim.Lo)
	if l.inside == nil {
		l.inside = map[dimIndex]bool{}
	}
	l.inside[at] = ok && lo >= 0 && hi < float64(at.dim.Hi-at.dim.Lo)
	return l.inside[at]
}
