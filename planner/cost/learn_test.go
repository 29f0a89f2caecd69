package cost

import (
	"fmt"
	"math"
	"testing"
	"time"

	"weft/kernels/profile"
)

func TestLearning(t *testing.T) {
	dir := t.TempDir()
	p := profile.Default(2)
	m := model(p)
	m.History = OpenHistory(dir, p)
	k := Kernel{IR: adding(1<<16, 1000, 1, plain), Hash: "one", Ops: []string{"sum"}, Tiles: 8}
	raw := m.Predict(k).Seconds
	for range 4 {
		if err := m.Learn([]Observation{{Hash: "one", Ops: k.Ops, Bound: "compute", Predicted: raw, Measured: 3 * raw}}); err != nil {
			t.Fatal(err)
		}
	}
	if r := m.Predict(k).Seconds / raw; math.Abs(r-3) > 0.01 {
		t.Errorf("learned %.3f times, want 3", r)
	}
	again := model(p)
	again.History = OpenHistory(dir, p)
	if r := again.Predict(k).Seconds / raw; math.Abs(r-3) > 0.01 {
		t.Errorf("read back: %.3f times, want 3", r)
	}
	kind := k
	kind.Hash = "another"
	if r := again.Predict(kind).Seconds / raw; r < 2 || r > 3 {
		t.Errorf("another kernel of its kind: %.3f times", r)
	}
	kind.Ops = []string{"elsewhere"}
	if e := again.Predict(kind); e.Factor != 1 || e.Source != "model" {
		t.Errorf("a kernel of another kind: %+v", e)
	}
	for range 6 { // as when something else takes the machine
		if err := m.Learn([]Observation{{Hash: "one", Ops: k.Ops, Bound: "compute", Predicted: raw, Measured: 30 * raw}}); err != nil {
			t.Fatal(err)
		}
	}
	if r := m.Predict(k).Seconds / raw; math.Abs(r-3) > 0.01 {
		t.Errorf("a disturbed machine taught %.3f times", r)
	}
	p.Created = time.Now().Add(-time.Hour)
	if d := m.History.Drift(); d.Runs < 5 || d.Ratio < 2 {
		t.Errorf("drift %+v", d)
	}
}

func TestShortKernelsTeachNothing(t *testing.T) {
	p := profile.Default(2)
	m := model(p)
	m.History = OpenHistory(t.TempDir(), p)
	if err := m.Learn([]Observation{{Hash: "short", Predicted: 1e-6, Measured: 10e-6}, {Hash: "none", Predicted: 0, Measured: 1}}); err != nil {
		t.Fatal(err)
	}
	if n := len(m.History.data.Kernels); n != 0 {
		t.Errorf("%d kernels learned", n)
	}
}

// What a plan does beside its kernels is predicted as it took, however wrong the first guess was.
func TestLearningBeside(t *testing.T) {
	p := profile.Default(2)
	m := model(p)
	m.History = OpenHistory(t.TempDir(), p)
	for _, measured := range []float64{1, 1e-7} {
		if err := m.Learn([]Observation{{Hash: fmt.Sprint(measured), Kind: "check", Bound: "check", Predicted: 1e-3, Measured: measured, Beside: true}}); err != nil {
			t.Fatal(err)
		}
		want := max(measured, leastSeconds)
		if got := m.Beside(fmt.Sprint(measured), "check", "check", 1e-3); math.Abs(got/want-1) > 0.01 {
			t.Errorf("took %g s, predicted %g", measured, got)
		}
	}
}

// Work beside kernels that other programs held up is as good as forgotten after two runs that they did not, and two that they hold up change little.
func TestLearningBesideOthers(t *testing.T) {
	p := profile.Default(2)
	m := model(p)
	m.History = OpenHistory(t.TempDir(), p)
	take := func(measured ...float64) float64 {
		for _, s := range measured {
			if err := m.Learn([]Observation{{Hash: "plan", Kind: "load", Bound: "load", Predicted: 1e-3, Measured: s, Beside: true}}); err != nil {
				t.Fatal(err)
			}
		}
		return m.Beside("plan", "load", "load", 1e-3)
	}
	if got := take(4e-3, 1e-3, 1e-3); got > 1.2e-3 {
		t.Errorf("%g s after two runs of 1 ms and one of 4 before", got)
	}
	if got := take(2e-3); got > 1.4e-3 {
		t.Errorf("%g s after another of 2 ms", got)
	}
}

// A kernel whose first run had to wait for its memory is predicted by half as much after the next one.
func TestFirstRunsAreSoonForgotten(t *testing.T) {
	p := profile.Default(2)
	m := model(p)
	m.History = OpenHistory(t.TempDir(), p)
	k := Kernel{IR: adding(1<<16, 1000, 1, plain), Hash: "one", Ops: []string{"sum"}, Tiles: 8}
	raw := m.Predict(k).Seconds
	for _, times := range []float64{5, 1} {
		if err := m.Learn([]Observation{{Hash: "one", Ops: k.Ops, Bound: "compute", Predicted: raw, Measured: times * raw}}); err != nil {
			t.Fatal(err)
		}
	}
	if r := m.Predict(k).Seconds / raw; r > 1.7 {
		t.Errorf("after a run of five times and one of once what the model says: %.2f times", r)
	}
}
