package cost

import (
	"math"
	"testing"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/profile"
)

// A loop whose ends are looked up ends otherwise than a processor foresaw, once a run, and the next begins with nothing under way. Where lanes are points, all of
// a vector do so together.
func TestEndsThatAreLookedUp(t *testing.T) {
	const points, n = 1024, 64
	p := profile.Default(1)
	of := func(looked bool, l device.Layout) Work {
		b := ir.NewBuilder()
		x := b.Axis("x", points)
		in, out := &ir.Buffer{Name: "in", Type: ir.F32, Shape: []int{points, n}}, &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{points}}
		ends := &ir.Buffer{Name: "ends", Type: ir.I32, Shape: []int{points}, Facts: ir.Facts{Data: &ir.DataFacts{Least: n, Most: n, Mean: n}}}
		end := b.I32(n)
		if looked {
			end = b.Load(ends, x)
		}
		sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: end, Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{b.Add(acc[0], b.Load(in, x, i))}, nil
		})
		return workOf(&ir.Kernel{Name: "sums", Axes: []*ir.Node{x}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{x}, Value: sum[0]}}}, p, &l, nil)
	}
	next := p.Ops[profile.Next] * float64(p.Lanes)
	for _, c := range []struct {
		name   string
		layout device.Layout
		runs   float64
	}{
		{"scalar turns", device.Layout{}, points},
		{"turns on lanes", device.Layout{FoldLanes: true}, points},
		{"points on lanes", device.Layout{Lanes: []int{0}}, points / float64(p.Lanes)},
		{"vectors in flight", device.Layout{Lanes: []int{0}, Flight: 4, FlightOn: map[int]int{0: 4}}, points / float64(p.Lanes) / 4},
	} {
		known, looked := of(false, c.layout), of(true, c.layout)
		if known.ns[profile.Next] != 0 || known.starting != 0 {
			t.Errorf("%s: a constant end comes as a surprise: %g and %g ns", c.name, known.ns[profile.Next], known.starting)
		}
		if got, want := looked.ns[profile.Next], surprised*next*c.runs; math.Abs(got-want) > 1e-6*want {
			t.Errorf("%s: surprises take %g ns, want %g", c.name, got, want)
		}
		if got, want := looked.starting, 2*next*c.runs; math.Abs(got-want) > 1e-6*want { // a load and an addition
			t.Errorf("%s: the first turns take %g ns, want %g", c.name, got, want)
		}
	}
}

// What was pushed out of the caches since it was stored comes from memory, and lines that lie in pages of their own are not fetched ahead.
func TestWhatCachesLost(t *testing.T) {
	m := model(profile.Default(2))
	k := Kernel{IR: adding(1<<16, 1, 1, plain), Loads: []Array{{Bytes: 1 << 18}}, Tiles: 2}
	near := m.Predict(k)
	k.Loads[0].Since = 1 << 30
	far := m.Predict(k)
	if near.Level != "L2" || far.Level != "memory" || far.Memory < 4*near.Memory {
		t.Errorf("%+v just after it was stored, %+v much later", near, far)
	}

	p, b := profile.Default(1), ir.NewBuilder()
	p.Lanes = 16 // a line
	const rows, row = 256, 1 << 14
	x := b.Axis("x", row)
	in, out := &ir.Buffer{Name: "in", Type: ir.F32, Shape: []int{rows, row}}, &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{row}}
	sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(rows), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		return []*ir.Node{b.Add(acc[0], b.Load(in, i, x))}, nil
	})
	kernel := &ir.Kernel{Name: "columns", Axes: []*ir.Node{x}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{x}, Value: sum[0]}}}
	w := workOf(kernel, p, &device.Layout{Lanes: []int{0}}, nil)
	if want := rows * row / float64(p.Lanes) * 64e9 / p.Levels[2].Copy.Core; math.Abs(w.starting-want) > 0.01*want {
		t.Errorf("lines of %d pages take %g ns, want %g", rows*row/1024, w.starting, want)
	}
}
