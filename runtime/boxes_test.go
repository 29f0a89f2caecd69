package runtime

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/planner/bound"
	"weft/runtime/journal"
	"weft/runtime/progress"
)

// climbing is a drive that stores a line box by box, each from what stands before it: the program adds the last element that there is to a ramp,
// and the host adds 1 to the first element of each box.
type climbing struct {
	ops.Gives
	launch func(box int) error // before each
}

const boxOf = 10

func (c *climbing) Programs(l *ops.Lowering) ops.Drive {
	line := ops.Type{Elem: ops.F32, Dims: c.Gives[0].Type.Dims}
	x, held, at := l.State("x", line), l.State("held", line), l.State("at", ops.Type{Elem: ops.I32})
	in := l.In("a")
	zero := func(name string, t ops.Type) *ops.Stage {
		return l.Stage(name, t, nil, func(b *ops.Body, _ []*ir.Node) ops.Elem { return ops.Real(b.Const(t.Elem.Base, 0)) })
	}
	sum := l.Stage("sum", line, []*ops.Stage{held, in, at}, func(b *ops.Body, i []*ir.Node) ops.Elem {
		last := b.Max(b.I32(0), b.Min(b.Sub(at.At(b).Re, b.I32(1)), b.I32(line.Dims[0].Size-1)))
		return ops.Real(b.Add(in.At(b, i...).Re, held.At(b, last).Re))
	})
	copied := l.Stage("copied", line, []*ops.Stage{x}, func(b *ops.Body, i []*ir.Node) ops.Elem { return x.At(b, i...) })
	boxes := line.Dims[0].Size / boxOf
	return ops.Drive{
		State: []*ops.Stage{x, held, at}, Start: []*ops.Stage{zero("x0", line), zero("held0", line), zero("at0", at.Type)},
		Calls: []ops.Program{{Name: "climb", Next: []*ops.Stage{sum, nil, nil}, Most: boxes, Boxed: true, Fraction: 1 / float64(boxes)},
			{Name: "hold", Next: []*ops.Stage{nil, copied, nil}, Most: boxes, Boxed: true, Fraction: 1 / float64(boxes)}},
	}
}

func (c *climbing) Drive(h ops.Host) (ops.Note, error) {
	for i := range c.Gives[0].Type.Dims[0].Size / boxOf {
		box := region.Region{{Lo: i * boxOf, Hi: (i + 1) * boxOf}}
		if c.launch != nil {
			if err := c.launch(i); err != nil {
				return ops.Note{}, err
			}
		}
		err := errors.Join(h.Set(2, 0, float64(i*boxOf)), h.Box(0, box), h.Edit(func(of [][]float64) error { of[0][0]++; return nil },
			ops.StateBox{State: 0, Box: box}), h.Box(1, box))
		if err != nil {
			return ops.Note{}, err
		}
	}
	return ops.Note{}, nil
}

// climbed is what climbing makes of a ramp.
func climbed() []float64 {
	out := make([]float64, 100)
	for i := range out {
		before := 0.0
		if box := i / boxOf * boxOf; box > 0 {
			before = out[box-1]
		}
		if out[i] = float64(i) + before; i%boxOf == 0 {
			out[i]++
		}
	}
	return out
}

func climb(c *climbing, path string) (*world, []*ops.Instance) {
	w := newWorld()
	c.Gives = ops.Gives{{Name: "x", Type: vector}}
	out := ops.Array{Of: w.use("climbing", c, vector, w.ramp(vector))}
	out.Of.Out[0].Name = "x"
	sink := w.keep("x", out)
	sink.Bound = written{sink.Bound.(taker), path}
	return w, []*ops.Instance{sink}
}

