package planner

import (
	"slices"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/planner/bounds"
)

// An array that only kernels read is stored as far as their index maps reach, if that saves enough.
const (
	croppedBytes = 64 << 10
	croppedShare = 1.0 / 16
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
	values := bounds.Values{}
	for _, g := range groups {
		values.Store(g.kernel)
	}
	bounding := boundingTables(a.g)
	need := map[*ir.Buffer]region.Region{}
	found := false
	for _, g := range slices.Backward(groups) {
		s, over := g.roots[0], g.kernel.Domain()
		if box, read := need[a.bufs[s]]; len(g.roots) == 1 && read && private(a.g, s) && !bounding[s] {
			if box = s.Type.DimsOf(box); saves(s, box) {
				over, found = box, true
				defer s.Crop(box)
			}
		}
		for buf, at := range bounds.Executed(g.kernel, values).Of(over) {
			need[buf] = need[buf].Hull(at)
		}
	}
	return found
}

// private reports a stage that only kernels read, by the index maps of their loads.
func private(g *graph, s *ops.Stage) bool {
	return !given(s) && !g.wanted[s] && label(s) == "" && !s.Hints().Keep && !s.Unrolled && s.Tall == nil && s.Void == nil && s.Facts == (ir.Facts{})
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
	if bounds.FromFloats(at.x) {
		lo, hi = bounds.Slackened(lo, hi, at.dim.Lo)
	}
	if l.inside == nil {
		l.inside = map[dimIndex]bool{}
	}
	l.inside[at] = ok && lo >= 0 && hi < float64(at.dim.Hi-at.dim.Lo)
	return l.inside[at]
}
