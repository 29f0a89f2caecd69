package codegen_test

import (
	"strings"
	"testing"

	render "weft/kernels/codegen/c"
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
