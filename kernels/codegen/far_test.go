package codegen_test

import (
	"strings"
	"testing"

	render "weft/kernels/codegen/c"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// A masked load of a row that is not there goes nowhere far, by the half of its guard that all lanes share; one without such a half has none.
func TestMaskedLoadsStayNear(t *testing.T) {
	for name, far := range map[string]bool{"rows and columns": true, "columns": false} {
		b := ir.NewBuilder()
		y, x := b.Axis("y", 40), b.Axis("x", 64)
		in, out := &ir.Buffer{Name: "in", Type: ir.F32, Shape: []int{40, 64}}, &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{40, 64}}
		row, column := y, b.Add(x, b.I32(7))
		guard := b.Lt(column, b.I32(64))
		if far {
			row = b.Add(y, b.I32(3000))
			guard = b.And(guard, b.Lt(row, b.I32(40)))
		}
		v := b.LoadOr(in, guard, b.F32(-1), row, column)
		k := &ir.Kernel{Name: "far", Axes: []*ir.Node{y, x}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{y, x}, Value: v}}}
		text, err := render.Render(k, schedule.CPU{Order: []int{0, 1}, Lanes: []schedule.AxisN{{Axis: 1, N: schedule.AVX2.Lanes}}}, schedule.AVX2, "kernel", render.Way{})
		if err != nil {
			t.Fatal(err)
		}
		load := text.Source[strings.Index(text.Source, "mask_load_f32("):]
		if got := strings.Contains(load[:strings.Index(load, "\n")], " ? "); got != far {
			t.Errorf("%s: %s", name, load[:strings.Index(load, "\n")])
		}
	}
}
