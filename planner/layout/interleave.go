package layout

import (
	"slices"

	"weft/kernels/ir"
	"weft/kernels/profile"
	"weft/kernels/schedule/sums"
	"weft/ops"
	"weft/planner/cost"
	"weft/planner/graph"
	"weft/planner/module"
)

// worthView is the share of their time that the kernels must gain which load an array for it to lie in another way: less is within the errors of
// predictions.
const worthView = 0.05

// Interleave has real and imaginary parts of arrays side by side that kernels gather: a lane then takes both from one cache line, by one
// load. Those that stream it are better served by parts that lie apart.
func Interleave(m *module.Module) error {
	return choose(m, scattered, func(v *graph.View, together bool) { v.Interleaved = together })
}

// choose lays arrays in another way where that is worth it, by the times predicted of all kernels that load or store them, by rates that are the
// same on every machine.
func choose(m *module.Module, among func(*module.Module) []*ops.Stage, lay func(v *graph.View, so bool)) error {
	if m.Device.Rules == nil {
		return nil
	}
	candidates := among(m)
	if len(candidates) == 0 {
		return nil
	}
	as := func(s *ops.Stage, so bool) {
		v := m.Views[s]
		lay(&v, so)
		m.Views[s] = v
	}
	model := &cost.Model{Kind: m.Device.Kind, Rules: m.Device.Rules, Profile: profile.Default(1)}
	before, loads := times(m, model, candidates)
	for _, s := range candidates {
		as(s, true)
	}
	m.Assemble()
	after, _ := times(m, model, candidates)
	lost := false
	for i, s := range candidates {
		if before[i]-after[i] < worthView*loads[i] {
			as(s, false)
			lost = true
		}
	}
	if lost {
		m.Assemble()
	}
	return nil
}

// scattered are the complex arrays that no sink takes and of which some kernel loads both parts at places that it computes.
func scattered(m *module.Module) (out []*ops.Stage) {
	for _, k := range m.Kernels {
		seen := map[*ir.Buffer]bool{}
		k.IR.Walk(func(n *ir.Node) {
			if n.Kind == ir.KLoad && n.Buf.Type == ir.F32 && computed(n.Index()) {
				seen[n.Buf] = true
			}
		})
		for _, s := range k.Loads {
			parts := m.Arrays.Of(s)
			if s.Type.Elem.Complex && s.Type.Format == nil && graph.Pairs(s) && !m.Wanted[s] && !s.Hints().Keep && s.Put == nil && s.Tall == nil &&
				seen[parts[0]] && seen[parts[1]] && !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// computed reports an index that follows from floats or from elements.
func computed(index []*ir.Node) (yes bool) {
	ir.WalkNodes(index, func(n *ir.Node) { yes = yes || n.Type.Float() || n.Kind == ir.KLoad })
	return yes
}

// times are what the kernels that load or store each of some stages are predicted to take, and those alone that load it, in seconds.
func times(m *module.Module, model *cost.Model, of []*ops.Stage) (all, loads []float64) {
	all, loads = make([]float64, len(of)), make([]float64, len(of))
	for _, k := range m.Kernels {
		took := -1.0
		for i, s := range of {
			reads := slices.Contains(k.Loads, s)
			if !reads && !slices.Contains(k.Roots, s) {
				continue
			}
			if took < 0 {
				took = model.Busy(sums.Ready(k.IR)) // as it will be
			}
			if all[i] += took; reads {
				loads[i] += took
			}
		}
	}
	return all, loads
}
