package codegen_test

import (
	"math"
	"regexp"
	"slices"
	"testing"

	render "weft/kernels/codegen/c"
	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/kernels/schedule"
)

// TestWindowStorage reads windows of every storage type that has them, of one and of two vectors, with the gathering copy
// taken out: what is right then came through windows.
func TestWindowStorage(t *testing.T) { testWindows(t, true, nil) }

// Rows may begin at another place than the first.
func TestWindowsOfLaterRows(t *testing.T) {
	testWindows(t, false, func(b *ir.Builder, n, _ *ir.Node) *ir.Node { return b.Sub(n, b.I32(200)) })
}

// Guards may hold at no lane: what is read before a record is what stands there.
func TestWindowsBeforeRows(t *testing.T) {
	testWindows(t, true, func(b *ir.Builder, n, _ *ir.Node) *ir.Node { return b.Sub(n, b.I32(350)) })
}

// All lanes may add something to what differs between them.
func TestWindowsThatAreShifted(t *testing.T) {
	from := func(start int) func(b *ir.Builder, n, element *ir.Node) *ir.Node {
		return func(b *ir.Builder, n, element *ir.Node) *ir.Node {
			return b.Sub(b.Add(n, b.Load(&ir.Buffer{Name: "K", Type: ir.I32, Shape: []int{128}}, element)), b.I32(start))
		}
	}
	testWindows(t, false, from(200))
	testWindows(t, true, from(300))
}

// Whole numbers that are held between limits go without them where they lie apart from these. Bounds of the second ones are exact: sums and floors keep order.
func TestWindowsOfNumbersBetweenLimits(t *testing.T) {
	for _, whole := range []func(b *ir.Builder, n, element *ir.Node) *ir.Node{
		func(_ *ir.Builder, n, _ *ir.Node) *ir.Node { return n.Args[0] },
		func(b *ir.Builder, n, element *ir.Node) *ir.Node {
			lag := n.Args[0].Args[0].Args[1]
			return b.Alu(ir.Floor, b.Add(lag, b.Load(f32("E", 128), element)))
		},
	} {
		testWindows(t, false, func(b *ir.Builder, n, element *ir.Node) *ir.Node {
			by := b.Alu(ir.Rint, b.Load(f32("K", 128), element))
			return b.Cast(ir.I32, b.Min(b.Max(b.Add(by, whole(b, n, element)), b.F32(80)), b.F32(300)))
		})
	}
}

// What turns choose by conditions that rarely fail is settled for a block of them; where a condition fails, there is a copy that chooses.
func TestWindowsOfTurnsThatRarelyDiffer(t *testing.T) {
	choose := func(by int) func(b *ir.Builder, n, element *ir.Node) *ir.Node {
		return func(b *ir.Builder, n, element *ir.Node) *ir.Node {
			at := b.Add(element, b.I32(by))
			held := b.Select(b.And(b.Le(b.I32(0), at), b.Lt(at, b.I32(128))), at, b.I32(0))
			return b.Sub(b.Add(n, b.Load(&ir.Buffer{Name: "K", Type: ir.I32, Shape: []int{128}}, held)), b.I32(200))
		}
	}
	testWindows(t, false, choose(5))
	for by, choices := range map[int]int{5: 2, -5: 2, 20: 3} { // of copies: gathers, wide and narrow windows
		k := planarAt(ir.F32, false, choose(by))
		s := schedule.CPU{Lanes: []schedule.AxisN{{Axis: 0, N: 8}, {Axis: 1, N: 2}}, Window: 32, Guard: true, Table: 16}
		out, err := render.Render(k, s, schedule.AVX512, "k", render.Way{})
		if err != nil {
			t.Fatal(err)
		}
		if n := len(regexp.MustCompile(`const int v\d+ = v\d+ \? `).FindAllString(out.Source, -1)); n != choices {
			t.Errorf("%d turns on: %d copies choose", by, n)
		}
	}
}

