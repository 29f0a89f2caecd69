package runtime

import (
	"context"
	"errors"
	"testing"

	"weft/kernels/device"
	"weft/kernels/interp"
	"weft/kernels/ir"
	"weft/ops"
)

// defining is a device that makes evaluators of definitions, or fails to.
type defining struct {
	*faulty
	made  int
	fails bool
}

func (d *defining) Definitions(_ context.Context, programs []*interp.Program, _ map[*ir.Buffer][]float64) ([]interp.Evaluator, error) {
	if d.fails {
		return nil, errors.New("no compiler today")
	}
	out := make([]interp.Evaluator, len(programs))
	for i, p := range programs {
		d.made++
		out[i] = p
	}
	return out, nil
}

// What is dear to interpret is left to the first device that can do better, which need not be the one that runs kernels; cheap
// definitions are not, and where that device fails the sample is smaller and the log says why.
func TestDearDefinitionsAreCompiled(t *testing.T) {
	for _, fails := range []bool{false, true} {
		w := newWorld()
		dev := newFaulty("native")
		other := &defining{faulty: newFaulty("other"), fails: fails}
		ramp := w.ramp(matrix(8, 9))
		p := w.plan(t, dev, w.keep("dear", w.dearly(ramp)), w.keep("cheap", w.third(ramp)))
		var log logbook
		r, err := Run(context.Background(), p, Options{Devices: []device.Device{dev, other}, Threads: 2, Verify: true, Progress: &log})
		if err != nil {
			t.Fatal(err)
		}
		logged := log.holds("no compiler today")
		if (other.made == 1) == fails || logged != fails {
			t.Errorf("fails %v: %d definitions made, log %q", fails, other.made, log.lines)
		}
		if dear := r.Parity[0]; (dear.Samples == 72) == fails || (dear.Finds == 1) == fails || !dear.OK {
			t.Errorf("fails %v: %+v", fails, dear)
		}
	}
}

// An input that the text of a stage does not load, as that of one result of several, is in no memory, and need not be: what is made from the
// stage is checked all the same.
func TestUnreadInputsAreNotNeeded(t *testing.T) {
	w := newWorld()
	x, unread := w.ramp(matrix(8, 9)), w.ramp(matrix(8, 9))
	half := w.lowered("half", x.Type(), func(l *ops.Lowering) []*ops.Stage {
		between := l.Stage("between", x.Type(), []*ops.Stage{l.In("b")}, func(b *ops.Body, i []*ir.Node) ops.Elem {
			return ops.Real(b.Add(l.In("b").At(b, i...).Re, b.F32(1)))
		})
		return []*ops.Stage{l.Stage("", x.Type(), []*ops.Stage{l.In("a"), between}, func(b *ops.Body, i []*ir.Node) ops.Elem {
			return ops.Real(b.Mul(l.In("a").At(b, i...).Re, b.F32(0.5)))
		})}
	}, x, unread)
	p := w.plan(t, newFaulty("native"), w.keep("total", w.total(half)))
	r, err := Run(context.Background(), p, Options{Devices: []device.Device{newFaulty("native")}, Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(w.read) != 2 || !r.Parity[0].OK || r.Parity[0].Samples != 1 {
		t.Errorf("read %v, parity %+v", w.read, r.Parity)
	}
}
