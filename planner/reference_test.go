package planner

import (
	"context"
	"slices"
	"testing"

	"weft/ops"
	"weft/ops/optest"
)

func TestReferenceLoadsOnlyWhatItMust(t *testing.T) {
	const n = 1 << 12
	source := func(w *world) ops.Array {
		a := w.ramp(n)
		a.Of.Bound = optest.Filled(readNothing)
		return a
	}
	for _, c := range []struct {
		name  string
		root  string   // the stage that is checked
		dead  []string // stages whose arrays are freed by then
		build func(w *world) ops.Array
		loads []string
		cost  float64 // at least
		most  float64 // that is computed in place; 0: as much as is cheap
	}{
		{"everything is computed again", "blur", nil, func(w *world) ops.Array { return w.blur(w.dear(w.ramp(n))) }, nil, 1500, 0},
		{"back to what was read", "blur", nil, func(w *world) ops.Array { return w.blur(w.dear(source(w))) }, []string{"ramp"}, 1500, 0},
		{"what was read is freed", "blur", []string{"ramp"}, func(w *world) ops.Array { return w.blur(w.dear(source(w))) }, []string{"dear"}, 3, 0},
		{"a reduction costs every sample in full", "normal", nil, func(w *world) ops.Array { return w.normal(w.dear(w.ramp(n))) }, []string{"dear"}, n, 0},
		{"no further than asked", "blur", nil, func(w *world) ops.Array { return w.blur(w.dear(source(w))) }, []string{"dear"}, 3, 500},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &world{}
			p := planned(t, Options{}, w.sink(c.build(w)))
			var roots []*ops.Stage
			for _, b := range p.Buffers {
				if b.Stage == c.root {
					roots = append(roots, b.Array)
				}
			}
			ref := p.Reference(roots, func(s *ops.Stage) bool { return s.Name != c.root && !slices.Contains(c.dead, s.Name) }, c.most)
			var loads []string
			for _, s := range ref.Loads {
				loads = append(loads, s.Name)
			}
			slices.Sort(loads)
			if !slices.Equal(loads, c.loads) {
				t.Errorf("loads %q, want %q (cost %g)", loads, c.loads, ref.Cost)
			}
			if ref.Cost < c.cost || ref.Cost > 400e3 || ref.Kernel.Points() != n {
				t.Errorf("cost %g, %d points", ref.Cost, ref.Kernel.Points())
			}
		})
	}
}

// TestReferenceOfOneElement: the one result of a long reduction is checked from what was read on, not from what another kernel stored.
func TestReferenceOfOneElement(t *testing.T) {
	w := &world{}
	p := planned(t, Options{}, w.sink(w.normal(w.note(w.double(w.ramp(1<<18)), "keep"))))
	for _, b := range p.Buffers {
		if b.Array.Name != "normal.peak" {
			continue
		}
		ref := p.Reference([]*ops.Stage{b.Array}, func(s *ops.Stage) bool { return s != b.Array }, 0)
		if len(ref.Loads) > 0 || ref.Cost < 400e3 || ref.Cost > 2e6 {
			t.Errorf("loads %d arrays, cost %g", len(ref.Loads), ref.Cost)
		}
		return
	}
	t.Error("peak is not stored")
}

func readNothing(context.Context, ops.HostArray) (ops.Note, error) {
	return ops.Note{}, nil
}
