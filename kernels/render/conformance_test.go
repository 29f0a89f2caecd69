package render

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"weft/kernels/conformance"
	"weft/kernels/ir"
)

var draws = flag.Int("draws", 1, "random schedules per kernel and target")

// TestConformance runs the suite on rendered code: under the rules' schedule, the scalar one, and schedules drawn at random.
func TestConformance(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles hundreds of kernels for each target")
	}
	best := true
	for _, target := range []Target{AVX512, AVX2, Portable} {
		if !runs(t, target) {
			t.Logf("this processor does not run %s", target.ISA)
			continue
		}
		run := func(name string, choose func(k *ir.Kernel) Schedule) {
			t.Run(target.ISA+"/"+name, func(t *testing.T) { conformance.Run(t, &bench{t: t, target: target, choose: choose}) })
		}
		run("rule", func(k *ir.Kernel) Schedule { return Default(k, target) })
		if target == Portable {
			run("scalar", func(*ir.Kernel) Schedule { return Schedule{} })
		}
		for draw := range *draws {
			if draw == 0 && !best {
				continue // the first draw is for the best instruction set only, to save time
			}
			rng := rand.New(rand.NewPCG(uint64(draw), 5))
			run(fmt.Sprintf("random%d", draw), func(k *ir.Kernel) Schedule { return anySchedule(rng, k, target) })
		}
		best = false
	}
}
