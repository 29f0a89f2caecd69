package verify

import (
	"context"
	"errors"
	"testing"

	"weft/kernels/device"
	"weft/kernels/interp"
	"weft/kernels/native"
	"weft/kernels/region"
	"weft/lang/check"
	"weft/ops/catalogue"
	"weft/planner"
	"weft/planner/bound"
	"weft/planner/plan"
	"weft/runtime"
	"weft/runtime/exec"
)

// bump is 160 x 160 elements of one kernel, then a reduction.
const bump = `
u = axis(x, -2 .. 2 in 160)
v = axis(y, -2 .. 2 in 160)
level = exp(-u ^ 2 - v ^ 2) + 0.1 * u
level | write("unused.npy")
`

// planned plans a text for a machine so slow that kernels are cut into many tiles.
func planned(t *testing.T, text string, dev device.Device) *bound.Plan {
	t.Helper()
	prog, found := check.File("test.weft", []byte(text), catalogue.Standard(), check.Options{})
	if found.HasErrors() {
		t.Fatal(found.Summary())
	}
	p, err := planner.Build(prog.Sinks, dev.Info(), planner.Options{Threads: 2, Rates: plan.Rates{Flops: 1e8, Bandwidth: 1e8}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// caught reports whether a run's own sample finds something beyond its tolerance.
func caught(t *testing.T, dev device.Device, seed uint64) bool {
	t.Helper()
	p := planned(t, bump, dev)
	r, err := runtime.Run(context.Background(), p, runtime.Options{Devices: []device.Device{dev}, Threads: 1, Verify: true, Discard: true, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Parity {
		if !c.OK {
			return true
		}
	}
	return false
}

func TestTheSampleOfARunFindsFaults(t *testing.T) {
	if caught(t, newFaulty(), 1) {
		t.Fatal("a device without faults is accused")
	}
	const trials = 200
	missed := 0
	for i := range trials {
		dev := newFaulty()
		dev.compile = lying(i)
		if !caught(t, dev, uint64(i+1)) {
			missed++
		}
	}
	const expected = trials / 100
	if missed > expected+4 { // three standard deviations
		t.Errorf("a renderer that falsifies 1 %% of the elements went unnoticed in %d of %d runs", missed, trials)
	}
	p := planned(t, bump, newFaulty())
	if err := new(exec.Programs).CompilePlan(context.Background(), newFaulty(), 1, device.Options{}, p); err != nil { // which cuts the tiles
		t.Fatal(err)
	}
	tiles := p.Steps[len(p.Steps)-2].Kernel.Tiles
	if tiles < 8 {
		t.Fatalf("only %d tiles", tiles)
	}
	for i := range tiles {
		dev := newFaulty()
		dev.after = corrupting(p.Steps[len(p.Steps)-2].Kernel.IR.Name, i)
		if !caught(t, dev, uint64(i+1)) {
			t.Errorf("tile %d of %d was corrupted and nobody noticed", i, tiles)
		}
	}
}

func TestVerifyFindsFaults(t *testing.T) {
	honest := newFaulty()
	for _, c := range []struct {
		name    string
		run     *faulty
		subject *faulty
		ok      bool
	}{
		{"no fault", newFaulty(), newFaulty(), true},
		{"the subject lies", newFaulty(), &faulty{Device: honest.Device, compile: lying(3)}, false},
		{"both lie alike", &faulty{Device: honest.Device, compile: lying(3)}, &faulty{Device: honest.Device, compile: lying(3)}, false},
		{"the subject corrupts a tile", newFaulty(), &faulty{Device: honest.Device, after: corrupting("add", 2)}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := planned(t, bump, c.run)
			if c.subject.after != nil {
				c.subject.after = corrupting(p.Steps[len(p.Steps)-2].Kernel.IR.Name, 2)
			}
			r, err := Run(context.Background(), p, Options{
				Run:      runtime.Options{Devices: []device.Device{c.run}, Threads: 1},
				Subjects: []Subject{Interpreter(), Host("other", c.subject, nil)},
			})
			if err != nil {
				t.Fatal(err)
			}
			if r.OK != c.ok {
				t.Errorf("OK is %v: %+v", r.OK, r.Rows)
			}
			if len(r.Rows) != 3 {
				t.Errorf("%d rows", len(r.Rows))
			}
		})
	}
}

// Every schedule of every instruction set here, over a program with window loads, reductions and exact masks.
func TestDevicesHereAgree(t *testing.T) {
	cache := t.TempDir()
	subjects, err := Here(native.Config{Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	cpu, err := native.New(native.Config{Cache: cache})
	if errors.Is(err, native.ErrNoCompiler) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	p := planned(t, bump+"mean(level, over: [x, y]) | show\nsum(where(level > 0.2, level, 0), over: [x]) | show\n", cpu)
	r, err := Run(context.Background(), p, Options{Run: runtime.Options{Devices: []device.Device{cpu, interp.New(interp.Options{})}, Threads: 2}, Subjects: subjects})
	if err != nil {
		t.Fatal(err)
	}
	if !r.OK || len(r.Rows) < 4*len(subjects) {
		t.Errorf("OK %v, %d rows for %d subjects", r.OK, len(r.Rows), len(subjects))
	}
	for _, row := range r.Rows {
		if !row.OK || row.Samples == 0 || row.Finite != row.Samples {
			t.Errorf("%+v", row)
		}
	}
}

func TestSpreadIsAPermutation(t *testing.T) {
	tiles := make([]region.Region, 37)
	for i := range tiles {
		tiles[i] = region.Region{{Lo: i, Hi: i + 1}}
	}
	out := scattered(tiles)
	seen := map[int]bool{}
	for _, tile := range out {
		seen[tile[0].Lo] = true
	}
	if len(seen) != len(tiles) {
		t.Fatalf("%d of %d tiles: %v", len(seen), len(tiles), out)
	}
	for i := range 8 { // the first few are apart
		if d := out[i][0].Lo - out[i+1][0].Lo; d*d < 9 {
			t.Errorf("tiles %v and %v follow each other", out[i], out[i+1])
		}
	}
}
