package runtime

import (
	"errors"
	"strings"
	"testing"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/ops/problem"
	"weft/planner"
)

// A run that goes on with another's types cannot look for wider ones: where the user asked for a tolerance, it says so and ends.
func TestRunsThatGoOnAreHeldToTolerances(t *testing.T) {
	for _, c := range []struct {
		name          string
		asked, resume bool
		again, fails  bool
	}{
		{"goes on", true, true, true, true},
		{"goes on, nothing asked", false, true, true, false},
		{"found nothing to go on with", true, true, false, false},
		{"made again, no resumption", true, false, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld()
			dev := newFaulty("native")
			dev.after = func(k *ir.Kernel, b device.Bindings, _ region.Region) {
				if strings.HasPrefix(k.Name, "total") {
					out := k.Stores[0].Buf
					device.SetFloat(out.Type, b.Mem[out].Host(), 0, 1.001*device.Float(out.Type, b.Mem[out].Host(), 0))
				}
			}
			total := w.total(w.ramp(matrix(40, 30)))
			if c.asked {
				total.Of.Hints.Tolerance = ops.Number{V: 1e-5}
			}
			sinks := []*ops.Instance{w.keep("total", total)}
			p := w.plan(t, dev, sinks...)
			if c.again {
				var err error
				p, err = planner.Build(sinks, dev.Info(), planner.Options{Request: planner.Request{Decided: &p.Decided}, Threads: 2})
				if err != nil {
					t.Fatal(err)
				}
			}
			r, err := Run(t.Context(), p, Options{Devices: []device.Device{dev}, Verify: true, Resume: c.resume})
			var problem problem.Problem
			switch errors.As(err, &problem); {
			case !c.fails && (err != nil || len(r.Warnings) == 0):
				t.Errorf("%v, %d warnings", err, len(r.Warnings))
			case c.fails && (problem.Code != "E0704" || !strings.Contains(problem.Help, "run without --resume to start afresh")):
				t.Errorf("%v", err)
			}
		})
	}
}
