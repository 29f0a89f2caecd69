package runtime_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"slices"
	"testing"

	"weft/kernels/device"
	"weft/kernels/interp"
	"weft/lang/check"
	"weft/ops/catalogue"
	"weft/planner"
	"weft/planner/bound"
	"weft/planner/plan"
	"weft/runtime"
)

const halving = `x = axis(t, 0 .. 1 in 100) * 8 @keep
y = x * 0.5 + 1 @keep
far = where(max(abs(y - x)) > 0.001, 1, 0) @keep
x | write("x.npy")
far | write("far.npy")
`

// iterated is an edit of the plan of halving: from x on, y and far are made in rounds, each of which starts from the y of the one before.
func iterated(p plan.Plan, most int) *plan.Plan {
	id := func(stage string) string {
		return p.Buffers[slices.IndexFunc(p.Buffers, func(b plan.Buffer) bool { return b.Label == stage })].ID
	}
	x, y, far := id("x"), id("y"), id("far")
	var before, body, sinks []plan.Step
	for _, s := range p.Steps {
		s.Frees = nil
		switch {
		case s.Kind == plan.SinkStep:
			sinks = append(sinks, s)
		case slices.Contains(s.Writes, x):
			before = append(before, s)
		default:
			body = append(body, s)
		}
	}
	drive := plan.Step{ID: "d1", Kind: plan.DriveStep, Name: "iterate", Drive: &plan.Drive{
		Algorithm: "iterate", Body: body, State: []plan.State{{Now: x, Next: y}}, While: far, Most: most}}
	p.Steps = slices.Concat(before, []plan.Step{drive}, sinks)
	p.Hash = p.Sum()
	return &p
}

func TestDrive(t *testing.T) {
	t.Chdir(t.TempDir())
	sinks := func() *check.Program {
		p, found := check.File("p.weft", []byte(halving), catalogue.Standard(), check.Options{})
		if found.HasErrors() {
			t.Fatal(found.Summary())
		}
		return p
	}
	dev := interp.New(interp.Options{})
	made, err := planner.Build(sinks().Sinks, dev.Info(), planner.Options{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	for most, want := range map[int]int{3: 3, 100: 13} {
		edited := iterated(*made.Value(), most)
		var text bytes.Buffer
		if err := plan.YAML(&text, edited); err != nil {
			t.Fatal(err)
		}
		v, err := plan.Read(text.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		p, err := bound.Bind(v, sinks().Sinks, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := runtime.Run(t.Context(), p, runtime.Options{Devices: []device.Device{dev}, Threads: 2, Verify: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range r.Parity {
			if !c.OK || c.Samples == 0 {
				t.Errorf("%+v", c)
			}
		}
		file, err := os.ReadFile("x.npy")
		if err != nil {
			t.Fatal(err)
		}
		for i := range 100 {
			v := float64(math.Float32frombits(binary.LittleEndian.Uint32(file[len(file)-4*(100-i):])))
			x := 8 * float64(i) / 99
			for range want {
				x = x*0.5 + 1
			}
			if math.Abs(v-x) > 1e-5 {
				t.Fatalf("at most %d rounds: x[%d] is %g, want %g", most, i, v, x)
			}
		}
	}
}
