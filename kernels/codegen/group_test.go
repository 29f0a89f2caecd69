package codegen_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/kernels/schedule"
)

// scattered is O(i, j) = the sum over k of t+1 times T(k, round(X(i)+Y(j)+k/4), t), where that is in the record, over all t.
func scattered(beside int, guarded bool) *ir.Kernel {
	const ni, nj, rows, samples = 7, 23, 64, 60
	b := ir.NewBuilder()
	i, j := b.Axis("i", ni), b.Axis("j", nj)
	buf := f32("T", rows, samples, beside)
	x, y := b.Load(f32("X", ni), i), b.Load(f32("Y", nj), j)
	sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(rows), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		at := b.Add(b.Add(b.Mul(x, b.F32(30)), b.Mul(y, b.F32(30))), b.Mul(b.Cast(ir.F32, k), b.F32(0.25)))
		n := b.Cast(ir.I32, b.Alu(ir.Rint, at))
		if !guarded {
			n = b.Max(b.Min(n, b.I32(samples-1)), b.I32(0))
		}
		inside := b.And(b.Le(b.I32(0), n), b.Lt(n, b.I32(samples)))
		out := acc[0]
		for t := range beside {
			v := b.Load(buf, k, n, b.I32(t))
			if guarded {
				v = b.LoadOr(buf, inside, b.F32(0.5), k, n, b.I32(t))
			}
			out = b.Add(out, b.Mul(v, b.F32(float64(t+1))))
		}
		return []*ir.Node{out}, nil
	})
	return &ir.Kernel{Name: "scattered", Axes: []*ir.Node{i, j}, Stores: []ir.Store{{Buf: f32("O", ni, nj), Index: []*ir.Node{i, j}, Value: sum[0]}}}
}

