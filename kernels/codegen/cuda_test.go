package codegen_test

import (
	"strings"
	"testing"

	"weft/kernels/codegen/cuda"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// planes is out[z, y, x] = in[z, y, x] + sum of a row of w, of given extents.
func planes(extents ...int) *ir.Kernel {
	b := ir.NewBuilder()
	k := &ir.Kernel{Name: "planes"}
	for i, n := range extents {
		k.Axes = append(k.Axes, b.Axis(string("zyx"[i]), n))
	}
	in := &ir.Buffer{Name: "in", Type: ir.F32, Shape: extents}
	w := &ir.Buffer{Name: "w", Type: ir.F32, Shape: []int{100}}
	sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(100), Init: []*ir.Node{b.Load(in, k.Axes...)}, Monoid: ir.Sum}, func(i *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
		return []*ir.Node{b.Add(a[0], b.Load(w, i))}, nil
	})
	out := &ir.Buffer{Name: "out", Type: ir.F32, Shape: extents}
	k.Stores = []ir.Store{{Buf: out, Index: k.Axes, Value: sum[0]}}
	return k
}

func TestCUDASchedulesThatDoNotFit(t *testing.T) {
	k := planes(4, 5, 6)
	adding := planes(4, 5, 6)
	adding.Stores[0].Adds = true
	one := func(a, n int) []schedule.AxisN { return []schedule.AxisN{{Axis: a, N: n}} }
	for _, c := range []struct {
		k    *ir.Kernel
		s    schedule.CUDA
		want string
	}{
		{k, schedule.CUDA{Block: one(3, 2)}, "does not name"},
		{k, schedule.CUDA{Block: []schedule.AxisN{{Axis: 0, N: 2}, {Axis: 0, N: 3}}}, "does not name"},
		{k, schedule.CUDA{Unroll: one(0, 0)}, "does not name"},
		{k, schedule.CUDA{Block: one(2, 1025)}, "at most 1024"},
		{k, schedule.CUDA{Block: []schedule.AxisN{{Axis: 2, N: 1}, {Axis: 1, N: 1}, {Axis: 0, N: 65}}}, "64 in z"},
		{k, schedule.CUDA{Fold: 33}, "multiple of 32"},
		{k, schedule.CUDA{Fold: 64, Block: one(0, 2)}, "one output"},
		{k, schedule.CUDA{Fold: 32, Unroll: one(0, 2)}, "one output"},
		{k, schedule.CUDA{Fold: 32, Block: []schedule.AxisN{{Axis: 0, N: 2}, {Axis: 1, N: 2}, {Axis: 2, N: 2}}}, "over 3 axes"},
		{k, schedule.CUDA{Unroll: one(0, 33)}, "at most 32"},
		{adding, schedule.CUDA{Unroll: one(0, 2)}, "one value at a time"},
		{k, schedule.CUDA{Every: -1}, "every -1"},
	} {
		if _, err := cuda.Render(c.k, c.s, "k"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.s, err, c.want)
		}
	}
}

// Each axis is counted by one dimension of the grid, and folds are shared only where the schedule says so.
func TestCUDASource(t *testing.T) {
	k := planes(4, 5, 6)
	for _, c := range []struct {
		s          schedule.CUDA
		joins      bool
		has, lacks []string
	}{
		{schedule.CUDA{}, false, []string{"blockIdx.x", "blockIdx.y", "blockIdx.z", "WEFT_KERNEL(1)"}, []string{"threadIdx", "s_warp", "_last"}},
		{schedule.CUDA{Block: []schedule.AxisN{{Axis: 2, N: 32}}}, false, []string{"threadIdx.x", "WEFT_KERNEL(32)"}, []string{"threadIdx.y", "_last"}},
		{schedule.CUDA{Block: []schedule.AxisN{{Axis: 2, N: 32}}, Unroll: []schedule.AxisN{{Axis: 0, N: 2}}}, false, []string{"_last - 1"}, []string{"s_warp"}},
		{schedule.CUDA{Fold: 32}, true, []string{"s_warp_add_f", "if (threadIdx.x == 0)"}, []string{"s_block"}},
		{schedule.CUDA{Fold: 32, Block: []schedule.AxisN{{Axis: 0, N: 2}}}, true, []string{"threadIdx.y", "WEFT_KERNEL(64)"}, nil},
		{schedule.CUDA{Fold: 128}, true, []string{"s_block_add_f"}, []string{"s_warp"}},
	} {
		out, err := cuda.Render(k, c.s, "kernel")
		if err != nil {
			t.Fatal(err)
		}
		if out.Barriers != c.joins || (out.Shared > 0) != (c.s.Fold > 32) {
			t.Errorf("%s: joins %t, %d bytes shared", c.s, out.Barriers, out.Shared)
		}
		for _, text := range c.has {
			if !strings.Contains(out.Source, text) {
				t.Errorf("%s: no %q in\n%s", c.s, text, out.Source)
			}
		}
		for _, text := range c.lacks {
			if strings.Contains(out.Source, text) {
				t.Errorf("%s: %q in\n%s", c.s, text, out.Source)
			}
		}
	}
}