func testWindows(t *testing.T, guarded bool, index func(b *ir.Builder, n, element *ir.Node) *ir.Node) {
	unproven, wide := regexp.MustCompile(`__builtin_expect\(v_any\(w\d+\), 0\)`), regexp.MustCompile(`v_any\(w\d+\)`)
	on := map[ir.DType][]schedule.Target{
		ir.F32: {schedule.AVX2}, ir.F16: {schedule.AVX512, schedule.AVX2, schedule.Portable}, ir.BF16: {schedule.AVX512}, ir.I32: {schedule.AVX512}, ir.I16: {schedule.AVX512}, ir.U16: {schedule.AVX512}, ir.I8: {schedule.AVX512}, ir.U8: {schedule.AVX2},
		ir.F64: {schedule.AVX512, schedule.AVX2, schedule.Portable},
	}
	in := map[string][]float64{"E": ramp(128, -9, 0.14), "X": ramp(256, -9, 0.07), "Z": ramp(512, 150, 0.15), "S": ramp(11, -0.2, 0.04), "C": ramp(11, 1, 0), "K": ramp(128, -100, 2)}
	wave := make([]float64, 11*128*1024)
	for i := range wave {
		wave[i] = math.Round(50 + 40*math.Sin(float64(i%7919)*0.2))
	}
	in["T"] = wave
	tile := region.Region{{Lo: 100, Hi: 117}, {Lo: 31, Hi: 70}}
	var storages []ir.DType
	kernels := map[ir.DType]*ir.Kernel{}
	for storage := range on {
		storages = append(storages, storage)
		kernels[storage] = planarAt(storage, guarded, index)
		kernels[storage].Contract = false
	}
	slices.Sort(storages)
	run := func(target schedule.Target, s schedule.CPU, storages []ir.DType, edit func(string) string) map[ir.DType]string {
		d := &bench{t: t, target: target, choose: func(*ir.Kernel) schedule.CPU { return s }, edit: edit}
		var list []*ir.Kernel
		for _, storage := range storages {
			list = append(list, kernels[storage])
		}
		programs, err := d.Compile(t.Context(), list, device.Options{})
		if err != nil {
			t.Fatal(err)
		}
		out := map[ir.DType]string{}
		for i, p := range programs {
			one := p.(*launchable)
			if s.Window > 0 && one.out.Loads["window"] == 0 {
				t.Errorf("%s %s: no window", storages[i], s)
			}
			out[storages[i]] = string(one.outputs(t, in, []region.Region{tile})["O"])
		}
		return out
	}
	want := run(schedule.Portable, schedule.CPU{}, storages, nil)
	for _, target := range []schedule.Target{schedule.AVX512, schedule.AVX2, schedule.Portable} {
		mine := slices.DeleteFunc(slices.Clone(storages), func(s ir.DType) bool { return !slices.Contains(on[s], target) })
		if !runs(t, target) {
			continue
		}
		for _, window := range []int{16, 32} {
			s := schedule.CPU{Lanes: []schedule.AxisN{{Axis: 0, N: target.Lanes / 2}, {Axis: 1, N: 2}}, Unroll: []schedule.AxisN{{Axis: 1, N: 2}}, Window: window, Guard: true, Table: 16}
			for _, all := range []bool{false, true} { // blocks through windows of the whole width
				chooses := false
				for storage, got := range run(target, s, mine, func(c string) string {
					c = unproven.ReplaceAllString(c, "0")
					chooses = chooses || wide.MatchString(c)
					if all {
						c = wide.ReplaceAllString(c, "1")
					}
					return c
				}) {
					if got != want[storage] {
						t.Errorf("%s %s window %d, all of whole width %t: differs from the scalar schedule", target.ISA, storage, window, all)
					}
				}
				if chooses != (window == 32) {
					t.Errorf("%s window %d: chooses between widths: %t", target.ISA, window, chooses)
				}
			}
		}
	}
}

func ramp(n int, from, step float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = from + step*float64(i)
	}
	return v
}

// Positions in planes of either float type get the same lane tiles and windows.
func TestWindowsOfBothFloats(t *testing.T) {
	for _, target := range []schedule.Target{schedule.AVX512, schedule.AVX2} {
		single, double := schedule.Default(planar(ir.F32), target), schedule.Default(planar(ir.F64), target)
		if single.Window == 0 || double.Window != single.Window || !slices.Equal(double.Lanes, single.Lanes) {
			t.Errorf("%s: f32 %s, f64 %s", target.ISA, single, double)
		}
	}
}
