package codegen_test

import (
	"strings"
	"testing"

	"weft/kernels/codegen/cuda"
	"weft/kernels/conformance"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// stencil is a sum of (2 r + 1) by (2 r + 1) weights over rows y + dy and columns x + dx of an image, by index rules.
func stencil(r, rows, cols int, row, col func(b *ir.Builder, i *ir.Node) *ir.Node) *ir.Kernel {
	b := ir.NewBuilder()
	y, x := b.Axis("y", rows), b.Axis("x", cols)
	w, in := f32("w", 2*r+1, 2*r+1), f32("image", 4*rows, 4*cols)
	sum := func(term func(i *ir.Node) *ir.Node) *ir.Node {
		return b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(2*r + 1), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(i *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{b.Add(a[0], term(i))}, nil
		})[0]
	}
	v := sum(func(j *ir.Node) *ir.Node {
		return sum(func(i *ir.Node) *ir.Node {
			return b.Mul(b.Load(w, j, i), b.Load(in, row(b, b.Add(y, j)), col(b, b.Add(x, i))))
		})
	})
	return &ir.Kernel{Name: "stencil", Axes: []*ir.Node{y, x}, Stores: []ir.Store{{Buf: f32("out", rows, cols), Index: []*ir.Node{y, x}, Value: v}}}
}

func same(_ *ir.Builder, i *ir.Node) *ir.Node { return i }

// The size of a shared-memory tile follows from the block and the index, or there is none.
func TestSharedTiles(t *testing.T) {
	block := []schedule.AxisN{{Axis: 1, N: 32}, {Axis: 0, N: 8}}
	for _, c := range []struct {
		name string
		col  func(b *ir.Builder, i *ir.Node) *ir.Node
		want string // in the schedule's text, empty: no shared-memory tile of the image
	}{
		{"neighbours", same, "shared tile of image 14x38 read 23.6 times"},
		{"every third", func(b *ir.Builder, i *ir.Node) *ir.Node { return b.Mul(i, b.I32(3)) }, "image 14x112"},
		{"backwards", func(b *ir.Builder, i *ir.Node) *ir.Node { return b.Sub(b.I32(2000), i) }, "image 14x38"},
		{"four times finer", func(b *ir.Builder, i *ir.Node) *ir.Node { return b.Div(i, b.I32(4)) }, "image 14x11"},
		{"cut to the image", func(b *ir.Builder, i *ir.Node) *ir.Node {
			return b.Max(b.Min(b.Sub(i, b.I32(3)), b.I32(1999)), b.I32(0))
		}, "image 14x38"},
		{"by an argument", func(b *ir.Builder, i *ir.Node) *ir.Node { return b.Add(i, b.Arg(ir.I32, "shift")) }, "image 14x38"},
		{"scaled by an argument", func(b *ir.Builder, i *ir.Node) *ir.Node { return b.Mul(i, b.Arg(ir.I32, "scale")) }, ""},
		{"from a table", func(b *ir.Builder, i *ir.Node) *ir.Node {
			return b.Load(&ir.Buffer{Name: "table", Type: ir.I32, Shape: []int{4000}}, i)
		}, ""},
		{"periodic", func(b *ir.Builder, i *ir.Node) *ir.Node { return b.Mod(i, b.I32(100)) }, ""},
		{"rounded", func(b *ir.Builder, i *ir.Node) *ir.Node { return b.Cast(ir.I32, b.Sqrt(b.Cast(ir.F32, i))) }, ""},
		{"too far apart", func(b *ir.Builder, i *ir.Node) *ir.Node { return b.Mul(i, b.I32(50)) }, ""},
	} {
		k := stencil(3, 500, 500, same, c.col)
		s := schedule.CUDA{Block: block}.WithSharedTiles(k, 0, 48<<10)
		if got := s.Text(k); c.want == "" && strings.Contains(got, "image") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %q", c.name, got, c.want)
		}
		out, err := cuda.Render(k, s, "k")
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if n := out.Loads["shared tile"] + out.Loads["uniform"]; n != len(k.Inputs()) || (out.Loads["uniform"] == 0) != (c.want != "") || !out.Barriers || out.Shared < 4*49 {
			t.Errorf("%s: loads %v, %d bytes in\n%s", c.name, out.Loads, out.Shared, out.Source)
		}
	}
}

