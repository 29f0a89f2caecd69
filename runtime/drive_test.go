package runtime

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"weft/runtime/journal"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/ops/problem"
	"weft/planner/bound"
	"weft/planner/plan"
	"weft/runtime/result"
)

// halving is a drive of two programs: one moves x halfway to 2 and says how far that is, the other adds to a count, which the algorithm asks
// for at every third call.
type halving struct {
	ops.Gives
	most   int
	launch func(call int) error // before each
	asked  []float64            // what it was told
}

func (h *halving) Programs(l *ops.Lowering) ops.Drive {
	at, one := ops.Type{Elem: ops.F32, Dims: h.Gives[0].Type.Dims}, ops.Type{Elem: ops.F32}
	x, far, count := l.State("x", at), l.State("far", one), l.State("count", one)
	in := l.In("a")
	single := func(name string, v float64) *ops.Stage {
		return l.Stage(name, one, nil, func(b *ops.Body, _ []*ir.Node) ops.Elem { return ops.Real(b.F32(v)) })
	}
	first := l.Stage("first", at, []*ops.Stage{in}, func(b *ops.Body, i []*ir.Node) ops.Elem { return in.At(b, i...) })
	next := l.Stage("next", at, []*ops.Stage{x, in}, func(b *ops.Body, i []*ir.Node) ops.Elem {
		return ops.Real(b.Add(b.Add(b.Mul(x.At(b, i...).Re, b.F32(0.5)), b.F32(1)), b.Mul(in.At(b, i...).Re, b.F32(0))))
	})
	moved := l.Stage("moved", one, []*ops.Stage{next, x}, func(b *ops.Body, _ []*ir.Node) ops.Elem {
		return ops.Real(b.Fold(ir.FoldSpec{Name: "k", Lo: b.I32(0), Hi: b.I32(at.Dims[0].Size), Init: []*ir.Node{b.F32(0)}, Monoid: ir.Largest},
			func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
				return []*ir.Node{b.Max(acc[0], b.Abs(b.Sub(next.At(b, i).Re, x.At(b, i).Re)))}, nil
			})[0])
	})
	more := l.Stage("more", one, []*ops.Stage{count}, func(b *ops.Body, _ []*ir.Node) ops.Elem { return ops.Real(b.Add(count.At(b).Re, b.F32(1))) })
	return ops.Drive{
		State: []*ops.Stage{x, far, count}, Start: []*ops.Stage{first, single("begin", 9), single("none", 0)},
		Calls: []ops.Program{{Name: "halve", Next: []*ops.Stage{next, moved, nil}, Most: h.most}, {Name: "count", Next: []*ops.Stage{nil, nil, more}, Most: h.most}},
	}
}

func (h *halving) Drive(host ops.Host) (ops.Note, error) {
	h.asked = nil
	ask := func(state int) (float64, error) {
		v, err := host.Scalar(state)
		h.asked = append(h.asked, v)
		return v, err
	}
	for call := range h.most {
		if h.launch != nil {
			if err := h.launch(call); err != nil {
				return ops.Note{}, err
			}
		}
		for program := range 2 {
			if err := host.Launch(program); err != nil {
				return ops.Note{}, err
			}
		}
		if far, err := ask(1); err != nil || far < 1e-3 {
			return ops.Note{Text: "there"}, err
		}
		if call%3 == 0 {
			if _, err := ask(2); err != nil {
				return ops.Note{}, err
			}
		}
		host.Progress("on")
	}
	return ops.Note{}, nil
}

// taker is a sink, and written one of a file.
type taker interface {
	ops.Op
	ops.Sink
}

type written struct {
	taker
	path string
}

func (f written) File() string { return f.path }

// driven is a program in which a drive starts from the rows of a ramp; what it gives goes to a sink of a file.
func driven(h *halving, path string) (*world, []*ops.Instance) {
	w := newWorld()
	in := w.ramp(vector)
	h.Gives = ops.Gives{{Name: "x", Type: vector}}
	out := ops.Array{Of: w.use("halving", h, vector, in)}
	out.Of.Out[0].Name = "x"
	sink := w.keep("x", out)
	sink.Bound = written{sink.Bound.(taker), path}
	return w, []*ops.Instance{sink}
}

var vector = ops.Type{Elem: ops.F32, Dims: []ops.Dim{{Name: "x", Size: 100}}}

// after is what halving makes of a ramp.
func after(calls int) []float64 {
	out := make([]float64, 100)
	for i := range out {
		x := float32(i)
		for range calls {
			x = x*0.5 + 1
		}
		out[i] = float64(x)
	}
	return out
}

