package graph

import (
	"fmt"
	"strings"

	"weft/kernels/ir"
	"weft/ops"
	"weft/planner/plan"
)

// Key names a stage within its program, the same in every planning of it.
func Key(s *ops.Stage) string {
	if s.Op == nil {
		return s.Name
	}
	return fmt.Sprintf("%d.%s", s.Op.ID, s.Name)
}

// Label is the variable an operator's result is held by; inner stages have none.
func Label(s *ops.Stage) string {
	if s.Op == nil || s.Name != s.Op.Spec.Name {
		return ""
	}
	return s.Op.Label
}

// ArithmeticOf is what a stage asks its arithmetic to be in: stages that disagree are not computed in one kernel, where one of them has no
// sums only if they disagree about what is not summed.
func ArithmeticOf(s *ops.Stage) plan.Choice {
	asked := s.Hints().Precision
	c := plan.Choice{Compute: asked.Compute, Accumulate: asked.Accumulate}
	if c.Compute == ir.F32 {
		c.Compute = 0
	}
	return c
}

// AskedTile is what @tile says of the stages a kernel stores; nil when it says nothing.
func AskedTile(roots []*ops.Stage) map[string]int {
	var out map[string]int
	for _, r := range roots {
		for dim, n := range r.Hints().Tile {
			if out == nil {
				out = map[string]int{}
			}
			out[dim] = n
		}
	}
	return out
}

// Variable is how a pipeline names a result of an operator: by the variable that holds it, or the record that it is in.
func Variable(s *ops.Stage) string {
	if !s.IsOutput() || s.Op.Label == "" {
		return ""
	}
	return s.Op.Label + strings.TrimPrefix(s.Name, s.Op.Spec.Name)
}

// Narrower reports whether a type has fewer digits than f32.
func Narrower(t ir.DType) bool { return t == ir.F16 || t == ir.BF16 || t.Int() }
