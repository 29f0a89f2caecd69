package schedule

import (
	"math"

	"weft/kernels/ir"
)

// Needed is the condition without which a turn of a sum adds nothing: all its terms are 0 then. nil: there is none.
func Needed(f *ir.Fold) (cond *ir.Node) {
	if f.Monoid != ir.Sum || f.While != nil || !Innermost(f) {
		return nil
	}
	for q, acc := range f.Accs {
		terms, ok := SumTerms(f, f.Step[q], acc)
		if first := f.Init[q]; !ok || first.Kind != ir.KConst || first.F == 0 && math.Signbit(first.F) { // -0 and 0 are 0
			return nil
		}
		for _, t := range terms {
			n := t.N
			for n.Kind == ir.KAlu && n.Op == ir.Cast {
				n = n.Args[0]
			}
			if n.Kind != ir.KAlu || n.Op != ir.Select || !n.Args[2].IsConst(0) || cond != nil && cond != n.Args[0] {
				return nil
			}
			cond = n.Args[0]
		}
	}
	return cond
}

// worthTesting is how much work a turn must have besides its condition for a test to be worth its while, in additions.
const worthTesting = 24

// saves reports a sum whose turns are worth a test whether they add anything.
func (s *survey) saves(f *ir.Fold) bool {
	cond := Needed(f)
	if cond == nil {
		return false
	}
	work := 0.0
	for _, n := range s.nodes {
		if s.deepest(n) == f {
			work += s.weight(n)
		}
	}
	ir.WalkNodes([]*ir.Node{cond}, func(n *ir.Node) {
		if s.deepest(n) == f {
			work -= s.weight(n)
		}
	})
	return work >= worthTesting
}