func TestDrive(t *testing.T) {
	for most, want := range map[int]int{3: 3, 100: 17} {
		dev := newFaulty("native")
		h := &halving{most: most}
		w, sinks := driven(h, "")
		p := w.plan(t, dev, sinks...)
		r, err := Run(t.Context(), p, Options{Devices: []device.Device{dev}, Threads: 2, Verify: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := w.got["x"].Re; !slices.Equal(got, after(want)) {
			t.Errorf("at most %d calls: %v, want %v", most, got, after(want))
		}
		checks := map[string]int{}
		for _, c := range r.Parity {
			if !c.OK || c.Samples == 0 {
				t.Errorf("%+v", c)
			}
			checks[c.Kernel]++
		}
		for _, k := range r.Kernels {
			if strings.HasPrefix(k.ID, "d1.count.") && (checks[k.ID] != 2 || k.Tiles != want) {
				t.Errorf("%s: %d tiles, checked %d times", k.ID, k.Tiles, checks[k.ID])
			}
		}
		if n := len(w.read); n != 2 { // the source in the first call that reads it, and the sink
			t.Errorf("read and wrote %v", w.read)
		}
		if *dev.alive != 0 {
			t.Errorf("%d arrays are still in memory", *dev.alive)
		}
	}
}

// A kernel that falls back in a call is compiled for the next device once, and stays there.
func TestDrivesFallBack(t *testing.T) {
	bad, good := newFaulty("native"), newFaulty("interp")
	compiled, failed := 0, 0
	bad.launch = func(k *ir.Kernel, _ region.Region) error {
		if strings.Contains(k.Name, "next") {
			failed++
			return errors.New("no such instruction")
		}
		return nil
	}
	good.compile = func(*ir.Kernel) error { compiled++; return nil }
	w, sinks := driven(&halving{most: 9}, "")
	r, err := Run(t.Context(), w.plan(t, bad, sinks...), Options{Devices: []device.Device{bad, good}, Threads: 1, Verify: true})
	if err != nil || !slices.Equal(w.got["x"].Re, after(9)) || compiled != 1 || failed != 1 || len(r.Fallbacks) != 1 {
		t.Errorf("%v: %d compiled, %d failed, %v", err, compiled, failed, r.Fallbacks)
	}
}

// What a plan of a drive says is enough to run it.
func TestDrivesOfPlansThatWereRead(t *testing.T) {
	dev := newFaulty("native")
	for _, write := range []func(io.Writer, any) error{plan.YAML, plan.JSON} {
		var text bytes.Buffer
		w, sinks := driven(&halving{most: 5}, "")
		if err := write(&text, w.plan(t, dev, sinks...).Value()); err != nil {
			t.Fatal(err)
		}
		v, err := plan.Read(text.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		p, err := bound.Bind(v, sinks, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Run(t.Context(), p, Options{Devices: []device.Device{dev}, Threads: 2}); err != nil || !slices.Equal(w.got["x"].Re, after(5)) {
			t.Errorf("%v: %v", err, w.got["x"].Re)
		}
		at := slices.IndexFunc(v.Steps, func(s plan.Step) bool { return s.Drive != nil })
		v.Steps[at].Drive.Programs[0].Next[0] = v.Steps[at].Drive.Programs[0].Next[1]
		if _, err := bound.Bind(v, sinks, nil); err == nil {
			t.Error("a drive that hands on another array is taken")
		}
	}
}

// A drive that is cut off goes on to the same bits, having told its algorithm the same, from any call; nobody else's checkpoint is taken.
func TestDrivesGoOn(t *testing.T) {
	defer func(least, most time.Duration) { journal.LeastBetween, journal.MostBetween = least, most }(journal.LeastBetween, journal.MostBetween)
	journal.LeastBetween, journal.MostBetween = 0, 0
	path := filepath.Join(t.TempDir(), "x.npy")
	dev := newFaulty("native")
	whole := &halving{most: 20}
	w, sinks := driven(whole, path)
	if _, err := Run(t.Context(), w.plan(t, dev, sinks...), Options{Devices: []device.Device{dev}, Threads: 2, Verify: true}); err != nil {
		t.Fatal(err)
	}
	want := w.got["x"].Re
	for cut := range 17 {
		lost := errors.New("cut off")
		h := &halving{most: 20, launch: func(call int) error {
			if call == cut {
				return lost
			}
			return nil
		}}
		w, sinks := driven(h, path)
		run := func(resume bool) error {
			_, err := Run(t.Context(), w.plan(t, dev, sinks...), Options{Devices: []device.Device{dev}, Threads: 2, Verify: true, Resume: resume})
			return err
		}
		if err := run(false); !errors.Is(err, lost) {
			t.Fatal(err)
		}
		h.launch = nil
		if err := run(true); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(w.got["x"].Re, want) || !slices.Equal(h.asked, whole.asked) {
			t.Errorf("cut off at call %d: %v, told %v", cut, w.got["x"].Re, h.asked)
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
			t.Errorf("left %v", left)
		}
	}
	h := &halving{most: 20, launch: func(call int) error { return map[bool]error{true: errors.New("cut off")}[call == 9] }}
	w, sinks = driven(h, path)
	if _, err := Run(t.Context(), w.plan(t, dev, sinks...), Options{Devices: []device.Device{dev}, Threads: 2}); err == nil {
		t.Fatal("not cut off")
	}
	other := newFaulty("interp")
	var p problem.Problem
	if _, err := Run(t.Context(), w.plan(t, other, sinks...), Options{Devices: []device.Device{other}, Threads: 2, Resume: true}); !errors.As(err, &p) || p.Code != problem.JournalForeign {
		t.Errorf("a checkpoint of another device: %v", err)
	}
}

// Where an algorithm finds that it is not for what it was given, nothing is left to go on from: it would find so again.
func TestDrivesThatRefuseLeaveNothing(t *testing.T) {
	defer func(least, most time.Duration) { journal.LeastBetween, journal.MostBetween = least, most }(journal.LeastBetween, journal.MostBetween)
	journal.LeastBetween, journal.MostBetween = 0, 0
	for code, leaves := range map[string]bool{problem.CannotHonour: false, problem.Singular: false, problem.MissingFile: true} {
		path, dev := filepath.Join(t.TempDir(), "x.npy"), newFaulty("native")
		refused := problem.Wrong(code, "a", "", "not this one")
		w, sinks := driven(&halving{most: 20, launch: func(call int) error { return map[bool]error{true: refused}[call == 9] }}, path)
		if _, err := Run(t.Context(), w.plan(t, dev, sinks...), Options{Devices: []device.Device{dev}, Threads: 2}); !problem.Has(err, code) {
			t.Fatal(err)
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 != leaves {
			t.Errorf("%s left %v", code, left)
		}
	}
}

// What was beyond its tolerance before a drive was cut off is not forgotten when it goes on.
func TestDrivesGoOnInDoubt(t *testing.T) {
	defer func(least, most time.Duration) { journal.LeastBetween, journal.MostBetween = least, most }(journal.LeastBetween, journal.MostBetween)
	journal.LeastBetween, journal.MostBetween = 0, 0
	dev := newFaulty("native")
	lost := errors.New("cut off")
	h := &halving{most: 20, launch: func(call int) error { return map[bool]error{true: lost}[call == 9] }}
	w, sinks := driven(h, filepath.Join(t.TempDir(), "x.npy"))
	calls := 0
	dev.after = func(k *ir.Kernel, b device.Bindings, _ region.Region) { // the first call alone is wrong
		if calls++; calls < 3 {
			out := k.Stores[0].Buf
			device.SetFloat(out.Type, b.Mem[out].Host(), 3, 1e3)
		}
	}
	run := func(resume bool) (*result.Result, error) {
		return Run(t.Context(), w.plan(t, dev, sinks...), Options{Devices: []device.Device{dev}, Threads: 1, Verify: true, Resume: resume})
	}
	if _, err := run(false); !errors.Is(err, lost) {
		t.Fatal(err)
	}
	h.launch = nil
	r, err := run(true)
	if err != nil {
		t.Fatal(err)
	}
	says := func(part string) bool {
		return slices.ContainsFunc(r.Warnings, func(w result.Warning) bool {
			return w.Code == problem.ParityViolated && strings.Contains(w.Message, part)
		})
	}
	if !says("differs") || !says("x.npy was not written") {
		t.Errorf("warnings %+v", r.Warnings)
	}
}

// A drive ends between two calls when its run is cancelled.
func TestDrivesAreCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	dev := newFaulty("native")
	calls := 0
	h := &halving{most: 20, launch: func(call int) error {
		if calls = call; call == 4 {
			cancel()
		}
		return nil
	}}
	w, sinks := driven(h, "")
	if _, err := Run(ctx, w.plan(t, dev, sinks...), Options{Devices: []device.Device{dev}, Threads: 2}); !errors.Is(err, context.Canceled) || calls != 4 || *dev.alive != 0 {
		t.Errorf("%v after call %d; %d arrays are in memory", err, calls, *dev.alive)
	}
}