// By rule an input is held where a block reads it often; the weights, which all threads read alike, are not.
func TestSharedTileRule(t *testing.T) {
	for _, c := range []struct {
		k    *ir.Kernel
		want string
	}{
		{stencil(3, 500, 500, same, same), "block x:32xy:8, shared tile of image 14x38 read 23.6 times"},
		{stencil(1, 500, 500, same, same), "block x:256xy:1"},
		{planes(40, 300, 500), "block x:256xy:1xz:1"},
	} {
		if got := schedule.CUDADefault(c.k).Text(c.k); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
	k := stencil(3, 500, 500, same, same)
	for _, c := range []struct {
		s    schedule.CUDA
		want string
	}{
		{schedule.CUDA{SharedTiles: []int{1}}, "need blocks"},
		{schedule.CUDA{SharedTiles: []int{1}, Block: []schedule.AxisN{{Axis: 1, N: 8}}, Fold: 32}, "need blocks"},
		{schedule.CUDA{SharedTiles: []int{2}, Block: []schedule.AxisN{{Axis: 1, N: 8}}}, "2 inputs"},
		{schedule.CUDA{SharedTiles: []int{1, 1}, Block: []schedule.AxisN{{Axis: 1, N: 8}}}, "at most once"},
		{schedule.CUDA{SharedTiles: []int{1}, Block: []schedule.AxisN{{Axis: 1, N: 32}, {Axis: 0, N: 32}}, Unroll: []schedule.AxisN{{Axis: 0, N: 16}}}, "how much of image"},
	} {
		if _, err := cuda.Render(k, c.s, "k"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.s, err, c.want)
		}
	}
}

// Frames that differ in what is loaded alone lie on one thread, which computes their indices once.
func TestFrames(t *testing.T) {
	b := ir.NewBuilder()
	f, x := b.Axis("frame", 32), b.Axis("x", 100000)
	d, in := f32("d", 64), f32("in", 32, 64, 4000)
	sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(64), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(e *ir.Node, a []*ir.Node) ([]*ir.Node, *ir.Node) {
		p := b.Mul(b.Load(d, e), b.Cast(ir.F32, x))
		at := b.Cast(ir.I32, b.Alu(ir.Rint, b.Sqrt(b.Add(b.Mul(p, p), b.F32(2)))))
		return []*ir.Node{b.Add(a[0], b.Load(in, f, e, at))}, nil
	})
	k := &ir.Kernel{Name: "frames", Axes: []*ir.Node{f, x}, Stores: []ir.Store{{Buf: f32("out", 32, 100000), Index: []*ir.Node{f, x}, Value: sum[0]}}}
	s := schedule.CUDADefault(k)
	if got, want := s.Text(k), "block x:256xframe:1, each frame:4"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	out, err := cuda.Render(k, s, "k")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.Source, "s_sqrt_f("); n != 1 {
		t.Errorf("%d square roots for 4 frames", n)
	}
}

// What registers do not hold is in shared memory, in blocks for which there is enough.
func TestValuesAside(t *testing.T) {
	for _, c := range conformance.Cases() {
		if c.Name != "equations of more values than threads have registers" {
			continue
		}
		if _, err := cuda.Render(c.Kernel, schedule.CUDA{Block: []schedule.AxisN{{Axis: 1, N: 15}, {Axis: 0, N: 16}}}, "k"); err == nil || !strings.Contains(err.Error(), "no room") {
			t.Errorf("a block of 240 threads: %v", err)
		}
		out, err := cuda.Render(c.Kernel, schedule.CUDA{Block: []schedule.AxisN{{Axis: 1, N: 15}, {Axis: 0, N: 4}}}, "k")
		if err != nil || out.Aside < 200 || out.Shared != 60*out.Aside || out.Barriers || !strings.Contains(out.Source, "volatile double aside_double[") {
			t.Errorf("%v, %d B a thread, %d B a block", err, out.Aside, out.Shared)
		}
		return
	}
	t.Error("no such case")
}
