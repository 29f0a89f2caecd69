package codegen_test

import (
	"strings"
	"testing"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/kernels/schedule"
)

// across is O(i, j) = 2 X(j, i+1) + Z(i, j), with X of any storage type.
func across(storage ir.DType, ni, nj int) *ir.Kernel {
	b := ir.NewBuilder()
	i, j := b.Axis("i", ni), b.Axis("j", nj)
	x := &ir.Buffer{Name: "X", Type: storage, Shape: []int{nj, ni + 1}}
	v := b.Cast(ir.F32, b.Load(x, j, b.Add(i, b.I32(1))))
	sum := b.Add(b.Mul(v, b.F32(2)), b.Load(f32("Z", ni, nj), i, j))
	return &ir.Kernel{Name: "across", Axes: []*ir.Node{i, j}, Stores: []ir.Store{{Buf: f32("O", ni, nj), Index: []*ir.Node{i, j}, Value: sum}}}
}

// TestTransposedLoads compares transposed loads of every storage type of one register with the scalar schedule, on extents
// that are no multiples of a block and on tiles smaller than one.
func TestTransposedLoads(t *testing.T) {
	const ni, nj = 53, 70
	var kernels []*ir.Kernel
	for _, storage := range []ir.DType{ir.F32, ir.F16, ir.BF16, ir.I32, ir.I16, ir.U16, ir.I8, ir.U8} {
		kernels = append(kernels, across(storage, ni, nj))
	}
	slow := compileAll(t, kernels, schedule.Portable, func(*ir.Kernel) schedule.CPU { return schedule.CPU{} })
	x, z := exactWave(nj*(ni+1)), exactWave(ni*nj)
	for i := range x {
		x[i] = float64(int(50 * (1 + x[i]))) // fits every type
	}
	in := map[string][]float64{"X": x, "Z": z}
	tiles := []region.Region{{{Lo: 0, Hi: 40}, {Lo: 0, Hi: nj}}, {{Lo: 40, Hi: ni}, {Lo: 0, Hi: 33}}, {{Lo: 40, Hi: ni}, {Lo: 33, Hi: nj}}}
	for _, target := range []schedule.Target{schedule.AVX512, schedule.AVX2, schedule.Portable} {
		if !runs(t, target) {
			continue
		}
		for i, p := range compileAll(t, kernels, target, func(k *ir.Kernel) schedule.CPU { return schedule.Default(k, target) }) {
			fast, storage := p.(*launchable), kernels[i].Inputs()[0].Type
			if fast.out.Loads["transposed"] != 1 || fast.out.Loads["gather"] != 0 {
				t.Errorf("%s, %s: %s has loads %v", target.ISA, storage, fast.s.Text(kernels[i]), fast.out.Loads)
			}
			want := slow[i].(*launchable).outputs(t, in, []region.Region{kernels[i].Domain()})
			if got := fast.outputs(t, in, tiles); string(got["O"]) != string(want["O"]) {
				t.Errorf("%s, %s: differs under %s", target.ISA, storage, fast.s.Text(kernels[i]))
			}
		}
	}
}

