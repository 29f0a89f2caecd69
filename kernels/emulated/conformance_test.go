package emulated

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"weft/kernels/codegen/cuda"
	"weft/kernels/conformance"
	"weft/kernels/ir"
	"weft/kernels/schedule"
	"weft/kernels/schedule/draw"
)

// TestConformance runs the suite on the CUDA dialect: under the rules' schedules, under schedules drawn at random, with
// folds shared or culled wherever they can be, and on devices whose grids and blocks are tiny, so that blocks take many turns.
func TestConformance(t *testing.T) {
	random := func(seed uint64) func(k *ir.Kernel) []schedule.CUDA {
		rng := rand.New(rand.NewPCG(seed, 2))
		return func(k *ir.Kernel) []schedule.CUDA {
			return []schedule.CUDA{draw.CUDA(rng, k)}
		}
	}
	shared := func(n int) func(k *ir.Kernel) []schedule.CUDA {
		return func(*ir.Kernel) []schedule.CUDA { return []schedule.CUDA{{Fold: n, Every: 2}} }
	}
	culled := func(vote bool) func(k *ir.Kernel) []schedule.CUDA {
		return func(k *ir.Kernel) []schedule.CUDA {
			s := schedule.CUDA{Every: 3, Skip: true, Vote: vote}
			for a := range k.Axes[:min(2, len(k.Axes))] {
				s.Block = append(s.Block, schedule.AxisN{Axis: a, N: 8})
			}
			return []schedule.CUDA{s}
		}
	}
	tiles := func(y, x int) func(k *ir.Kernel) []schedule.CUDA {
		return func(k *ir.Kernel) []schedule.CUDA {
			s := schedule.CUDA{}
			if n := len(k.Axes); n > 0 {
				s.Block = append(s.Block, schedule.AxisN{Axis: n - 1, N: x})
			}
			if n := len(k.Axes); n > 1 {
				s.Block = append(s.Block, schedule.AxisN{Axis: n - 2, N: y})
				s.Unroll = []schedule.AxisN{{Axis: 0, N: 2}}
			}
			return []schedule.CUDA{s.WithSharedTiles(k, 0, 40<<10)}
		}
	}
	registers := func(k *ir.Kernel) []schedule.CUDA { // blocks of registers, as for large products
		if n := len(k.Axes); n > 1 {
			s := schedule.CUDA{Block: []schedule.AxisN{{Axis: n - 1, N: 4}, {Axis: n - 2, N: 2}}, Unroll: []schedule.AxisN{{Axis: n - 2, N: 8}, {Axis: n - 1, N: 4}}, Together: true, AccBlock: 32}
			if s.Check(k) == nil {
				return []schedule.CUDA{s}
			}
		}
		return []schedule.CUDA{{}}
	}
	beside := func(each int) func(k *ir.Kernel) []schedule.CUDA { // frames of a batch
		return func(k *ir.Kernel) []schedule.CUDA {
			if n := len(k.Axes); n > 1 {
				s := schedule.CUDA{Block: []schedule.AxisN{{Axis: n - 1, N: 4}, {Axis: n - 2, N: 2}}, Unroll: []schedule.AxisN{{Axis: n - 1, N: each}}, Together: true}
				if s.Check(k) == nil {
					return []schedule.CUDA{s}
				}
			}
			return []schedule.CUDA{{}}
		}
	}
	// Threads that wait for each other take long here, so that kernels that only compute go without.
	named := func(prefixes ...string) func(name string) bool {
		return func(name string) bool {
			return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
		}
	}
	neighbours := named("stencil", "coarser", "filter", "products")
	folds, marches := map[string]bool{}, map[string]bool{}
	for _, c := range conformance.Cases() {
		c.Kernel.Walk(func(n *ir.Node) {
			if n.Kind == ir.KFold {
				m := n.Fold.Monoid
				folds[c.Name] = folds[c.Name] || m != ir.Ordered
				marches[c.Name] = marches[c.Name] || m == ir.Any || m == ir.All
			}
		})
		marches[c.Name] = marches[c.Name] || strings.HasPrefix(c.Name, "march")
		for _, s := range []func(*ir.Kernel) []schedule.CUDA{tiles(3, 16), tiles(1, 40)} {
			if out, err := cuda.Render(c.Kernel, s(c.Kernel)[0], "k"); neighbours(c.Name) && (err != nil || out.Loads["shared tile"] == 0) {
				t.Errorf("%s: loads %v, %v", c.Name, out.Loads, err)
			}
		}
	}
	withFolds := func(name string) bool { return folds[name] }
	withMarches := func(name string) bool { return marches[name] }
	for _, c := range []struct {
		name, device string
		schedules    func(*ir.Kernel) []schedule.CUDA
		only         func(name string) bool
	}{
		{"rule", "{}", nil, nil},
		{"small grid", "{max_grid: [3, 2, 1]}", nil, nil},
		{"random", "{}", random(1), nil},
		{"one thread", "{max_threads: 1, max_grid: [2, 1, 1]}", nil, func(name string) bool { return strings.HasPrefix(name, "extent") }},
		{"culled by threads", "{}", culled(false), withMarches},
		{"culled by warps", "{max_grid: [2, 2, 2]}", culled(true), withMarches},
		{"shared tiles", "{}", tiles(3, 16), named("stencil", "coarser", "filter", "frames", "products", "matrix", "guard", "storage", "int64", "mixed", "strides", "random")},
		{"shared tiles of lines on a small grid", "{max_grid: [2, 2, 1]}", tiles(1, 40), neighbours},
		{"blocks of registers", "{}", registers, named("matrix", "product", "sums of", "mixed", "storage", "strides", "frames")},
		{"eight side by side", "{}", beside(8), named("frames", "storage", "mixed", "strides")},
		{"sixteen side by side", "{}", beside(16), named("frames", "storage", "mixed", "strides")},
		{"shared by a warp", "{}", shared(32), withFolds},
		{"shared by a block", "{}", shared(96), withFolds},
	} {
		t.Run(c.name, func(t *testing.T) {
			conformance.RunWith(t, open(t, c.device, Options{Schedules: c.schedules}), conformance.Policy{Only: c.only})
		})
	}
}
