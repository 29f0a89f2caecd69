package launch

import (
	"slices"
	"strings"
	"testing"

	"weft/kernels/codegen/cuda"
	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/kernels/schedule"
)

var gpu = device.Limits{Grid: [3]int{1<<31 - 1, 65535, 65535}, Block: [3]int{1024, 1024, 64}, Threads: 1024, Shared: 48 << 10}

// place is memory at an address of an imagined device.
type place struct {
	at    uint64
	bytes int64
	owner any
}

func (p *place) Host() []byte             { return nil }
func (p *place) Free()                    { p.bytes = -1 }
func (p *place) Address() (uint64, int64) { return p.at, p.bytes }
func (p *place) There() device.Span       { return device.Span{To: p.bytes} }
func (p *place) Owner() any               { return p.owner }

// sum is a kernel of one input, one output and a scalar over rows x cols points.
func sum(rows, cols int) (k *ir.Kernel, in, out *ir.Buffer) {
	b := ir.NewBuilder()
	y, x := b.Axis("y", rows), b.Axis("x", cols)
	in = &ir.Buffer{Name: "in", Type: ir.F32, Shape: []int{rows, cols}, Pad: ir.Pad{Before: 3, After: 5}}
	out = &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{rows, cols}}
	v := b.Add(b.Load(in, y, x), b.Arg(ir.F32, "more"))
	return &ir.Kernel{Name: "sum", Axes: []*ir.Node{y, x}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{y, x}, Value: v}}}, in, out
}

func TestGrids(t *testing.T) {
	k, _, _ := sum(70000, 3)
	for _, c := range []struct {
		schedule schedule.CUDA
		limit    [3]int
		want     [3]int
	}{
		{schedule.CUDA{}, gpu.Grid, [3]int{3, 65535, 1}},
		{schedule.CUDA{Block: []schedule.AxisN{{Axis: 0, N: 256}}}, gpu.Grid, [3]int{274, 3, 1}},
		{schedule.CUDA{Block: []schedule.AxisN{{Axis: 1, N: 4}, {Axis: 0, N: 64}}}, gpu.Grid, [3]int{1, 1094, 1}},
		{schedule.CUDA{Block: []schedule.AxisN{{Axis: 1, N: 4}, {Axis: 0, N: 64}}, Unroll: []schedule.AxisN{{Axis: 0, N: 2}}}, gpu.Grid, [3]int{1, 547, 1}},
		{schedule.CUDA{Fold: 32}, [3]int{2, 5, 1}, [3]int{2, 5, 1}},
	} {
		out, err := cuda.Render(k, c.schedule, "k")
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := out.Grid([]int{0, 0}, []int{70000, 3}, c.limit); !ok || got != c.want {
			t.Errorf("%s: %v, want %v", c.schedule, got, c.want)
		}
		if _, ok := out.Grid([]int{5, 0}, []int{5, 3}, c.limit); ok {
			t.Errorf("%s: a grid for an empty tile", c.schedule)
		}
	}
}

// Four axes of which the last two are counted by one dimension, far beyond its limit and beyond 64 bits.
func TestHugeGrid(t *testing.T) {
	b := ir.NewBuilder()
	k := &ir.Kernel{Name: "huge"}
	for _, n := range []string{"a", "b", "c", "d", "e"} {
		k.Axes = append(k.Axes, b.Axis(n, 1<<31-1))
	}
	out := &ir.Buffer{Name: "out", Type: ir.I32, Shape: []int{1}}
	k.Stores = []ir.Store{{Buf: out, Index: []*ir.Node{b.I32(0)}, Value: k.Axes[0]}}
	o, err := cuda.Render(k, schedule.CUDA{}, "k")
	if err != nil {
		t.Fatal(err)
	}
	hi := []int{1<<31 - 1, 1<<31 - 1, 1<<31 - 1, 1<<31 - 1, 1<<31 - 1}
	if got, ok := o.Grid(make([]int, 5), hi, gpu.Grid); !ok || got != gpu.Grid {
		t.Errorf("got %v", got)
	}
	if _, err := New(k, nil, gpu); err == nil || !strings.Contains(err.Error(), "64 bits") {
		t.Errorf("got %v", err)
	}
}

