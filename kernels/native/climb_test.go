package native

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft/kernels/device"
	"weft/kernels/region"
	"weft/kernels/render"
)

// A neighbour differs in one choice, and leaves the schedule it comes from alone.
func TestNeighbours(t *testing.T) {
	s := render.Schedule{
		Order: []int{0, 1, 2}, Lanes: []render.AxisN{{Axis: 0, N: 4}, {Axis: 1, N: 4}}, Unroll: []render.AxisN{{Axis: 2, N: 8}},
		Window: 16, Guard: true, Table: 32, Every: 8,
	}
	was := s.String()
	seen := map[string]bool{}
	for _, n := range neighbours(s, 3) {
		text := n.String()
		if text == was {
			t.Errorf("a neighbour is the schedule itself")
		}
		if seen[text] {
			t.Errorf("%s twice", text)
		}
		seen[text] = true
		if product := lanesOf(n); product != 16 {
			t.Errorf("%s has %d lanes", text, product)
		}
	}
	if s.String() != was {
		t.Errorf("the schedule changed from %s to %s", was, s)
	}
	for _, want := range []string{"unroll 2:16", "unroll 2:4", "unroll 0:8", "window 32", "table 64", "every 4", "lanes 0:2x1:8", "order 1>0>2", "accmajor"} {
		found := false
		for text := range seen {
			found = found || strings.Contains(text, want)
		}
		if !found {
			t.Errorf("no neighbour has %s", want)
		}
	}
}

func lanesOf(s render.Schedule) int {
	n := 1
	for _, l := range s.Lanes {
		n *= l.N
	}
	return n
}

// A search with a time of its own happens again, keeps within it, gives right results and is remembered.
func TestSearchAgain(t *testing.T) {
	d := fresh(t)
	const n = 1 << 14
	w := newWaves(n, 1<<13)
	for _, limit := range []time.Duration{0, 300 * time.Millisecond} {
		p := compileOne(t, d, w.kernel, device.Options{Tune: true, TuneTime: limit})
		if p.Report().Tuned {
			t.Fatalf("limit %v: tuned before it was launched", limit)
		}
		b := w.bindings(t, d, 0)
		launch, err := p.Bind(b)
		if err != nil {
			t.Fatal(err)
		}
		if err := launch(region.Region{{Lo: 0, Hi: n}}); err != nil {
			t.Fatal(err)
		}
		w.check(t, b)
		if !p.Report().Tuned {
			t.Errorf("limit %v: not tuned", limit)
		}
		if again := compileOne(t, d, w.kernel, device.Options{Tune: true}); !again.Report().Tuned {
			t.Errorf("limit %v: not remembered", limit)
		}
	}
	best, err := filepath.Glob(filepath.Join(d.store.dir, "*.best"))
	if err != nil || len(best) != 1 {
		t.Errorf("%v remembered, %v", best, err)
	}
}

// Every variant computes the same.
func TestVariants(t *testing.T) {
	d := openIn(t, "", common)
	w := newWaves(1000, 300)
	programs, err := d.Variants(t.Context(), w.kernel)
	if err != nil {
		t.Fatal(err)
	}
	if len(programs) < 3 {
		t.Errorf("%d variants", len(programs))
	}
	names := map[string]bool{}
	for _, p := range programs {
		b := w.bindings(t, d, 0)
		launch, err := p.Bind(b)
		if err != nil {
			t.Fatal(err)
		}
		if err := launch(region.Region{{Lo: 0, Hi: 1000}}); err != nil {
			t.Fatal(err)
		}
		w.check(t, b)
		names[p.Report().Schedule] = true
	}
	if len(names) != len(programs) || !names["scalar"] {
		t.Errorf("variants %v", names)
	}
}
