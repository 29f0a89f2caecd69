package profile

import (
	"cmp"
	"context"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"weft/kernels/device"
	"weft/kernels/interp"
	"weft/kernels/ir"
	"weft/kernels/native"
)

func TestMeasure(t *testing.T) {
	dir := t.TempDir()
	d, err := native.New(native.Config{Cache: dir})
	if errors.Is(err, native.ErrNoCompiler) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := Measure(context.Background(), d, d.Target().Lanes, dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Check(); err != nil {
		t.Error(err)
	}
	// Relations that hold on every processor, far from where noise could turn them.
	if p.Ops[Exp] < 3*p.Ops[FMA] || p.Ops[Gather] < 2*p.Ops[Contiguous] {
		t.Errorf("an exponential %g ns, a multiplication %g, a gathered load %g, a contiguous one %g", p.Ops[Exp], p.Ops[FMA], p.Ops[Gather], p.Ops[Contiguous])
	}
	if p.Ops[Four] > p.Ops[GatherFar] {
		t.Errorf("a load gathered with three others takes %g ns, one alone %g", p.Ops[Four], p.Ops[GatherFar])
	}
	if len(p.Levels) != 3 || p.Levels[0].Copy.Core < p.Levels[2].Copy.Core/2 {
		t.Errorf("levels %+v", p.Levels)
	}
	if p.Launch <= 0 || p.Launch > 1e-3 || p.Compile <= 0 || p.Noise < 1 {
		t.Errorf("launch %g, compile %g, noise %g", p.Launch, p.Compile, p.Noise)
	}
	if files, _ := os.ReadDir(dir); len(files) == 0 {
		t.Error("nothing in the cache folder")
	}
}

func TestMeasureStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Measure(ctx, interp.New(interp.Options{}), 1, t.TempDir()); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled measurement: %v", err)
	}
}

func TestBenchmarksAreValidKernels(t *testing.T) {
	dev := interp.New(interp.Options{})
	var p []device.Program
	for _, b := range benchmarks {
		if b.term != nil {
			var err error
			if p, err = dev.Compile(context.Background(), []*ir.Kernel{b.kernel(16)}, device.Options{}); err != nil {
				t.Fatalf("%s: %v", b.class, err)
			}
		}
		m := &meter{dev: dev, reach: cmp.Or(b.reach, near)}
		launch, err := m.bind(p[0])
		if err != nil {
			t.Fatalf("%s: %v", b.class, err)
		}
		tile := p[0].Kernel().Domain()
		for i := range tile {
			tile[i].Lo = tile[i].Hi - 1 // the far corner: every index must be in range there
		}
		if err := launch(tile); err != nil {
			t.Errorf("%s: %v", b.class, err)
		}
		m.free()
	}
}

func profiled(f Fingerprint) *Profile {
	p := Default(2)
	p.Default, p.Fingerprint, p.Created = false, f, time.Now().UTC().Truncate(time.Second)
	return p
}

func TestStore(t *testing.T) {
	here := Fingerprint{CPU: "a", Cores: 2, Device: "gcc 12"}
	other := here
	other.Device = "gcc 13"
	old := profiled(here)
	old.Created = time.Now().Add(-31 * 24 * time.Hour)
	lacking := profiled(here)
	delete(lacking.Ops, Exp)
	former := profiled(here)
	former.Schema--
	for _, c := range []struct {
		name  string
		save  *Profile
		text  string
		holds bool
	}{
		{"as it was written", profiled(here), "", true},
		{"nothing there", nil, "", false},
		{"damaged", nil, "schema: [", false},
		{"half a file", nil, "schema: 3\ncreated: 2026-01-01T00:00:00Z\n", false},
		{"binary", nil, "\x00\x01\xff", false},
		{"another compiler", profiled(other), "", false},
		{"old", old, "", false},
		{"a class missing", lacking, "", false},
		{"another schema", former, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := Store{t.TempDir()}
			if c.save != nil {
				if err := s.Save(c.save); err != nil {
					t.Fatal(err)
				}
			}
			if c.text != "" {
				if err := os.WriteFile(s.Path(), []byte(c.text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			p, why := s.Load(here)
			if (p != nil) != c.holds || (why == "") != c.holds {
				t.Fatalf("profile %v, why %q", p != nil, why)
			}
			if c.holds && (p.Ops[FMA] != c.save.Ops[FMA] || !p.Created.Equal(c.save.Created) || p.Levels[2] != c.save.Levels[2]) {
				t.Errorf("read %+v, wrote %+v", p, c.save)
			}
		})
	}
}

func TestWritersAndReadersAtOnce(t *testing.T) {
	s := Store{t.TempDir()}
	here := Fingerprint{CPU: "a"}
	if err := s.Save(profiled(here)); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 25 {
				unlock := Lock(s.Dir)
				err := s.Save(profiled(here))
				unlock()
				if err != nil {
					t.Error(err)
				}
			}
		})
		wg.Go(func() {
			for range 50 {
				if p, why := s.Load(here); p == nil {
					t.Error(why)
				}
			}
		})
	}
	wg.Wait()
	files, err := os.ReadDir(s.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Name() != fileName && f.Name() != "profile.lock" {
			t.Errorf("%s was left behind", f.Name())
		}
	}
}

func TestStale(t *testing.T) {
	fresh, busy := profiled(Fingerprint{}), profiled(Fingerprint{})
	busy.Provisional = true
	waited := profiled(Fingerprint{})
	waited.Provisional, waited.Created = true, time.Now().Add(-time.Hour)
	drifted := Drift{}
	for range 10 {
		drifted = drifted.Add(2.5, time.Now().Add(time.Minute))
	}
	for _, c := range []struct {
		name  string
		p     *Profile
		d     Drift
		stale bool
	}{
		{"fresh", fresh, Drift{}, false},
		{"just measured on a busy machine", busy, Drift{}, false},
		{"measured on a busy machine a while ago", waited, Drift{}, true},
		{"drifted", fresh, drifted, true},
		{"built in", Default(1), Drift{}, true},
	} {
		if why := c.p.Stale(c.d); (why != "") != c.stale {
			t.Errorf("%s: %q", c.name, why)
		}
	}
}

func TestDriftNeedsSeveralRunsInARow(t *testing.T) {
	var d Drift
	for range driftRuns - 1 {
		d = d.Add(8, time.Now())
	}
	if d.Runs != driftRuns-1 {
		t.Errorf("%d runs counted", d.Runs)
	}
	for range 12 {
		d = d.Add(1, time.Now())
	}
	if d.Runs != 0 || d.Ratio > driftHigh {
		t.Errorf("after good runs: %+v", d)
	}
	before := d
	if d = d.Add(0, time.Now()); d != before {
		t.Error("a ratio of zero counts")
	}
}

func TestRates(t *testing.T) {
	r := Rate{Core: 10, All: 25}
	for threads, want := range map[int]float64{0: 10, 1: 10, 2: 20, 3: 25, 64: 25} {
		if got := r.Of(threads); got != want {
			t.Errorf("%d threads: %g, want %g", threads, got, want)
		}
	}
	p := Default(4)
	if err := p.Check(); err != nil {
		t.Error(err)
	}
	if p.LevelFor(1).Name != "L2" || p.LevelFor(1<<40).Name != "memory" {
		t.Errorf("levels %s and %s", p.LevelFor(1).Name, p.LevelFor(1<<40).Name)
	}
}
