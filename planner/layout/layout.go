// Package layout decides how arrays that only kernels read lie in memory: their last dims in which order, which part of them, and with
// which margins.
package layout

import (
	"weft/kernels/ir"
	"weft/ops"
	"weft/planner/graph"
	"weft/planner/module"
)

// Transpose lays stages out with their last two dims in the other order where all their readers on the device run faster so.
func Transpose(m *module.Module) error {
	prefers := m.Device.Rules
	if prefers == nil {
		return nil
	}
	votes, readers := map[*ir.Buffer]int{}, map[*ops.Stage]int{}
	for _, k := range m.Kernels {
		for _, buf := range prefers.Transposed(k.IR) {
			votes[buf]++
		}
		for _, s := range k.Loads {
			readers[s]++
		}
	}
	found := false
	for _, k := range m.Kernels {
		s := k.Roots[0]
		if len(k.Roots) == 1 && free(m.Graph, s) && readers[s] > 0 && votes[m.Arrays.Of(s)[0]] == readers[s] {
			m.Views[s] = graph.View{Transposed: true}
			found = true
		}
	}
	if found {
		m.Assemble()
	}
	return nil
}

// free reports whether the layout of a stage in memory concerns kernels alone: inner, real, one element a point.
func free(g *graph.Graph, s *ops.Stage) bool {
	return !graph.Given(s) && !g.Wanted[s] && !s.IsOutput() && !s.Type.Elem.Complex &&
		!s.Unrolled && s.Put == nil && s.Tall == nil && s.Facts == (ir.Facts{}) && len(s.Type.Dims) > 2
}
