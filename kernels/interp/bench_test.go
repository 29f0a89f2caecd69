package interp

import (
	"context"
	"testing"

	"weft/kernels/ir"
)

// delayAndSum is the beamformer in small: distance, delay, interpolation, phase rotation over an aperture.
func delayAndSum(elements, samples int) (*ir.Kernel, *ir.Buffer, *ir.Buffer) {
	b := ir.NewBuilder()
	x, z := b.Axis("x", 64), b.Axis("z", 64)
	data := &ir.Buffer{Name: "data", Type: ir.F32, Shape: []int{elements, samples}}
	pos := &ir.Buffer{Name: "pos", Type: ir.F32, Shape: []int{elements}}
	f := func(n *ir.Node) *ir.Node { return b.Cast(ir.F32, n) }
	px, pz := b.Mul(f(x), b.F32(3e-4)), b.Add(b.Mul(f(z), b.F32(2e-4)), b.F32(0.02))
	out := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(elements), Init: []*ir.Node{b.F32(0), b.F32(0)}, Monoid: ir.Sum}, func(e *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		dx := b.Sub(px, b.Load(pos, e))
		s := b.Mul(b.Add(pz, b.Sqrt(b.Add(b.Mul(dx, dx), b.Mul(pz, pz)))), b.F32(12e6/1540.0/8))
		i := b.Cast(ir.I32, b.Alu(ir.Floor, s))
		w := b.Sub(s, f(i))
		in := b.And(b.Le(b.I32(0), i), b.Lt(i, b.I32(samples-1)))
		lo := b.LoadOr(data, in, b.F32(0), e, i)
		hi := b.LoadOr(data, in, b.F32(0), e, b.Add(i, b.I32(1)))
		v := b.Add(lo, b.Mul(w, b.Sub(hi, lo)))
		phase := b.Mul(b.Alu(ir.Rint, s), b.F32(0.25))
		return []*ir.Node{b.Add(acc[0], b.Mul(v, phase)), b.Sub(acc[1], b.Mul(v, w))}, nil
	})
	re := &ir.Buffer{Name: "re", Type: ir.F32, Shape: []int{64, 64}}
	im := &ir.Buffer{Name: "im", Type: ir.F32, Shape: []int{64, 64}}
	k := &ir.Kernel{Name: "das", Axes: []*ir.Node{x, z}, Stores: []ir.Store{
		{Buf: re, Index: []*ir.Node{x, z}, Value: out[0]}, {Buf: im, Index: []*ir.Node{x, z}, Value: out[1]}}}
	return k, data, pos
}

// BenchmarkEval reports the time of one executed operation in a delay-and-sum fold, loads with their guards included.
func BenchmarkEval(b *testing.B) {
	const elements, samples = 1024, 512
	k, data, pos := delayAndSum(elements, samples)
	for _, mode := range []Mode{Exact, Wide} {
		b.Run(mode.String(), func(b *testing.B) {
			p, err := Compile(k, mode)
			if err != nil {
				b.Fatal(err)
			}
			in := Inputs{Host: map[*ir.Buffer][]float64{data: make([]float64, elements*samples), pos: make([]float64, elements)}}
			points := make([][]int, 64)
			for i := range points {
				points[i] = []int{i, (i * 37) % 64}
			}
			for b.Loop() {
				if _, err := p.Eval(context.Background(), in, points); err != nil {
					b.Fatal(err)
				}
			}
			operations := float64(len(p.folds[0].body)) * elements * float64(len(points))
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/operations, "ns/operation")
		})
	}
}