// TestGroupsOfLoads compares gathers of several elements side by side, in lane tiles, along lines and one point after the other,
// whole and in parts, with the scalar schedule: to the bit.
func TestGroupsOfLoads(t *testing.T) {
	cases := map[*ir.Kernel]int{} // how many lie side by side
	for beside, guards := range map[int][]bool{2: {true}, 4: {false, true}, 7: {true}} {
		for _, guarded := range guards {
			cases[scattered(beside, guarded)] = beside
		}
	}
	kernels := slices.Collect(maps.Keys(cases))
	compile := func(target schedule.Target, s schedule.CPU) []device.Program {
		p, err := (&bench{t: t, target: target, choose: func(*ir.Kernel) schedule.CPU { return s }}).Compile(t.Context(), kernels, device.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	in := func(k *ir.Kernel) map[string][]float64 {
		in := map[string][]float64{}
		for _, b := range k.Inputs() {
			in[b.Name] = exactWave(b.Len())
		}
		return in
	}
	var want []string
	for i, p := range compile(schedule.Portable, schedule.CPU{}) {
		want = append(want, string(p.(*launchable).outputs(t, in(kernels[i]), []region.Region{kernels[i].Domain()})["O"]))
	}
	tiles := []region.Region{{{Lo: 0, Hi: 5}, {Lo: 0, Hi: 23}}, {{Lo: 5, Hi: 7}, {Lo: 0, Hi: 22}}, {{Lo: 5, Hi: 7}, {Lo: 22, Hi: 23}}}
	for _, target := range []schedule.Target{schedule.AVX512, schedule.AVX2, schedule.Portable} {
		if !runs(t, target) {
			continue
		}
		schedules := []schedule.CPU{{Lanes: []schedule.AxisN{{Axis: 0, N: 4}, {Axis: 1, N: target.Lanes / 4}}, Unroll: []schedule.AxisN{{Axis: 1, N: 2}}}, {Flat: 3, Split: 7}, {FoldLanes: true}}
		if target == schedule.AVX512 {
			schedules = append(schedules, schedule.CPU{Lanes: []schedule.AxisN{{Axis: 1, N: target.Lanes}}}, schedule.CPU{Flat: 1}, schedule.CPU{Flat: 4, Split: 40})
		}
		for _, s := range schedules {
			for i, p := range compile(target, s) {
				k, fast := kernels[i], p.(*launchable)
				wide := fast.out.Loads["gather of 2"] + fast.out.Loads["gather of 3"] + fast.out.Loads["gather of 4"]
				if wide != cases[k] {
					t.Errorf("%s, %d side by side, %s: loads %v", target.ISA, cases[k], s, fast.out.Loads)
				}
				if got := fast.outputs(t, in(k), tiles); string(got["O"]) != want[i] {
					t.Errorf("%s, %d side by side: differs under %s\n%s", target.ISA, cases[k], s, k)
				}
			}
		}
	}
}

// TestTransposed: neighbours a few samples apart are for windows, those far apart for gathers of what lies side by side.
func TestTransposed(t *testing.T) {
	for _, c := range []struct {
		nx, ny, nz      int
		side, near, far float64
		want            int
	}{
		{64, 64, 128, 10, 20, 40, 0},
		{24, 24, 40, 20, 20, 40, 1},
		{9, 9, 33, 10, 20, 40, 1},
	} {
		m := newBeam(c.nx, c.ny, c.nz, 32, 32, false).Know(c.side, c.near, c.far, 7.792)
		if got := schedule.Transposed(m.Kernel, schedule.AVX512); len(got) != c.want || c.want > 0 && got[0] != m.T {
			t.Errorf("%d x %d x %d points over %g mm: %d buffers, want %d", c.nx, c.ny, c.nz, 2*c.side, len(got), c.want)
		}
	}
}

// taps is O(j, t, i) = (t+1) X(i+t%2, j), and with the last two axes transposed: across memory.
func taps(transposed bool) *ir.Kernel {
	const nj, nt, ni = 37, 4, 29
	b := ir.NewBuilder()
	j, t, i := b.Axis("j", nj), b.Axis("t", nt), b.Axis("i", ni)
	axes, shape := []*ir.Node{j, t, i}, []int{nj, nt, ni}
	if transposed {
		axes, shape = []*ir.Node{j, i, t}, []int{nj, ni, nt}
	}
	x := f32("X", ni+1, nj)
	weight := b.Cast(ir.F32, b.Add(t, b.I32(1)))
	v := b.Add(b.Mul(b.Load(x, i, j), weight), b.Load(x, b.Add(i, b.I32(1)), j))
	return &ir.Kernel{Name: "taps", Axes: axes, Stores: []ir.Store{{Buf: f32("O", shape...), Index: axes, Value: v}}}
}

// TestRowsOfStores compares what lanes store in rows with the scalar schedule.
func TestRowsOfStores(t *testing.T) {
	for _, transposed := range []bool{false, true} {
		k := taps(transposed)
		compile := func(target schedule.Target, choose func(*ir.Kernel) schedule.CPU) *launchable {
			p, err := (&bench{t: t, target: target, choose: choose}).Compile(t.Context(), []*ir.Kernel{k}, device.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return p[0].(*launchable)
		}
		in := map[string][]float64{"X": exactWave(k.Inputs()[0].Len())}
		whole := k.Domain()
		first, second := append(region.Region{}, whole...), append(region.Region{}, whole...)
		first[0].Hi, second[0].Lo = 19, 19
		want := compile(schedule.Portable, func(*ir.Kernel) schedule.CPU { return schedule.CPU{} }).outputs(t, in, []region.Region{whole})
		for _, target := range []schedule.Target{schedule.AVX512, schedule.AVX2, schedule.Portable} {
			if !runs(t, target) {
				continue
			}
			fast := compile(target, func(k *ir.Kernel) schedule.CPU { return schedule.Default(k, target) })
			if !strings.Contains(fast.out.Source, "scatter4_f32") {
				t.Errorf("%s, transposed %v: no rows under %s", target.ISA, transposed, fast.s.Text(k))
			}
			if got := fast.outputs(t, in, []region.Region{first, second}); string(got["O"]) != string(want["O"]) {
				t.Errorf("%s, transposed %v: differs under %s", target.ISA, transposed, fast.s.Text(k))
			}
		}
	}
}
