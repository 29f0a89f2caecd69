package planner

import (
	"weft/ops"
	"weft/planner/plan"
)

// approximations are those of the operators that stages come from.
func approximations(stages []*ops.Stage) (out []plan.Approximation) {
	seen := map[*ops.Instance]bool{}
	for _, s := range stages {
		if s.Op == nil || seen[s.Op] {
			continue
		}
		seen[s.Op] = true
		a, ok := s.Op.Bound.(ops.Approximator)
		if !ok {
			continue
		}
		for _, what := range a.Approximations() {
			out = append(out, plan.Approximation{Op: s.Op.Spec.Name, Line: s.Op.Where.Line, What: what})
		}
	}
	return out
}
