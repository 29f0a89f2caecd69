package exec

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/planner/bound"
)

// tilingOf measures a kernel over so many points, planned in tiles of 4, with these launches.
func tilingOf(points int, launch func(region.Region) error, sizes ...int) *Tiling {
	b := ir.NewBuilder()
	x := b.Axis("x", points)
	out := &ir.Buffer{Name: "out", Type: ir.F32, Shape: []int{points}}
	k := &bound.Kernel{IR: &ir.Kernel{Name: "k", Axes: []*ir.Node{x}, Stores: []ir.Store{{Buf: out, Index: []*ir.Node{x}, Value: b.F32(1)}}}}
	t := &Tiling{Name: "k", Kernel: k, Threads: 2, Bound: Bound{Launch: launch}}
	for _, n := range append([]int{4}, sizes...) {
		t.Shapes = append(t.Shapes, []int{n})
	}
	t.Restore()
	return t
}

// A kernel that takes seconds, as on a slow or busy machine, is measured in parts.
func TestTuningKeepsItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const each = 20 * time.Millisecond // a tile, whatever its size
		slow := func(region.Region) error { time.Sleep(each); return nil }
		for _, c := range []struct {
			name  string
			limit time.Duration
			all   bool // shapes are measured, not only the planned one
		}{{"some time", 300 * time.Millisecond, true}, {"hardly any", time.Millisecond, false}, {"none", 0, false}} {
			m := tilingOf(1000, slow, 1, 2, 8) // 2.5 s for the planned shape alone
			start := time.Now()
			if err := m.Measure(t.Context(), start.Add(c.limit)); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(start); took > c.limit+10*each {
				t.Errorf("%s: %s for a limit of %s", c.name, took, c.limit)
			}
			if m.least[0] == 0 {
				t.Errorf("%s: the planned tiles were not measured", c.name)
			}
			if c.all && (m.least[1] == 0 || m.least[3] == 0) {
				t.Errorf("%s: measured %v", c.name, m.least)
			}
			if chosen := m.Choose(); chosen != c.all || m.chosen != 0 && !c.all || c.all && m.chosen != 3 {
				t.Errorf("%s: chose %v, though tiles of 8 cost a point least: %v", c.name, m.Shapes[m.chosen], m.least)
			}
		}
	})
}

func TestTuningStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	m := tilingOf(1000, func(region.Region) error { cancel(); return nil }, 8)
	if err := m.Measure(ctx, time.Now().Add(time.Hour)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	m = tilingOf(1000, func(region.Region) error { return errors.New("lost") }, 8)
	if err := m.Measure(t.Context(), time.Now().Add(time.Hour)); err != nil || !m.Failed {
		t.Errorf("a launch that fails: %v, failed %v", err, m.Failed)
	}
	m.Restore()
	if got := m.Kernel.Axes[0].Tile; got != 4 {
		t.Errorf("left in tiles of %d, planned 4", got)
	}
}
