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

// TestConformance runs the suite on rendered code: under schedules drawn at random on the best instruction set, under the
// rules' on the others (package native does the best one), and under the scalar one. WEFT_LONG=1 asks for all of them on
// all instruction sets.
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
			t.Run(target.ISA+"/"+name, func(t *testing.T) {
				t.Parallel()
				conformance.Run(t, &bench{t: t, target: target, choose: choose})
			})
		}
		if !best || long() {
			run("rule", func(k *ir.Kernel) Schedule { return Default(k, target) })
		}
		if target == Portable {
			run("scalar", func(*ir.Kernel) Schedule { return Schedule{} })
		}
		for draw := range *draws {
			if draw == 0 && !best && !long() {
				continue
			}
			rng := rand.New(rand.NewPCG(uint64(draw), 5))
			run(fmt.Sprintf("random%d", draw), func(k *ir.Kernel) Schedule { return anySchedule(rng, k, target) })
		}
		best = false
	}
}
