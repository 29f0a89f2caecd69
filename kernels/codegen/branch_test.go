package codegen_test

import (
	"strings"
	"testing"

	render "weft/kernels/codegen/c"
	"weft/kernels/ir"
	"weft/kernels/ir/rules"
	"weft/kernels/schedule"
)

// What is kept of a row is stored and counted in one branch, with the state that changes then alone; a turn that keeps nothing only adds, and asks for what
// the branch may read soon.
func TestKeptInOneBranch(t *testing.T) {
	b := ir.NewBuilder()
	y := b.Axis("y", 50)
	a, out := f32("a", 50, 300), f32("out", 50, 300)
	at, column := &ir.Buffer{Name: "at", Type: ir.I32, Shape: []int{50, 300}}, &ir.Buffer{Name: "column", Type: ir.I32, Shape: []int{50, 300}}
	k := &ir.Kernel{Name: "kept", Axes: []*ir.Node{y}}
	b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(300), Init: []*ir.Node{b.I32(0), b.F32(0), b.F32(0)}}, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		sum := b.Add(acc[1], b.Load(a, y, i))
		on := b.Lt(acc[2], sum)
		for buf, x := range map[*ir.Buffer]*ir.Node{out: sum, at: b.Load(column, y, i)} {
			k.Stores = append(k.Stores, ir.Store{Buf: buf, Index: []*ir.Node{y, acc[0]}, Value: x, Guard: b.And(on, b.Lt(acc[0], b.I32(200))), In: i.Fold})
		}
		return []*ir.Node{b.Add(acc[0], b.Cast(ir.I32, on)), sum, b.Select(on, b.Add(sum, b.F32(9)), acc[2])}, nil
	})
	if err := rules.Check(k); err != nil {
		t.Fatal(err)
	}
	got, err := render.Render(k, schedule.CPU{Order: []int{0}}, schedule.Target{Lanes: 16}, "f", render.Way{})
	if err != nil {
		t.Fatal(err)
	}
	from := strings.Index(got.Source, "if (__builtin_expect(")
	if from < 0 || strings.Count(got.Source, "if (") != 2 {
		t.Fatalf("not one branch, and one for how many there is room for:\n%s", got.Source)
	}
	branch := got.Source[from:]
	branch = branch[:strings.LastIndex(branch, "}\na")]
	for _, want := range []string{"s_store_f32(", "s_store_i32(", "s_load_i32(", "9.0"} {
		if strings.Count(got.Source, want) != 1 || !strings.Contains(branch, want) {
			t.Errorf("%s is not in the branch alone:\n%s", want, got.Source)
		}
	}
	if n := strings.Count(branch, "\na"); n != 2 {
		t.Errorf("%d accumulators change in the branch, want 2:\n%s", n, got.Source)
	}
	if before := got.Source[:from]; strings.Count(got.Source, "__builtin_prefetch(") != 1 || !strings.Contains(before, "__builtin_prefetch(") {
		t.Errorf("not one prefetch before the branch:\n%s", got.Source)
	}
}
