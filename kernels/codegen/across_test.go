package codegen_test

import (
	"testing"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/kernels/schedule"
)

// carried is a fold over turns from lo to hi of a state that begins as init and takes what term gives, and the state after all turns and after one.
func carried(b *ir.Builder, lo, hi int, init *ir.Node, term func(turn, state *ir.Node) *ir.Node) (f *ir.Fold, last, state *ir.Node) {
	last = b.Fold(ir.FoldSpec{Lo: b.I32(lo), Hi: b.I32(hi), Init: []*ir.Node{init}}, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		state = b.Add(b.Mul(acc[0], b.F32(0.75)), term(k, acc[0]))
		return []*ir.Node{state}, nil
	})[0]
	return last.Fold, last, state
}

const rowsAcross = 53

// rowsOfTurns is a kernel of a state that is carried along the last dim, points being rows.
func rowsOfTurns(long, lo, hi int) *ir.Kernel {
	b := ir.NewBuilder()
	i := b.Axis("i", rowsAcross)
	f, _, state := carried(b, lo, hi, b.Load(f32("G", rowsAcross), i), func(k, _ *ir.Node) *ir.Node { return b.Load(f32("A", rowsAcross, long), i, k) })
	return &ir.Kernel{Name: "rows", Axes: []*ir.Node{i}, Stores: []ir.Store{{Buf: f32("O", rowsAcross, long), Index: []*ir.Node{i, f.Index}, Value: state, In: f}}}
}

// rowsWithinRows is a kernel whose state is carried along two dims, the last within the turns of the one before: rows of both are loaded and stored.
func rowsWithinRows(long, lo, hi int) *ir.Kernel {
	const outer = 21
	b := ir.NewBuilder()
	i := b.Axis("i", rowsAcross)
	var f *ir.Fold
	var state, turn *ir.Node
	g, _, sum := carried(b, 0, outer, b.Load(f32("G", rowsAcross), i), func(j, acc *ir.Node) *ir.Node {
		turn = j
		var inner *ir.Node
		f, inner, state = carried(b, lo, hi, b.Mul(acc, b.F32(0.5)), func(k, _ *ir.Node) *ir.Node { return b.Load(f32("A", rowsAcross, outer, long), i, j, k) })
		return b.Add(b.Load(f32("B", rowsAcross, outer), i, j), inner)
	})
	return &ir.Kernel{Name: "within", Axes: []*ir.Node{i}, Stores: []ir.Store{
		{Buf: f32("O", rowsAcross, outer, long), Index: []*ir.Node{i, turn, f.Index}, Value: state, In: f},
		{Buf: f32("P", rowsAcross, outer), Index: []*ir.Node{i, turn}, Value: sum, In: g},
	}}
}

// rowsTwice is a kernel whose turns store what later ones store again: the last of both stays.
func rowsTwice(long, lo, hi int) *ir.Kernel {
	k := rowsOfTurns(long+1, lo, hi)
	s := k.Stores[0]
	b := ir.Extend(k.Roots())
	s.Index = []*ir.Node{s.Index[0], b.Add(s.Index[1], b.I32(1))}
	s.Value = b.Neg(s.Value)
	k.Stores = append(k.Stores, s)
	return k
}

