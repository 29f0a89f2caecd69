package native

import (
	"os"
	"testing"

	"weft/kernels/conformance"
)

// TestConformance compares the best instruction set with the interpreter, under the rule's schedules; with WEFT_LONG=1 every
// one this machine has. (Package render tests their source in every run.)
func TestConformance(t *testing.T) {
	best := open(t, "").target
	for _, l := range levels {
		t.Run(l.target.ISA, func(t *testing.T) {
			if os.Getenv("WEFT_LONG") == "" && l.target != best {
				t.Skip("WEFT_LONG=1 takes the time")
			}
			conformance.RunWith(t, open(t, l.target.ISA), conformance.Policy{Apart: l.macros == nil})
		})
	}
}
