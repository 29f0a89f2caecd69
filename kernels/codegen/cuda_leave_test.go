package codegen_test

import (
	"strings"
	"testing"

	"weft/kernels/codegen/cuda"
	"weft/kernels/schedule"
)

// Marches over surfaces with tables are culled by rule; a warp votes where the schedule says so, and then no thread leaves
// before the others.
func TestCUDALeaving(t *testing.T) {
	k := newForest().kernel
	if s := schedule.CUDADefault(k); !s.Skip || s.Vote || s.Every != 8 {
		t.Errorf("by rule: %s", s)
	}
	block := []schedule.AxisN{{Axis: 1, N: 32}}
	for _, c := range []struct {
		s          schedule.CUDA
		joins      bool
		has, lacks []string
	}{
		{schedule.CUDA{Block: block, Every: 4}, false, []string{"continue;"}, []string{"s_warp_all_b", "_in", "s_load_f32(b5"}},
		{schedule.CUDA{Block: block, Every: 4, Skip: true}, false, []string{";\ncontinue;\n}", "continue;\n}\nint x2"}, []string{"s_warp_all_b"}},
		{schedule.CUDA{Block: block, Every: 4, Vote: true}, true, []string{"if (s_warp_all_b(", "_in) {\ns_store"}, []string{"continue"}},
		{schedule.CUDA{Block: block, Every: 4, Vote: true, Skip: true}, true, []string{";\ncontinue;\n}", "_in) {\ns_store"}, []string{"continue;\n}\nconst int x2", "continue;\n}\nint x2"}},
	} {
		out, err := cuda.Render(k, c.s, "kernel")
		if err != nil {
			t.Fatal(err)
		}
		if out.Barriers != c.joins || c.s.Skip != (len(out.Bufs) == len(k.Inputs())+1+4) {
			t.Errorf("%s: joins %t, %d buffers", c.s, out.Barriers, len(out.Bufs))
		}
		for _, text := range c.has {
			if !strings.Contains(out.Source, text) {
				t.Errorf("%s: no %q in\n%s", c.s, text, out.Source)
			}
		}
		for _, text := range c.lacks {
			if strings.Contains(out.Source, text) {
				t.Errorf("%s: %q in\n%s", c.s, text, out.Source)
			}
		}
	}
	if _, err := cuda.Render(k, schedule.CUDA{Block: []schedule.AxisN{{Axis: 1, N: 33}}, Vote: true}, "kernel"); err == nil || !strings.Contains(err.Error(), "whole warps") {
		t.Errorf("got %v", err)
	}
}
