package codegen_test

import (
	"math"
	"strings"
	"testing"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/kernels/schedule"
)

// TestWholePartsOfProducts compares whole parts of products that vectors round toward zero in float32 with those of float64: at multiples of a
// thousandth, where products are a whole number but for rounding, and next to them.
func TestWholePartsOfProducts(t *testing.T) {
	var data []float64
	for i := range 2000 {
		for _, sign := range []float32{-1, 1} {
			x := sign * float32(float64(i)/1000)
			data = append(data, float64(x), float64(math.Nextafter32(x, 0)), float64(math.Nextafter32(x, sign*3)))
		}
	}
	data = append(data, math.Inf(1), math.Inf(-1), 1e30, math.SmallestNonzeroFloat32)
	b := ir.NewBuilder()
	i := b.Axis("i", len(data))
	x := b.Load(f32("X", len(data)), i)
	inside := b.Select(b.And(b.Le(b.F32(-2), x), b.Le(x, b.F32(2))), x, b.F32(0))
	whole := func(by float64) *ir.Kernel {
		v := b.Cast(ir.I32, b.Mul(b.Cast(ir.F64, inside), b.F64(by)))
		return &ir.Kernel{Name: "whole", Axes: []*ir.Node{i}, Stores: []ir.Store{{Buf: &ir.Buffer{Name: "O", Type: ir.I32, Shape: []int{len(data)}}, Index: []*ir.Node{i}, Value: v}}}
	}
	kernels := []*ir.Kernel{whole(1000), whole(-1000), whole(8388609), whole(0.1)}
	in := map[string][]float64{"X": data}
	slow := compileAll(t, kernels, schedule.Portable, func(*ir.Kernel) schedule.CPU { return schedule.CPU{} })
	for _, target := range []schedule.Target{schedule.AVX512, schedule.AVX2, schedule.Portable} {
		if !runs(t, target) {
			continue
		}
		for n, p := range compileAll(t, kernels, target, func(k *ir.Kernel) schedule.CPU { return schedule.Default(k, target) }) {
			fast, held := p.(*launchable), n < 2 // the largest product of the third is beyond 2^24, the constant of the last no float32
			if strings.Contains(fast.out.Source, "v_whole_f") != held {
				t.Errorf("%s, kernel %d: in float32 %t", target.ISA, n, !held)
			}
			all := []region.Region{kernels[n].Domain()}
			if got, want := fast.outputs(t, in, all), slow[n].(*launchable).outputs(t, in, all); string(got["O"]) != string(want["O"]) {
				t.Errorf("%s, kernel %d: differs", target.ISA, n)
			}
		}
	}
}
