package runtime

import (
	"context"
	"errors"
	"testing"

	"weft/kernels/device"
	"weft/kernels/interp"
	"weft/kernels/ir"
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