// TestRowsOfTurns compares states that are carried along the last dim with the scalar schedule: as many turns as are no multiple of a vector, fewer than one,
// and tiles that end within one.
func TestRowsOfTurns(t *testing.T) {
	const long = 70
	var kernels []*ir.Kernel
	var rows [][2]int // loaded and stored
	for _, ends := range [][2]int{{0, long}, {3, long - 4}, {60, 65}} {
		kernels = append(kernels, rowsOfTurns(long, ends[0], ends[1]), rowsWithinRows(long, ends[0], ends[1]), rowsTwice(long, ends[0], ends[1]))
		rows = append(rows, [2]int{1, 1}, [2]int{2, 2}, [2]int{1, 0})
	}
	slow := compileAll(t, kernels, schedule.Portable, func(*ir.Kernel) schedule.CPU { return schedule.CPU{} })
	in := map[string][]float64{"A": exactWave(rowsAcross * 21 * long), "B": exactWave(rowsAcross * 21), "G": exactWave(rowsAcross)}
	tiles := []region.Region{{{Lo: 0, Hi: 40}}, {{Lo: 40, Hi: rowsAcross}}}
	for _, target := range []schedule.Target{schedule.AVX512, schedule.AVX2, schedule.Portable} {
		if !runs(t, target) {
			continue
		}
		lanes := func(u int) func(*ir.Kernel) schedule.CPU {
			return func(*ir.Kernel) schedule.CPU {
				return schedule.CPU{Order: []int{0}, Lanes: []schedule.AxisN{{Axis: 0, N: target.Lanes}}, Unroll: []schedule.AxisN{{Axis: 0, N: u}}}
			}
		}
		for _, how := range []func(*ir.Kernel) schedule.CPU{func(k *ir.Kernel) schedule.CPU { return schedule.Default(k, target) }, lanes(2)} {
			for i, p := range compileAll(t, kernels, target, how) {
				fast := p.(*launchable)
				if got := [2]int{fast.out.Loads["transposed"], fast.out.Loads["stored in rows"]}; got != rows[i] && len(fast.s.Lanes) > 0 {
					t.Errorf("%s: %d, %s has accesses %v", target.ISA, i, fast.s.Text(kernels[i]), fast.out.Loads)
				}
				want := slow[i].(*launchable).outputs(t, in, []region.Region{kernels[i].Domain()})
				for name, got := range fast.outputs(t, in, tiles) {
					if string(got) != string(want[name]) {
						t.Errorf("%s: %s of %d differs under %s", target.ISA, name, i, fast.s.Text(kernels[i]))
					}
				}
			}
		}
	}
}

// What a slice packs of rows that turns load is read from memory, not from what the turns put aside.
func TestPackedRowsOfTurns(t *testing.T) {
	const long = 70
	b := ir.NewBuilder()
	i := b.Axis("i", rowsAcross)
	f, _, state := carried(b, 0, long, b.Load(f32("G", rowsAcross), i), func(k, _ *ir.Node) *ir.Node { return b.Mul(b.Load(f32("A", rowsAcross, long), i, k), b.F32(9)) })
	kernels := []*ir.Kernel{{Name: "packed", Axes: []*ir.Node{i}, Stores: []ir.Store{{Buf: f32("O", rowsAcross, long), Index: []*ir.Node{i, f.Index}, Value: state, In: f}}}}
	in := map[string][]float64{"A": exactWave(rowsAcross * long), "G": exactWave(rowsAcross)}
	slow := compileAll(t, kernels, schedule.Portable, func(*ir.Kernel) schedule.CPU { return schedule.CPU{} })
	want := slow[0].(*launchable).outputs(t, in, []region.Region{kernels[0].Domain()})
	for _, target := range []schedule.Target{schedule.AVX512, schedule.AVX2, schedule.Portable} {
		if !runs(t, target) {
			continue
		}
		s := schedule.CPU{Order: []int{0}, Lanes: []schedule.AxisN{{Axis: 0, N: target.Lanes}}, Split: 8, Chunk: []schedule.AxisN{{Axis: 0, N: 2 * target.Lanes}}, Pack: true}
		fast := compileAll(t, kernels, target, func(*ir.Kernel) schedule.CPU { return s })[0].(*launchable)
		for name, got := range fast.outputs(t, in, []region.Region{{{Lo: 0, Hi: rowsAcross}}}) {
			if string(got) != string(want[name]) {
				t.Errorf("%s: %s differs under %s", target.ISA, name, s.Text(kernels[0]))
			}
		}
	}
}
