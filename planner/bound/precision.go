package bound

import (
	"fmt"
	"slices"

	"weft/kernels/retype"
	"weft/ops"
	"weft/planner/graph"
)

// Narrowed reports whether an array is stored, or a kernel computes, in fewer digits than its operators say.
func (p *Plan) Narrowed() bool {
	return slices.ContainsFunc(p.Buffers, func(b Buffer) bool { return b.Narrowed() }) ||
		slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Kernel != nil && len(s.Kernel.Precision.Emulated) > 0 })
}

// Value is what a stored element stands for: itself, but for integers that count units.
func (b *Buffer) Value(stored complex128) complex128 {
	switch {
	case b.Units == retype.Units{}:
		return stored
	case b.Array.Type.Elem.Complex:
		return complex(b.Units.Value(real(stored)), b.Units.Value(imag(stored)))
	}
	return complex(b.Units.Value(real(stored)), 0)
}

// Peak is the largest magnitude of an array whose stored elements reach so far; of counted ones, the largest they can hold.
func (b *Buffer) Peak(stored float64) float64 {
	if b.Units == (retype.Units{}) {
		return stored
	}
	return b.Most()
}

// Forced names what @precision asks for in what a stage is made from, the stage included; "" if it asks for nothing narrow.
func (p *Plan) Forced(s *ops.Stage) string {
	seen := map[*ops.Stage]bool{}
	var find func(s *ops.Stage) string
	find = func(s *ops.Stage) string {
		if seen[s] {
			return ""
		}
		seen[s] = true
		if a := s.Hints().Precision; graph.Narrower(a.Storage) || graph.Narrower(a.Compute) || graph.Narrower(a.Accumulate) {
			return fmt.Sprintf("@precision(%s) of %s", a, s.Op.Spec.Name)
		}
		for _, in := range s.Inputs {
			if f := find(in); f != "" {
				return f
			}
		}
		return ""
	}
	return find(s)
}
