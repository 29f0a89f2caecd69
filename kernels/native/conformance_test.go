package native

import (
	"testing"

	"weft/kernels/conformance"
)

// TestConformance compares every instruction set this machine has (the best one, in a short run) with the interpreter,
// under the rule's schedules.
func TestConformance(t *testing.T) {
	best := open(t, "").target
	for _, l := range levels {
		t.Run(l.target.ISA, func(t *testing.T) {
			if testing.Short() && l.target != best {
				t.Skip("short run")
			}
			conformance.Run(t, open(t, l.target.ISA))
		})
	}
}
