package codegen_test

import (
	"regexp"
	"slices"
	"testing"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/kernels/schedule"
)

// weighted is O(i, q) = the sum over j of P(q, j) S(i, j)^2, for seven q: sums that points have weights in common for.
func weighted(ni, nj int) *ir.Kernel {
	const sums = 7
	b := ir.NewBuilder()
	i := b.Axis("i", ni)
	init := slices.Repeat([]*ir.Node{b.F32(0)}, sums)
	total := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(nj), Init: init, Monoid: ir.Sum}, func(j *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		s := b.Load(f32("S", ni, nj), i, j)
		s = b.Mul(s, s)
		out := make([]*ir.Node, sums)
		for q := range out {
			out[q] = b.Add(acc[q], b.Mul(s, b.Load(f32("P", sums, nj), b.I32(q), j)))
		}
		return out, nil
	})
	k := &ir.Kernel{Name: "weighted", Axes: []*ir.Node{i}}
	for q, x := range total {
		k.Stores = append(k.Stores, ir.Store{Buf: f32("O", ni, sums), Index: []*ir.Node{i, b.I32(q)}, Value: x})
	}
	return k
}

// TestSumsInPasses compares sums that are made some at a time, for one point and for two in flight, with the scalar schedule: to the bit.
func TestSumsInPasses(t *testing.T) {
	k, array, own := weighted(5, 77), regexp.MustCompile(`(?m)^vf k\d+\[`), regexp.MustCompile(`(?m)^vf h\d+_\d+_0 = \*\(vf \*\)\(waiting`)
	run := func(target schedule.Target, s schedule.CPU, tiles ...region.Region) (out string, kept int) {
		d := &bench{t: t, target: target, choose: func(*ir.Kernel) schedule.CPU { return s }, edit: func(c string) string {
			kept = max(kept, len(array.FindAllString(c, -1)))
			if n := len(own.FindAllString(c, -1)); s.Group > 0 && n < 7 {
				t.Errorf("%s: passes hold %d sums of their own", s, n)
			}
			return c
		}}
		p, err := d.Compile(t.Context(), []*ir.Kernel{k}, device.Options{})
		if err != nil {
			t.Fatal(err)
		}
		in := map[string][]float64{}
		for _, b := range k.Inputs() {
			in[b.Name] = exactWave(b.Len())
		}
		return string(p[0].(*launchable).outputs(t, in, tiles)["O"]), kept
	}
	want, _ := run(schedule.Portable, schedule.CPU{}, k.Domain())
	for _, target := range []schedule.Target{schedule.AVX512, schedule.AVX2, schedule.Portable} {
		if !runs(t, target) {
			continue
		}
		for _, s := range []schedule.CPU{
			{FoldLanes: true, Group: 3},
			{FoldLanes: true, Group: 2, Unroll: []schedule.AxisN{{Axis: 0, N: 2}}},
			{FoldLanes: true, Group: 4, Unroll: []schedule.AxisN{{Axis: 0, N: 4}}},
		} {
			got, most := run(target, s, region.Region{{Lo: 0, Hi: 4}}, region.Region{{Lo: 4, Hi: 5}})
			if got != want {
				t.Errorf("%s, %s: differs from the scalar schedule", target.ISA, s)
			}
			if most != schedule.Product(s.Unroll) {
				t.Errorf("%s, %s: %d values are kept from the first pass", target.ISA, s, most)
			}
		}
	}
}
