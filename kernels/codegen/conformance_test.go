package codegen_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"weft/kernels/conformance"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

var draws = flag.Int("draws", 1, "random schedules per kernel and target")

// TestConformance runs the suite on rendered code: under schedules drawn at random on the best instruction set, under the
// rules' on the others (package native does the best one; of the portable one a third, which takes longest to compile), and
// under the scalar one. WEFT_LONG=1 asks for all of them on all instruction sets.
func TestConformance(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles hundreds of kernels for each target")
	}
	best := true
	for _, target := range []schedule.Target{schedule.AVX512, schedule.AVX2, schedule.Portable} {
		if !runs(t, target) {
			t.Logf("this processor does not run %s", target.ISA)
			continue
		}
		run := func(name string, only func(name string) bool, choose func(k *ir.Kernel) schedule.CPU) {
			t.Run(target.ISA+"/"+name, func(t *testing.T) {
				t.Parallel()
				conformance.RunWith(t, &bench{t: t, target: target, choose: choose}, conformance.Policy{Only: only, Apart: target == schedule.Portable})
			})
		}
		if !best || long() {
			var only func(name string) bool
			if target == schedule.Portable && !long() {
				only = third()
			}
			run("rule", only, func(k *ir.Kernel) schedule.CPU { return schedule.Default(k, target) })
		}
		if target == schedule.Portable {
			run("scalar", nil, func(*ir.Kernel) schedule.CPU { return schedule.CPU{} })
		}
		for draw := range *draws {
			if draw == 0 && !best && !long() {
				continue
			}
			rng := rand.New(rand.NewPCG(uint64(draw), 5))
			run(fmt.Sprintf("random%d", draw), nil, func(k *ir.Kernel) schedule.CPU { return anySchedule(rng, k, target) })
		}
		best = false
	}
}

// third picks every third case.
func third() func(name string) bool {
	picked := map[string]bool{}
	for i, c := range conformance.Cases() {
		picked[c.Name] = i%3 == 0
	}
	return func(name string) bool { return picked[name] }
}