// Few outputs share their folds, many do not; threads lie along the innermost axis.
func TestCUDARules(t *testing.T) {
	for _, c := range []struct {
		k    *ir.Kernel
		want string
	}{
		{planes(1, 1, 1), "folds by warp"},
		{planes(10, 30, 50), "block x:4, folds by warp"},
		{planes(40, 300, 500), "block x:256"},
		{planes(4000, 300, 2), "block x:2xy:128xz:1"},
	} {
		if got := schedule.CUDADefault(c.k).Text(c.k); !strings.Contains(got, c.want) {
			t.Errorf("%d points: %s, want %s", c.k.Points(), got, c.want)
		}
	}
	seen := map[string]bool{}
	for _, s := range schedule.CUDACandidates(planes(40, 300, 500)) {
		if seen[s.String()] || seen[s.Digest()] {
			t.Errorf("%s twice", s)
		}
		seen[s.String()], seen[s.Digest()] = true, true
	}
}

// What is one row in memory is run as one where a tile has whole rows, four elements at a time; other tiles go row by row. Where there are many of them threads take
// several turns.
func TestRowsOnGPUs(t *testing.T) {
	b := ir.NewBuilder()
	const rows = 1 << 14
	y, x := b.Axis("y", rows), b.Axis("x", 1024)
	in, out := &ir.Buffer{Name: "in", Type: ir.F32, Shape: []int{rows, 1024}}, &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{rows, 1024}}
	k := &ir.Kernel{Name: "double", Axes: []*ir.Node{y, x}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{y, x}, Value: b.Add(b.Load(in, y, x), b.Load(in, y, x))}}}
	s := schedule.CUDADefault(k)
	code, err := cuda.Render(k, s, "k")
	if err != nil || !s.Together || !strings.Contains(code.Source, "s_load_f32_4(") || !strings.Contains(code.Source, "s_store_f32_4(") {
		t.Fatalf("%s: %v\n%s", s, err, code.Source)
	}
	limit := [3]int{1 << 30, 65535, 65535}
	for _, c := range []struct {
		lo, hi []int
		want   [3]int
	}{
		{[]int{0, 0}, []int{1024, 1024}, [3]int{1024, 1, 1}},
		{[]int{0, 0}, []int{1 << 13, 1024}, [3]int{1 << 12, 1, 1}},
		{[]int{1, 0}, []int{rows, 1024}, [3]int{5461, 1, 1}},
		{[]int{0, 0}, []int{rows, 1024}, [3]int{1 << 12, 1, 1}},
		{[]int{0, 3}, []int{rows, 1024}, [3]int{1, rows, 1}},
		{[]int{3, 0}, []int{4, 1024}, [3]int{1, 1, 1}},
		{[]int{0, 1}, []int{1024, 1024}, [3]int{1, 1024, 1}},
		{[]int{0, 0}, []int{7, 1023}, [3]int{1, 7, 1}},
	} {
		if got, ok := code.Grid(c.lo, c.hi, limit); !ok || got != c.want {
			t.Errorf("tile %v %v: grid %v, want %v", c.lo, c.hi, got, c.want)
		}
	}
	if _, ok := code.Grid([]int{5, 0}, []int{5, 1024}, limit); ok {
		t.Error("a grid for an empty tile")
	}
}
