package graph

import (
	"slices"

	"weft/kernels/ir"
	"weft/ops"
)

// Holds reports a condition that nothing but conditions of a program is made from, all of which have to hold, or it stops.
func (g *Graph) Holds(s *ops.Stage) bool {
	if yes, ok := g.holds[s]; ok {
		return yes
	}
	yes := s.Type.Elem.Base == ir.Bool
	taken := len(g.Users[s])
	for _, sink := range g.Sinks {
		if slices.Contains(sink.Inputs, s) {
			_, condition := sink.Op.Bound.(ops.Condition)
			yes, taken = yes && condition, taken+1
		}
	}
	yes = yes && taken > 0 && !slices.ContainsFunc(g.Users[s], func(u *ops.Stage) bool { return !g.Holds(u) })
	if g.holds == nil {
		g.holds = map[*ops.Stage]bool{}
	}
	g.holds[s] = yes
	return yes
}
