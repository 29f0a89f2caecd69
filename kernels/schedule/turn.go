package schedule

import "weft/kernels/ir"

// Turn is the innermost loop that takes most of a kernel's work, and how many elements each of its turns loads for a point; nil: there is none.
func Turn(k *ir.Kernel) (f *ir.Fold, loads int) {
	s := newSurvey(k, Target{Lanes: 1})
	if f = s.heaviest(); f == nil {
		return nil, 0
	}
	for _, n := range s.nodes {
		if n.Kind == ir.KLoad && s.deepest(n) == f {
			loads++
		}
	}
	return f, loads
}
