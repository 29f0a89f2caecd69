package runtime

import (
	"bytes"
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/ops"
	"weft/planner/bound"
	"weft/planner/plan"
	"weft/runtime/arrays"
	"weft/runtime/audit"
	"weft/runtime/result"
)

// dearly sums so many terms for each element that float64 can check few of them only.
func (w *world) dearly(in ops.Array) ops.Array {
	t := in.Type()
	return w.lowered("dearly", t, func(l *ops.Lowering) []*ops.Stage {
		return []*ops.Stage{l.Stage("", t, []*ops.Stage{l.In("a")}, func(b *ops.Body, i []*ir.Node) ops.Elem {
			v := l.In("a").At(b, i...).Re
			return ops.Real(b.Fold(ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(150e3), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Sum}, func(j *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
				return []*ir.Node{b.Add(acc[0], b.Mul(v, b.Cast(ir.F32, j)))}, nil
			})[0])
		})}
	}, in)
}

// Where float64 is too dear, a damaged element is found by computing it again, and nothing is changed by looking.
func TestComputingAgainFindsDamage(t *testing.T) {
	for _, damaged := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) { // whose clock stands still: all points are within their time
			w := newWorld()
			dev := newFaulty("native")
			p := w.plan(t, dev, w.keep("out", w.third(w.ramp(matrix(40, 50)))))
			r := &run{plan: p, opt: Options{Devices: []device.Device{dev}, Threads: 1}.withDefaults(), result: result.New(p, 1), made: map[string]bool{}}
			r.arrays = arrays.New(p, dev, nil)
			if err := r.compile(context.Background()); err != nil {
				t.Fatal(err)
			}
			var kernel *bound.Step
			for i := range p.Steps {
				s := &p.Steps[i]
				if s.Kind != plan.SinkStep {
					if err := r.step(context.Background(), s); err != nil {
						t.Fatal(err)
					}
				}
				if s.Kernel != nil {
					kernel = s
				}
			}
			stored, err := r.arrays.Stored(kernel)
			if err != nil {
				t.Fatal(err)
			}
			h := stored[0]
			if damaged { // a stretch of it, as a lost tile would be
				for row := 10; row < 20; row++ {
					clear(h.Parts[0].Row(row))
				}
			}
			before := slices.Clone(h.Parts[0].Data)
			n, fault, err := r.recompute(context.Background(), kernel, []audit.Sample{{Array: stored[0], Largest: 700}})
			if err != nil {
				t.Fatal(err)
			}
			if (fault != "") != damaged || !damaged && n < audit.Enough {
				t.Errorf("damaged %v: %d points, fault %q", damaged, n, fault)
			}
			if !bytes.Equal(before, h.Parts[0].Data) {
				t.Errorf("damaged %v: looking changed the array", damaged)
			}
			r.arrays.FreeAll()
		})
	}
}

func TestComputingAgainFillsUpASmallSample(t *testing.T) {
	w := newWorld()
	dev := newFaulty("native")
	p := w.plan(t, dev, w.keep("out", w.dearly(w.ramp(matrix(20, 30)))))
	r, err := Run(context.Background(), p, Options{Devices: []device.Device{dev}, Threads: 2, Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Parity) != 1 || r.Parity[0].Samples >= audit.Enough || r.Parity[0].Recomputed == 0 || !r.Parity[0].OK || r.Parity[0].Finds >= 0.99 {
		t.Errorf("%+v", r.Parity)
	}
}

func TestSinksAreSeenAndDiscarded(t *testing.T) {
	for _, discard := range []bool{false, true} {
		w := newWorld()
		dev := newFaulty("native")
		p := w.plan(t, dev, w.keep("out", w.third(w.ramp(matrix(4, 5)))))
		seen := 0
		see := func(_ *bound.Step, in []ops.HostArray) error { seen += len(in); return nil }
		if _, err := Run(context.Background(), p, Options{Devices: []device.Device{dev}, Threads: 1, See: see, Discard: discard}); err != nil {
			t.Fatal(err)
		}
		if _, kept := w.got["out"]; kept == discard || seen != 1 {
			t.Errorf("discard %v: kept %v, seen %d", discard, kept, seen)
		}
	}
}

// Tiles are tuned once, the result is as without, and what was found is told.
func TestTuningTiles(t *testing.T) {
	w := newWorld()
	dev := newFaulty("native")
	out := w.keep("out", w.third(w.ramp(matrix(64, 50))))
	p := w.plan(t, dev, out)
	var told []*bound.Kernel
	r, err := Run(context.Background(), p, Options{
		Devices: []device.Device{dev}, Threads: 2, Tune: true, Verify: true,
		Tiled: func(k *bound.Kernel) error { told = append(told, k); return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(told) != 1 || !told[0].TilesTuned || len(told[0].TileSize()) != 2 || !r.Parity[0].OK {
		t.Fatalf("told of %d kernels; %+v", len(told), r.Parity)
	}
	points := int64(0)
	for _, tile := range told[0].TileSet {
		points += tile.Points()
	}
	if points != 64*50 {
		t.Errorf("the tiles hold %d points", points)
	}
}
