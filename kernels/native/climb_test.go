package native

import (
	"path/filepath"
	"testing"
	"time"

	"weft/kernels/device"
	"weft/kernels/region"
)

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
