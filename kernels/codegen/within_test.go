package codegen_test

import (
	"fmt"
	"strings"
	"testing"

	render "weft/kernels/codegen/c"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/kernels/schedule"
)

// beyond is O(i, j) = X(i-1, j) - X(i, j-1) + 2 X(i, j+2), where X is 7 outside.
func beyond(elem ir.DType, ni, nj int) *ir.Kernel {
	b := ir.NewBuilder()
	i, j := b.Axis("i", ni), b.Axis("j", nj)
	x := &ir.Buffer{Name: "X", Type: elem, Shape: []int{ni, nj}}
	at := func(di, dj int) *ir.Node {
		r, c := b.Add(i, b.I32(di)), b.Add(j, b.I32(dj))
		in := func(n *ir.Node, size int) *ir.Node { return b.And(b.Le(b.I32(0), n), b.Lt(n, b.I32(size))) }
		return b.LoadOr(x, b.And(in(r, ni), in(c, nj)), b.Cast(elem, b.F32(7)), r, c)
	}
	sum := b.Add(b.Sub(at(-1, 0), at(0, -1)), b.Mul(at(0, 2), b.Cast(elem, b.F32(2))))
	return &ir.Kernel{Name: fmt.Sprint("beyond", nj), Axes: []*ir.Node{i, j}, Past: nj%2 == 0,
		Stores: []ir.Store{{Buf: &ir.Buffer{Name: "O", Type: elem, Shape: []int{ni, nj}}, Index: []*ir.Node{i, j}, Value: sum}}}
}

// TestLoadsBeyondEnds compares what is computed between the ends of an axis without tests, a few rows at a time, with the scalar schedule, on
// axes that are shorter than a vector, as long, and longer, and stored past the caches or not.
func TestLoadsBeyondEnds(t *testing.T) {
	const ni = 37
	var kernels []*ir.Kernel
	for _, elem := range []ir.DType{ir.F32, ir.F64} {
		for _, nj := range []int{3, 16, 17, 32, 35, 70, 128} {
			kernels = append(kernels, beyond(elem, ni, nj))
		}
	}
	slow := compileAll(t, kernels, schedule.Portable, func(*ir.Kernel) schedule.CPU { return schedule.CPU{} })
	for _, target := range []schedule.Target{schedule.AVX512, schedule.AVX2, schedule.Portable} {
		if !runs(t, target) {
			continue
		}
		for n, p := range compileAll(t, kernels, target, func(k *ir.Kernel) schedule.CPU { return schedule.Default(k, target) }) {
			k, fast := kernels[n], p.(*launchable)
			nj := k.Axes[1].Extent
			text, err := render.Render(k, fast.s, target, "k", render.Way{})
			if err != nil {
				t.Fatal(err)
			}
			if between := strings.Contains(text.Source, "k_inside"); between != (len(fast.s.Lanes) > 0 && (nj-2)/fast.s.Lanes[0].N*fast.s.Lanes[0].N-fast.s.Lanes[0].N >= fast.s.Step(1)) {
				t.Errorf("%s, %s, %d columns: a variant for what is between the ends: %v", target.ISA, k.Inputs()[0].Type, nj, between)
			}
			in := map[string][]float64{"X": exactWave(ni * nj)}
			want := slow[n].(*launchable).outputs(t, in, []region.Region{k.Domain()})
			cut := nj / 2
			if nj < 64 {
				cut = nj
			}
			tiles := []region.Region{{{Lo: 0, Hi: 9}, {Lo: 0, Hi: nj}}, {{Lo: 9, Hi: ni}, {Lo: 0, Hi: cut}}}
			if cut < nj {
				tiles = append(tiles, region.Region{{Lo: 9, Hi: ni}, {Lo: cut, Hi: nj}})
			}
			if got := fast.outputs(t, in, tiles); string(got["O"]) != string(want["O"]) {
				t.Errorf("%s, %s, %d columns: differs under %s", target.ISA, k.Inputs()[0].Type, nj, fast.s.Text(k))
			}
		}
	}
}
