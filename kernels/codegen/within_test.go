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

// held is O(i) = the sum over j of W(i, j) X(i + j - 3), where X is 0 outside: all of a row of X but its ends lies side by side for turns and for points.
func held(elem ir.DType) *ir.Kernel {
	const ni, nj = 70, 64
	b := ir.NewBuilder()
	i := b.Axis("i", ni)
	x, w := &ir.Buffer{Name: "X", Type: elem, Shape: []int{ni}}, &ir.Buffer{Name: "W", Type: elem, Shape: []int{ni, nj}}
	sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(nj), Init: []*ir.Node{b.Const(elem, 0)}, Monoid: ir.Sum}, func(j *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		at := b.Sub(b.Add(i, j), b.I32(3))
		in := b.And(b.Le(b.I32(0), at), b.Lt(at, b.I32(ni)))
		y := b.Select(in, b.Load(x, b.Select(in, at, b.I32(0))), b.Const(elem, 0))
		return []*ir.Node{b.Add(acc[0], b.Mul(b.Load(w, i, j), y))}, nil
	})
	return &ir.Kernel{Name: "held", Axes: []*ir.Node{i}, Stores: []ir.Store{{Buf: &ir.Buffer{Name: "O", Type: elem, Shape: []int{ni}}, Index: []*ir.Node{i}, Value: sum[0]}}}
}

// TestTurnsHeldWithinEnds compares turns and points on lanes that read a place which is another one beyond the ends with the scalar schedule: vectors within are read side by
// side, and nothing is gathered but at the ends.
func TestTurnsHeldWithinEnds(t *testing.T) {
	kernels := []*ir.Kernel{held(ir.F32), held(ir.F64)}
	in := map[string][]float64{"X": exactWave(70), "W": exactWave(70 * 64)}
	slow := compileAll(t, kernels, schedule.Portable, func(*ir.Kernel) schedule.CPU { return schedule.CPU{} })
	for _, target := range []schedule.Target{schedule.AVX512, schedule.AVX2, schedule.Portable} {
		if !runs(t, target) {
			continue
		}
		for _, s := range []schedule.CPU{{FoldLanes: true}, {Lanes: []schedule.AxisN{{Axis: 0, N: target.Lanes}}}} {
			for n, p := range compileAll(t, kernels, target, func(*ir.Kernel) schedule.CPU { return s }) {
				fast, k := p.(*launchable), kernels[n]
				want := slow[n].(*launchable).outputs(t, in, []region.Region{k.Domain()})
				if got := fast.outputs(t, in, []region.Region{{{Lo: 0, Hi: 33}}, {{Lo: 33, Hi: 70}}}); string(got["O"]) != string(want["O"]) {
					t.Errorf("%s, %s, %s: differs from the scalar schedule", target.ISA, k.Inputs()[0].Type, s)
				}
				if l := fast.out.Loads; l["contiguous"] == 0 || s.FoldLanes && l["gather"] > 0 {
					t.Errorf("%s, %s, %s: loads %v", target.ISA, k.Inputs()[0].Type, s, l)
				}
			}
		}
	}
}

// TestChoicesBetweenFloat64 looks at the text of choices between float64 by comparisons of such: no mask of a single register is made on the way.
func TestChoicesBetweenFloat64(t *testing.T) {
	b := ir.NewBuilder()
	i := b.Axis("i", 64)
	x := b.Load(&ir.Buffer{Name: "X", Type: ir.F64, Shape: []int{64}}, i)
	in := b.And(b.Lt(b.F64(-1), x), b.Not(b.Lt(b.F64(2), x)))
	k := &ir.Kernel{Name: "choose", Axes: []*ir.Node{i}, Stores: []ir.Store{{Buf: &ir.Buffer{Name: "O", Type: ir.F64, Shape: []int{64}}, Index: []*ir.Node{i}, Value: b.Select(in, x, b.F64(0))}}}
	out, err := render.Render(k, schedule.CPU{Lanes: []schedule.AxisN{{Axis: 0, N: 16}}}, schedule.AVX512, "k", render.Way{})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.Source, "sel_d(") || strings.Contains(out.Source, "wide0(") {
		t.Errorf("masks are widened:\n%s", out.Source)
	}
}
