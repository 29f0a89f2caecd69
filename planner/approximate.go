package planner

import "weft/ops"

// approximations are those of the operators that stages come from.
func approximations(stages []*ops.Stage) (out []Approximation) {
	seen := map[*ops.Instance]bool{}
	for _, s := range stages {
		if s.Op == nil || seen[s.Op] || s.Op.Spec.Approximations == nil {
			continue
		}
		seen[s.Op] = true
		for _, what := range s.Op.Spec.Approximations(s.Op.Call) {
			out = append(out, Approximation{Op: s.Op.Spec.Name, Line: s.Op.Where.Line, What: what})
		}
	}
	return out
}
