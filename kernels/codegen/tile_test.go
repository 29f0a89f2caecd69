package codegen_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/kernels/schedule"
)

// smear is a guarded three-point sum along both axes, a comparison stored as Bool, and the partial sums, stored turn by turn along an axis
// before the points' own and behind them.
func smear(ny, nx int) *ir.Kernel {
	b := ir.NewBuilder()
	y, x := b.Axis("y", ny), b.Axis("x", nx)
	a := f32("a", ny, nx)
	a.Pad = ir.Pad{Before: 16, After: 16}
	within := func(i *ir.Node, n int) *ir.Node { return b.And(b.Le(b.I32(0), i), b.Lt(i, b.I32(n))) }
	sum := b.Fold(ir.FoldSpec{Lo: b.I32(-1), Hi: b.I32(2), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		r, c := b.Add(y, i), b.Add(x, i)
		return []*ir.Node{b.Add(acc[0], b.LoadOr(a, b.And(within(r, ny), within(c, nx)), b.F32(0), r, c))}, nil
	})[0]
	var turn, part *ir.Node
	last := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(3), Init: []*ir.Node{b.F32(0)}}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		turn, part = i, b.Add(acc[0], b.Mul(b.Load(a, y, x), b.Cast(ir.F32, i)))
		return []*ir.Node{part}, nil
	})[0]
	parts := func(t ir.DType, shape ...int) *ir.Buffer {
		return &ir.Buffer{Name: fmt.Sprint("parts", shape), Type: t, Shape: shape}
	}
	plane := func(name string, t ir.DType) *ir.Buffer { return &ir.Buffer{Name: name, Type: t, Shape: []int{ny, nx}} }
	return &ir.Kernel{Name: "smear", Axes: []*ir.Node{y, x}, Stores: []ir.Store{
		{Buf: plane("sum", ir.F32), Index: []*ir.Node{y, x}, Value: sum},
		{Buf: plane("above", ir.Bool), Index: []*ir.Node{y, x}, Value: b.Lt(b.F32(0), sum), Guard: b.Alu(ir.Ne, b.Alu(ir.Mod, x, b.I32(3)), b.I32(1))},
		{Buf: plane("half", ir.F16), Index: []*ir.Node{y, x}, Value: sum},
		{Buf: parts(ir.F32, ny, nx, 3), Index: []*ir.Node{y, x, turn}, Value: part, In: last.Fold},
		{Buf: parts(ir.F16, 3, ny, nx), Index: []*ir.Node{turn, y, x}, Value: part, In: last.Fold},
		{Buf: plane("last", ir.F64), Index: []*ir.Node{y, x}, Value: b.Cast(ir.F64, last)},
	}}
}

// TestAnyTile covers kernels of every extent up to 67 or so with tiles cut anywhere, under random schedules.
func TestAnyTile(t *testing.T) {
	for _, target := range []schedule.Target{schedule.AVX512, schedule.AVX2, schedule.Portable} {
		if !runs(t, target) {
			continue
		}
		rng := rand.New(rand.NewPCG(3, uint64(target.Lanes)))
		var kernels []*ir.Kernel
		for range 16 {
			k := smear(1+rng.IntN(20), 1+rng.IntN(67))
			if rng.IntN(2) == 0 {
				k.Stores = k.Stores[:3] // pure stores take other ways at the edges
			}
			kernels = append(kernels, k)
		}
		d := &bench{t: t, target: target, choose: func(k *ir.Kernel) schedule.CPU { return anySchedule(rng, k, target) }}
		truth := &bench{t: t, target: target, choose: func(*ir.Kernel) schedule.CPU { return schedule.CPU{} }}
		fast, err := d.Compile(t.Context(), kernels, device.Options{})
		if err != nil {
			t.Fatal(err)
		}
		slow, err := truth.Compile(t.Context(), kernels, device.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i, k := range kernels {
			in := map[string][]float64{"a": exactWave(k.Inputs()[0].Len())}
			want := slow[i].(*launchable).outputs(t, in, []region.Region{k.Domain()})
			got := fast[i].(*launchable).outputs(t, in, slice(rng, k.Domain()))
			for buf, w := range want {
				if g := got[buf]; string(g) != string(w) {
					t.Errorf("%s %v: %s differs under %s", target.ISA, k.Outputs()[0].Shape, buf, fast[i].(*launchable).s)
				}
			}
		}
	}
}

// slice divides a tile at random, down to nothing or single points.
func slice(rng *rand.Rand, t region.Region) []region.Region {
	axis := rng.IntN(len(t))
	if rng.IntN(6) == 0 || t.Points() == 0 {
		return []region.Region{t}
	}
	at := t[axis].Lo + rng.IntN(t[axis].Hi-t[axis].Lo+1)
	a, b := append(region.Region{}, t...), append(region.Region{}, t...)
	a[axis].Hi, b[axis].Lo = at, at
	return append(slice(rng, a), slice(rng, b)...)
}

// exactWave is noise whose sums are exact in any order.
func exactWave(n int) []float64 {
	v := waves(n, 0.7)
	for i := range v {
		v[i] = math.Round(64*v[i]) / 64
	}
	return v
}
