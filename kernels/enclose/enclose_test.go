package enclose_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"weft/kernels/conformance"
	"weft/kernels/device"
	"weft/kernels/enclose"
	"weft/kernels/interp"
	"weft/kernels/ir"
)

// TestResultsLieInside: what the interpreter computes, in a kernel's own arithmetic and in float64, lies in the intervals.
func TestResultsLieInside(t *testing.T) {
	known, all := 0, 0
	for _, c := range conformance.Cases() {
		values := map[*ir.Buffer][]float64{}
		for _, in := range c.Inputs {
			v := in.F
			for _, i := range in.I {
				v = append(v, float64(i))
			}
			cell := make([]byte, 8)
			for i, x := range v { // as memory of its type holds it
				if in.Buf.Type.Float() {
					device.SetFloat(in.Buf.Type, cell[:in.Buf.Type.Size()], 0, x)
					v[i] = device.Float(in.Buf.Type, cell[:in.Buf.Type.Size()], 0)
				}
			}
			values[in.Buf] = v
		}
		kernel := enclose.New(c.Kernel, func(b *ir.Buffer, index []int) (ir.Interval, error) {
			at := 0
			for d, i := range index {
				at = at*b.Shape[d] + i
			}
			v := values[b][at]
			return ir.Interval{Lo: v, Hi: v, NaN: v != v}, nil
		})
		if len(c.Kernel.Args()) > 0 || !loadsInputs(c) {
			continue
		}
		rng := rand.New(rand.NewPCG(1, 2))
		var points [][]int
		for range 20 {
			p := make([]int, len(c.Kernel.Axes))
			for d, a := range c.Kernel.Axes {
				p[d] = rng.IntN(max(1, a.Extent))
			}
			points = append(points, p)
		}
		if c.Kernel.Points() == 0 || !c.Kernel.Pointwise() {
			continue
		}
		for mode, name := range map[interp.Mode]string{interp.Exact: "own arithmetic", interp.Wide: "float64"} {
			program, err := interp.Compile(c.Kernel, mode)
			if err != nil {
				t.Fatal(err)
			}
			samples, err := program.Eval(context.Background(), interp.Inputs{Host: values}, points)
			if err != nil {
				t.Fatal(c.Name, err)
			}
			for i, p := range points {
				sets, _, ok := kernel.At(p, 1e6)
				all++
				if !ok {
					continue
				}
				known++
				for s, set := range sets {
					got := samples[i][s]
					if !got.Written {
						continue
					}
					x := got.F + float64(got.I)
					if mode == interp.Wide && got.I != int64(int32(got.I)) { // it left its type
						continue
					}
					if near := set.Nearest(x); near != x && (near == near || x == x) {
						t.Errorf("%s, store %d at %v in %s: %v does not hold %v", c.Name, s, p, name, set, x)
					}
				}
			}
		}
	}
	if known < all/2 {
		t.Errorf("known at %d of %d points", known, all)
	}
}

// loadsInputs reports whether all that a kernel loads is given.
func loadsInputs(c conformance.Case) bool {
	given := map[*ir.Buffer]bool{}
	for _, in := range c.Inputs {
		given[in.Buf] = true
	}
	for _, b := range c.Kernel.Inputs() {
		if !given[b] {
			return false
		}
	}
	return true
}