// Calls store boxes in place, in the one array there is: its memory goes to the output, the first and the last call of each program are checked, and one that
// a device fails in is made again by the next.
func TestDrivesOfBoxes(t *testing.T) {
	bad, good := newFaulty("native"), newFaulty("interp")
	launches := 0
	bad.launch = func(*ir.Kernel, region.Region) error {
		if launches++; launches == 12 {
			return errors.New("no such instruction")
		}
		return nil
	}
	w, sinks := climb(&climbing{}, "")
	p := w.plan(t, bad, sinks...)
	step := p.Steps[slices.IndexFunc(p.Steps, func(s bound.Step) bool { return s.Drive != nil })]
	if len(step.Drive.Single) != 3 || step.Holds != 0 {
		t.Errorf("the state has %d arrays once, and takes %d bytes besides what it starts in", len(step.Drive.Single), step.Holds)
	}
	r, err := Run(t.Context(), p, Options{Devices: []device.Device{bad, good}, Threads: 1, Verify: true})
	if err != nil || !slices.Equal(w.got["x"].Re, climbed()) || len(r.Fallbacks) != 1 {
		t.Fatalf("%v: %v, %v", err, w.got["x"].Re, r.Fallbacks)
	}
	checks := map[string]int{}
	for _, c := range r.Parity {
		if !c.OK || c.Samples == 0 {
			t.Errorf("%+v", c)
		}
		checks[c.Kernel]++
	}
	for _, k := range r.Kernels {
		if len(k.ID) > 2 && k.ID[:2] == "d1" && (checks[k.ID] != 2 || k.Calls != 10) {
			t.Errorf("%s: called %d times, checked %d times", k.ID, k.Calls, checks[k.ID])
		}
	}
	if *bad.alive+*good.alive != 0 {
		t.Errorf("%d arrays are still in memory", *bad.alive+*good.alive)
	}
}

// A drive of boxes goes on to the same bits wherever it was cut off; what the host changed is in its checkpoint.
func TestDrivesOfBoxesGoOn(t *testing.T) {
	defer func(least, most time.Duration) { journal.LeastBetween, journal.MostBetween = least, most }(journal.LeastBetween, journal.MostBetween)
	journal.LeastBetween, journal.MostBetween = 0, 0
	dev := newFaulty("native")
	for cut := 1; cut < 10; cut++ {
		lost := errors.New("cut off")
		path := filepath.Join(t.TempDir(), "x.npy")
		c := &climbing{launch: func(box int) error { return map[bool]error{true: lost}[box == cut] }}
		w, sinks := climb(c, path)
		run := func(resume bool) error {
			_, err := Run(t.Context(), w.plan(t, dev, sinks...), Options{Devices: []device.Device{dev}, Threads: 2, Verify: true, Resume: resume})
			return err
		}
		if err := run(false); !errors.Is(err, lost) {
			t.Fatal(err)
		}
		c.launch = nil
		if err := run(true); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(w.got["x"].Re, climbed()) {
			t.Errorf("cut off at box %d: %v", cut, w.got["x"].Re)
		}
	}
}

// Calls that store boxes are told of until the last one, those of all programs.
func TestProgressOfBoxes(t *testing.T) {
	w, sinks := climb(&climbing{}, "")
	seen := &teller{}
	if _, err := Run(t.Context(), w.plan(t, newFaulty("native"), sinks...), Options{Devices: []device.Device{newFaulty("native")}, Threads: 1, Progress: seen}); err != nil {
		t.Fatal(err)
	}
	if want := 2 * len(climbed()) / boxOf; seen.told["climbing"] != [2]int{want, want} {
		t.Errorf("of %d calls, which are told of as %v", want, seen.told["climbing"])
	}
}

// teller counts what is told of each step, beside how much was to come.
type teller struct {
	progress.Silence
	name string
	told map[string][2]int
}

func (p *teller) Begin(name string, tiles int, _ time.Duration) {
	if p.told == nil {
		p.told = map[string][2]int{}
	}
	p.name, p.told[name] = name, [2]int{tiles}
}

func (p *teller) Tile() {
	was := p.told[p.name]
	was[1]++
	p.told[p.name] = was
}