func TestParameters(t *testing.T) {
	k, in, out := sum(20, 30)
	code, err := New(k, nil, gpu)
	if err != nil {
		t.Fatal(err)
	}
	dev := "a device"
	mem := map[*ir.Buffer]device.Memory{in: &place{4096, in.Bytes(), dev}, out: &place{1 << 40, out.Bytes(), dev}}
	bound, err := code.Bind(dev, device.Bindings{Mem: mem, Args: map[string]device.Scalar{"more": {F: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	l, ok, err := bound.At(region.Region{{Lo: 1, Hi: 20}, {Lo: 0, Hi: 7}})
	if want := []uint64{4096 + 12, 1 << 40, 0x3ff0000000000000, 1, 20, 0, 7}; err != nil || !ok || !slices.Equal(l.Params, want) {
		t.Errorf("%#x, %t, %v; want %#x", l.Params, ok, err, want)
	}
	if _, ok, err := bound.At(region.Region{{Lo: 3, Hi: 3}, {Lo: 0, Hi: 7}}); ok || err != nil {
		t.Errorf("an empty tile: %t, %v", ok, err)
	}
	for _, bad := range []region.Region{nil, {{Lo: 0, Hi: 20}}, {{Lo: -1, Hi: 2}, {Lo: 0, Hi: 7}}, {{Lo: 0, Hi: 21}, {Lo: 0, Hi: 7}}} {
		if _, _, err := bound.At(bad); err == nil {
			t.Errorf("tile %v was taken", bad)
		}
	}
	mem[in].Free()
	if _, _, err := bound.At(k.Domain()); err == nil || !strings.Contains(err.Error(), "in has been freed") {
		t.Errorf("freed memory: %v", err)
	}
}

func TestWrongBindings(t *testing.T) {
	k, in, out := sum(20, 30)
	code, err := New(k, nil, gpu)
	if err != nil {
		t.Fatal(err)
	}
	dev := "a device"
	for _, c := range []struct {
		name    string
		in, out *place
		args    map[string]device.Scalar
		want    string
	}{
		{"missing memory", nil, &place{0, out.Bytes(), dev}, nil, "no memory for its buffer in"},
		{"another device's", &place{4096, in.Bytes(), "other"}, &place{1 << 40, out.Bytes(), dev}, nil, "not on this device"},
		{"too small", &place{4096, 10, dev}, &place{1 << 40, out.Bytes(), dev}, nil, "its memory has 10"},
		{"overlapping", &place{4096, in.Bytes(), dev}, &place{4096 + uint64(in.Bytes()) - 4, out.Bytes(), dev}, nil, "uses too"},
		{"missing scalar", &place{4096, in.Bytes(), dev}, &place{1 << 40, out.Bytes(), dev}, nil, "no value for its argument more"},
	} {
		mem := map[*ir.Buffer]device.Memory{out: c.out}
		if c.in != nil {
			mem[in] = c.in
		}
		if _, err := code.Bind(dev, device.Bindings{Mem: mem, Args: c.args}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// partly is a place of which a part is there.
type partly struct {
	place
	there device.Span
}

func (p *partly) There() device.Span { return p.there }

// Parts of buffers may lie side by side, though addresses of the whole buffers overlap; where they overlap themselves nothing is launched.
func TestPartsLieApart(t *testing.T) {
	k, in, out := sum(20, 30)
	code, err := New(k, nil, gpu)
	if err != nil {
		t.Fatal(err)
	}
	dev := "a device"
	for at, ok := range map[uint64]bool{1<<40 - 512: false, 1<<40 - 256: false, 1 << 40: true, 1<<40 + 512: true} {
		mem := map[*ir.Buffer]device.Memory{
			in:  &partly{place{1<<40 - 1024, in.Bytes(), dev}, device.Span{From: 512, To: 1024}},
			out: &partly{place{at - 1024, out.Bytes(), dev}, device.Span{From: 1024, To: 1024 + 400}},
		}
		if _, err := code.Bind(dev, device.Bindings{Mem: mem, Args: map[string]device.Scalar{"more": {F: 1}}}); (err == nil) != ok {
			t.Errorf("from %#x on: %v", at, err)
		}
	}
}

// A schedule whose block a device cannot run gives way to the next.
func TestLimits(t *testing.T) {
	k, _, _ := sum(500, 500)
	small := gpu
	small.Threads = 40
	code, err := New(k, nil, small)
	if err != nil {
		t.Fatal(err)
	}
	if b := code.Out.Block; b[0]*b[1]*b[2] > 40 {
		t.Errorf("a block of %v", b)
	}
	if _, err := New(k, []schedule.CUDA{{Fold: 64}}, small); err == nil || !strings.Contains(err.Error(), "at most 40") {
		t.Errorf("got %v", err)
	}
}
