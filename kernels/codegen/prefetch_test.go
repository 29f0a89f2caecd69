package codegen_test

import (
	"fmt"
	"strings"
	"testing"

	render "weft/kernels/codegen/c"
	"weft/kernels/ir"
	"weft/kernels/ir/rules"
	"weft/kernels/schedule"
)

// Loads are asked for beforehand where the loop around them jumps further than processors foresee, and nowhere else.
func TestFarLoadsArePrefetched(t *testing.T) {
	for _, c := range []struct {
		name  string
		inner int // extent of the axis that lanes run along
		order []int
		want  bool
	}{
		{"rows of 4 KiB, row by row innermost", 1024, []int{1, 0}, true},
		{"rows of 4 KiB, along each", 1024, []int{0, 1}, false},
		{"rows of 256 bytes", 64, []int{1, 0}, false},
	} {
		k := elementwise(100, c.inner)
		out, err := render.Render(k, schedule.CPU{Order: c.order, Lanes: []schedule.AxisN{{Axis: 1, N: schedule.AVX2.Lanes}}}, schedule.AVX2, "kernel", render.Way{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(out.Source, "__builtin_prefetch("); got != c.want {
			t.Errorf("%s: prefetches %t", c.name, got)
		}
	}
	if out, err := render.Render(total(1<<16), schedule.CPU{FoldLanes: true}, schedule.AVX2, "kernel", render.Way{}); err != nil || strings.Contains(out.Source, "__builtin_prefetch(") {
		t.Errorf("a fold along memory prefetches; %v", err)
	}
}

// What the next block of a pass reads is asked for where points have rows of their own that are not near: S, not P, by whole vectors and by what is left of a row.
func TestNextBlockOfAPassIsAskedFor(t *testing.T) {
	for rows, want := range map[int]int{200: 0, 600: 2} {
		s := schedule.CPU{FoldLanes: true, Group: 3}
		out, err := render.Render(weighted(rows, 1000), s, schedule.AVX512, "kernel", render.Way{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(out.Source, "__builtin_prefetch("); got != want {
			t.Errorf("%d rows: asks %d times for what comes, not %d\n%s", rows, got, want, out.Source)
		}
	}
}

// Rows that a sweep writes are asked for where they stay in the caches, and not where they go past them: those of whole lines of an array that is
// stored past.
func TestSweptRowsAreAskedForOrStoredPast(t *testing.T) {
	for _, c := range []struct {
		columns    int
		past, want bool
	}{{1040, true, true}, {1000, true, false}, {1040, false, false}} {
		b := ir.NewBuilder()
		x := b.Axis("x", c.columns)
		in, out := f32("in", 500, c.columns), f32("out", 500, c.columns)
		k := &ir.Kernel{Name: "sweep", Axes: []*ir.Node{x}, Past: c.past}
		b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(500), Init: []*ir.Node{b.F32(0)}}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			sum := b.Add(acc[0], b.Load(in, i, x))
			k.Stores = append(k.Stores, ir.Store{Buf: out, Index: []*ir.Node{i, x}, Value: sum, In: i.Fold})
			return []*ir.Node{sum}, nil
		})
		if err := rules.Check(k); err != nil {
			t.Fatal(err)
		}
		s := schedule.CPU{Order: []int{0}, Lanes: []schedule.AxisN{{Axis: 0, N: 8}}, Split: 2, Chunk: []schedule.AxisN{{Axis: 0, N: 104}}}
		got, err := render.Render(k, s, schedule.AVX2, "f", render.Way{})
		if err != nil {
			t.Fatal(err)
		}
		past, asks := strings.Contains(got.Source, "past_f32("), strings.Contains(got.Source, ", 1);")
		if past != c.want || asks == c.want {
			t.Errorf("rows of %d, past %v: stored past %v, asked for %v\n%s", c.columns, c.past, past, asks, got.Source)
		}
	}
}

// Rows that are packed for a slice are asked for some rows beforehand where they lie further apart than a page.
func TestFarRowsThatArePackedAreAskedFor(t *testing.T) {
	for columns, want := range map[int]bool{1040: true, 1000: false} {
		b := ir.NewBuilder()
		x, y := b.Axis("x", 64), b.Axis("y", columns)
		left, right := f32("A", 64, 50), f32("B", 50, columns)
		sum := b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(50), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			return []*ir.Node{b.Add(acc[0], b.Mul(b.Load(left, x, k), b.Load(right, k, y)))}, nil
		})
		k := &ir.Kernel{Name: "product", Axes: []*ir.Node{x, y}, Stores: []ir.Store{{Buf: f32("O", 64, columns), Index: []*ir.Node{x, y}, Value: sum[0]}}}
		s := schedule.CPU{Order: []int{1, 0}, Lanes: []schedule.AxisN{{Axis: 1, N: 8}}, Split: 21, Chunk: []schedule.AxisN{{Axis: 1, N: 32}, {Axis: 0, N: 12}}, Pack: true, AccMajor: true}
		got, err := render.Render(k, s, schedule.AVX2, "f", render.Way{})
		if err != nil {
			t.Fatal(err)
		}
		if asks := strings.Contains(got.Source, fmt.Sprintf(" + %d)", 4*columns)); asks != want {
			t.Errorf("rows of %d: asked for: %v\n%s", columns, asks, got.Source)
		}
	}
}