// TestTransposedPacks compares operands that are packed from rows across the lanes with the scalar schedule, on slices that are no multiples of a
// vector and tiles that end within one.
func TestTransposedPacks(t *testing.T) {
	const nx, ny, nk = 29, 150, 53
	var kernels []*ir.Kernel
	for _, types := range [][2]ir.DType{{ir.F32, ir.F32}, {ir.F16, ir.F32}, {ir.F64, ir.F64}} {
		storage, sums := types[0], types[1]
		b := ir.NewBuilder()
		x, y := b.Axis("x", nx), b.Axis("y", ny)
		rows := &ir.Buffer{Name: "B", Type: storage, Shape: []int{ny, nk}}
		a := f32("A", nx, nk)
		sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(nk), Init: []*ir.Node{b.Const(sums, 0)}, Monoid: ir.Sum}, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{b.Add(acc[0], b.Mul(b.Cast(sums, b.Load(a, x, k)), b.Cast(sums, b.Load(rows, y, k))))}, nil
		})
		kernels = append(kernels, &ir.Kernel{Name: "rows", Axes: []*ir.Node{x, y}, Stores: []ir.Store{{Buf: &ir.Buffer{Name: "O", Type: sums, Shape: []int{nx, ny}}, Index: []*ir.Node{x, y}, Value: sum[0]}}})
	}
	in := map[string][]float64{"A": exactWave(nx * nk), "B": exactWave(ny * nk)}
	for i := range in["B"] {
		in["B"][i] = float64(int(50 * (1 + in["B"][i]))) // fits every type
	}
	tiles := []region.Region{{{Lo: 0, Hi: 20}, {Lo: 0, Hi: 101}}, {{Lo: 20, Hi: nx}, {Lo: 0, Hi: 101}}, {{Lo: 0, Hi: nx}, {Lo: 101, Hi: ny}}}
	slow := compileAll(t, kernels, schedule.Portable, func(*ir.Kernel) schedule.CPU { return schedule.CPU{} })
	for _, target := range []schedule.Target{schedule.AVX512, schedule.AVX2, schedule.Portable} {
		if !runs(t, target) {
			continue
		}
		w := target.Lanes
		s := schedule.CPU{Order: []int{1, 0}, Lanes: []schedule.AxisN{{Axis: 1, N: w}}, Unroll: []schedule.AxisN{{Axis: 0, N: 3}, {Axis: 1, N: 2}},
			Split: 21, Chunk: []schedule.AxisN{{Axis: 1, N: 4 * w}, {Axis: 0, N: 12}}, Pack: true, AccMajor: true}
		for i, p := range compileAll(t, kernels, target, func(*ir.Kernel) schedule.CPU { return s }) {
			fast, storage, before := p.(*launchable), kernels[i].Inputs()[1].Type, given.Load()
			if fast.out.Loads["transposed"] != 1 || fast.out.Loads["gather"] != 0 {
				t.Errorf("%s, %s: loads %v", target.ISA, storage, fast.out.Loads)
			}
			want := slow[i].(*launchable).outputs(t, in, []region.Region{kernels[i].Domain()})
			if got := fast.outputs(t, in, tiles); string(got["O"]) != string(want["O"]) {
				t.Errorf("%s, %s: differs under %s", target.ISA, storage, s.Text(kernels[i]))
			}
			if given.Load() == before {
				t.Errorf("%s, %s: launches gave nothing to those that asked", target.ISA, storage)
			}
		}
	}
}

// TestConvertedPacks compares operands of points side by side, which are converted where they are packed, with the scalar schedule: they are loaded and stored
// in whole vectors.
func TestConvertedPacks(t *testing.T) {
	const nx, ny, nk = 29, 150, 53
	var kernels []*ir.Kernel
	for _, types := range [][2]ir.DType{{ir.F32, ir.F64}, {ir.F16, ir.F64}, {ir.F64, ir.F32}} {
		b := ir.NewBuilder()
		x, y := b.Axis("x", nx), b.Axis("y", ny)
		left, right := &ir.Buffer{Name: "A", Type: types[0], Shape: []int{nk, nx}}, &ir.Buffer{Name: "B", Type: types[0], Shape: []int{nk, ny}}
		out := &ir.Buffer{Name: "O", Type: types[1], Shape: []int{nx, ny}}
		sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(nk), Init: []*ir.Node{b.Const(types[1], 0)}, Monoid: ir.Sum}, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{b.Add(acc[0], b.Mul(b.Cast(types[1], b.Load(left, k, x)), b.Cast(types[1], b.Load(right, k, y))))}, nil
		})
		kernels = append(kernels, &ir.Kernel{Name: "converted", Axes: []*ir.Node{x, y}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{x, y}, Value: sum[0]}}})
	}
	in := map[string][]float64{"A": exactWave(nk * nx), "B": exactWave(nk * ny)}
	tiles := []region.Region{{{Lo: 0, Hi: 20}, {Lo: 0, Hi: 101}}, {{Lo: 20, Hi: nx}, {Lo: 0, Hi: 101}}, {{Lo: 0, Hi: nx}, {Lo: 101, Hi: ny}}}
	slow := compileAll(t, kernels, schedule.Portable, func(*ir.Kernel) schedule.CPU { return schedule.CPU{} })
	for _, target := range []schedule.Target{schedule.AVX512, schedule.AVX2, schedule.Portable} {
		if !runs(t, target) {
			continue
		}
		w := target.Lanes
		s := schedule.CPU{Order: []int{1, 0}, Lanes: []schedule.AxisN{{Axis: 1, N: w}}, Unroll: []schedule.AxisN{{Axis: 0, N: 3}},
			Split: 21, Chunk: []schedule.AxisN{{Axis: 1, N: 4 * w}, {Axis: 0, N: 12}}, Pack: true, AccMajor: true}
		for i, p := range compileAll(t, kernels, target, func(*ir.Kernel) schedule.CPU { return s }) {
			fast := p.(*launchable)
			if strings.Contains(fast.out.Source, "s_load_") {
				t.Errorf("%s, %s: points are packed one by one", target.ISA, kernels[i].Inputs()[0].Type)
			}
			want := slow[i].(*launchable).outputs(t, in, []region.Region{kernels[i].Domain()})
			if got := fast.outputs(t, in, tiles); string(got["O"]) != string(want["O"]) {
				t.Errorf("%s, %s: differs under %s", target.ISA, kernels[i].Inputs()[0].Type, s.Text(kernels[i]))
			}
		}
	}
}
