package layout

import (
	"slices"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/planner/bounds"
	"weft/planner/graph"
	"weft/planner/module"
	"weft/planner/plan"
)

// An array that only kernels read is stored as far as their index maps reach, if that saves enough.
const (
	croppedBytes = 64 << 10
	croppedShare = 1.0 / 16
)

// Crop sees of stages that only kernels read no more than these reach. Readers come first, since what they hold decides what they reach.
func Crop(m *module.Module) error {
	values := bounds.Values{}
	for _, k := range m.Kernels {
		values.Store(k.IR)
	}
	bounding := boundingTables(m.Graph)
	need := map[*ir.Buffer]region.Region{}
	found := map[*ops.Stage]region.Region{}
	for _, k := range slices.Backward(m.Kernels) {
		s, over := k.Roots[0], k.IR.Domain()
		var box region.Region // of all parts
		for _, part := range m.Arrays.Bufs[s] {
			box = box.Hull(need[part])
		}
		if n := len(box); n > 0 && m.Views[s].Interleaved {
			box = box.Along(n-1, region.Interval{Hi: 2})
		}
		if len(k.Roots) == 1 && box != nil && private(m.Graph, s) && !bounding[s] && saves(m.Type(s), box) {
			over, found[s] = box[:len(over)], box
		}
		for buf, at := range bounds.Executed(k.IR, values).Of(over) {
			need[buf] = need[buf].Hull(at)
		}
	}
	for s, box := range found {
		v := m.Views[s]
		v.Box = box
		m.Views[s] = v
	}
	if len(found) > 0 {
		m.Assemble()
	}
	margins(m)
	return nil
}

// Reached describes what is seen of a stage; nil if all is.
func Reached(g *graph.Graph, s *ops.Stage) *plan.Reached {
	box := g.Views[s].Box
	if box == nil {
		return nil
	}
	whole, t := g.Whole(s), g.Type(s)
	r := &plan.Reached{SavedBytes: whole.Bytes() - t.Bytes()}
	for i, at := range box {
		if d := whole.Dims[i]; at.Hi-at.Lo < d.Size {
			r.Dims = append(r.Dims, plan.ReachedDim{Name: d.Name, Lo: at.Lo, Hi: at.Hi, Of: d.Size})
		}
	}
	return r
}

// CountSaved finds the operations saved, of a kernel that stores nothing else.
func CountSaved(g *graph.Graph, r *plan.Reached, flops float64, root *ops.Stage) {
	if r != nil {
		t, whole := g.Type(root), g.Whole(root)
		r.SavedFlops = flops * float64(whole.Len()-t.Len()) / float64(t.Len())
	}
}

// private reports whether only kernels read a stage, by the index maps of their loads.
func private(g *graph.Graph, s *ops.Stage) bool {
	return !graph.Given(s) && !g.Wanted[s] && graph.Label(s) == "" && !s.Hints().Keep &&
		s.Put == nil && s.Tall == nil && s.Void == nil && s.Facts == (ir.Facts{})
}

// boundingTables are the stages by which loops over others are cut short: renderers read them as they like.
func boundingTables(g *graph.Graph) map[*ops.Stage]bool {
	out := map[*ops.Stage]bool{}
	for _, s := range g.Stages {
		for _, t := range s.Tall.Stages() {
			out[t] = true
		}
	}
	return out
}

// saves reports whether a box leaves out enough of a stage.
func saves(t ops.Type, box region.Region) bool {
	less := float64(t.Len()) - float64(box.Points())
	return !box.Empty() && less >= croppedShare*float64(t.Len()) && less*float64(t.Elem.Size()) >= croppedBytes
}
