package planner

import (
	"slices"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/ops"
)

// layOut exchanges in memory the last two dims of stages that all their readers on the device had better find so, and reports
// whether there are any: kernels must then be built again.
func layOut(a *assembler, groups []*group, prefers device.Layouts) bool {
	if prefers == nil {
		return false
	}
	votes := map[*ir.Buffer]int{}
	for _, g := range groups {
		for _, buf := range prefers.SideBySide(g.kernel) {
			votes[buf]++
		}
	}
	found := false
	for _, g := range groups {
		s := g.roots[0]
		if len(g.roots) > 1 || !free(a.g, s) {
			continue
		}
		readers := 0
		for _, r := range groups {
			if slices.Contains(r.loads, s) {
				readers++
			}
		}
		if readers > 0 && votes[a.buffer(s)] == readers {
			s.Exchange()
			found = true
		}
	}
	return found
}

// free reports a stage whose layout in memory is nobody's business but the kernels': inner, real, one element a point.
func free(g *graph, s *ops.Stage) bool {
	return !given(s) && !g.wanted[s] && !s.IsOutput() && !s.Type.Elem.Complex && !s.Unrolled && s.Tall == nil && s.Facts == (ir.Facts{}) && len(s.Type.Dims) > 2
}