// TestBothSides: where a discontinuity lies within rounding, a value has the branches on both sides, and no more.
func TestBothSides(t *testing.T) {
	b := ir.NewBuilder()
	third := b.Div(b.F32(1), b.F32(3)) // some float32 around a third
	sum := b.Add(b.Add(third, third), third)
	ten := func(v *ir.Node) *ir.Node { return b.Mul(v, b.F32(10)) }
	smallest := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(3), Init: []*ir.Node{b.F32(9), b.I32(0)}, Monoid: ir.ArgMin}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		v := b.Select(b.Lt(i, b.I32(2)), sum, b.F32(2))
		less := b.Lt(v, acc[0])
		return []*ir.Node{b.Select(less, v, acc[0]), b.Select(less, i, acc[1])}, nil
	})
	from := func(lo *ir.Node, hi int) *ir.Node { // how many turns there are
		return b.Fold(ir.FoldSpec{Lo: lo, Hi: b.I32(hi), Init: []*ir.Node{b.I32(0)}, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{b.Add(acc[0], b.I32(1))}, nil
		})[0]
	}
	log := func(v *ir.Node) *ir.Node { return b.Alu(ir.Log, v) }
	for name, c := range map[string]struct {
		value *ir.Node
		want  []float64
	}{
		"floor":       {b.Alu(ir.Floor, sum), []float64{0, 1}},
		"whole":       {b.Cast(ir.I32, ten(sum)), []float64{9, 10}},
		"begins":      {from(b.Cast(ir.I32, ten(sum)), 12), []float64{2, 3}},
		"may be none": {from(b.Cast(ir.I32, ten(sum)), 10), []float64{0, 1}},
		"not near":    {b.Alu(ir.Floor, ten(third)), []float64{3}},
		"equal":       {b.Alu(ir.Eq, sum, b.F32(1)), []float64{0, 1}},
		"choice":      {b.Select(b.Lt(sum, b.F32(1)), b.F32(-7), b.F32(5)), []float64{-7, 5}},
		"not a tie":   {b.Select(b.Lt(sum, b.F32(0.9)), b.F32(-7), b.F32(5)), []float64{5}},
		"argmin":      {smallest[1], []float64{0, 1}},
		"exact":       {b.Alu(ir.Rint, b.F32(2.5)), []float64{2}},
		"log of less": {b.Max(log(b.Sub(third, b.F32(1))), b.F32(5)), []float64{5}},
		"log of none": {b.Alu(ir.Lt, b.Max(log(b.Sub(sum, b.F32(1))), b.F32(-20)), b.F32(-10)), []float64{1}},
		"first of it": {b.Alu(ir.Rint, b.Mul(b.F32(5), b.F32(0.5))), []float64{2, 3}},
	} {
		k := &ir.Kernel{Name: name, Stores: []ir.Store{{Buf: &ir.Buffer{Name: "out", Type: c.value.Type}, Value: c.value}}}
		got, _, ok := enclose.New(k, nil).At(nil, 1000)
		if !ok || len(got[0]) != len(c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
			continue
		}
		for i, w := range c.want {
			if got[0][i].Lo != w || got[0][i].Hi != w {
				t.Errorf("%s: %v, want %v", name, got, c.want)
			}
		}
	}
	x := b.Axis("x", 3)
	all := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(500), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		return []*ir.Node{b.Add(acc[0], b.Cast(ir.F32, i))}, nil
	})[0]
	out := &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{3}}
	each := enclose.New(&ir.Kernel{Name: "sum", Axes: []*ir.Node{x}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{x}, Value: b.Add(all, b.Cast(ir.F32, x))}}}, nil)
	for at := range 3 {
		work := []int{2000, 10, 10}[at] // what is the same at every point is bounded once
		if got, left, ok := each.At([]int{at}, work); !ok || got[0].Nearest(124750+float64(at)) != 124750+float64(at) {
			t.Errorf("a sum and %d: %v, %t, with %d of %d operations left", at, got, ok, left, work)
		}
	}
	k := &ir.Kernel{Name: "long", Stores: []ir.Store{{Buf: &ir.Buffer{Name: "out", Type: ir.F32}, Value: sum}}}
	if _, _, ok := enclose.New(k, nil).At(nil, 2); ok {
		t.Error("nothing bounds the work")
	}
	if got, _, ok := enclose.New(k, nil).At(nil, 1000); !ok || got[0][0].Hi-got[0][0].Lo > 1e-6 || math.Abs(got[0].Nearest(1)-1) > 0 {
		t.Errorf("a sum: %v", got)
	}
}
