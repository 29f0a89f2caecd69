package emulated

import (
	"math/rand/v2"
	"testing"

	"weft/kernels/conformance"
	"weft/kernels/ir"
	"weft/kernels/render"
)

// TestConformance runs the suite on the CUDA dialect: under the rules' schedules, under schedules drawn at random, with
// folds shared wherever they can be, and on devices whose grids and blocks are tiny, so that blocks take many turns.
func TestConformance(t *testing.T) {
	random := func(seed uint64) func(k *ir.Kernel) []render.CUDASchedule {
		rng := rand.New(rand.NewPCG(seed, 2))
		return func(k *ir.Kernel) []render.CUDASchedule {
			return []render.CUDASchedule{render.AnyCUDASchedule(rng, k)}
		}
	}
	shared := func(n int) func(k *ir.Kernel) []render.CUDASchedule {
		return func(*ir.Kernel) []render.CUDASchedule { return []render.CUDASchedule{{Fold: n, Every: 2}} }
	}
	for _, c := range []struct {
		name, device string
		schedules    func(*ir.Kernel) []render.CUDASchedule
		long         bool
	}{
		{"rule", "{}", nil, false},
		{"random", "{}", random(1), false},
		{"small grid", "{max_grid: [3, 2, 1]}", random(3), false},
		{"one thread", "{max_threads: 1, max_grid: [2, 1, 1]}", nil, true},
		{"shared by a warp", "{}", shared(32), false},
		{"shared by a block", "{}", shared(96), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.long && testing.Short() {
				t.Skip("short run")
			}
			conformance.Run(t, open(t, c.device, Options{Schedules: c.schedules}))
		})
	}
}
