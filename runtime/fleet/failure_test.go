package fleet_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"weft/kernels/device"
	"weft/ops"
	"weft/planner"
	"weft/runtime"
)

// twelve is a program whose last kernel runs as twelve tiles.
const twelve = `
y = axis(y, 0 mm .. 95 mm in 96)
x = axis(x, 0 mm .. 49 mm in 50)
a = sqrt(y ^ 2 + 3 * x ^ 2 + 1 mm ^ 2) @keep
b = a ^ 3 / (a + 1 mm) ^ 2 + 1 mm @tile(y: 8)
show(b)
`

// last places only the last kernel on devices and gives its step.
func last(t *testing.T, p *planner.Plan, devices []device.Device) *planner.Step {
	t.Helper()
	var step *planner.Step
	for i := range p.Steps {
		if s := &p.Steps[i]; s.Kernel != nil {
			s.Kernel.Place = planner.Placement{}
			step = s
		}
	}
	for _, d := range devices {
		step.Kernel.Place.Devices = append(step.Kernel.Place.Devices, d.Info().Name)
	}
	if step.Kernel.Tiles != 12 {
		t.Fatalf("%d tiles", step.Kernel.Tiles)
	}
	return step
}

// Every kind of failure at every tile: the run completes with the result of the host, to the bit, and tells what happened; and
// under Strict it ends, naming the stage and the reason.
func TestFailuresAtEveryTile(t *testing.T) {
	cpu := host(t)
	want, _, err := run(t, program(t, twelve, cpu, 0), runtime.Options{Devices: chain(cpu), Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		failure string // %d is the tile
		reason  string // %d too
		falls   bool   // back to the host
		lost    bool   // the device is left out
		retries bool
		pins    bool
	}{
		{failure: "on: launch, at: %d", reason: "launch %d fails as described", falls: true},
		{failure: "on: upload, at: %d", reason: "upload %d fails as described", falls: true},
		{failure: "on: download, at: %d", reason: "download %d fails as described", falls: true},
		{failure: "on: launch, at: %d, kind: lost", reason: "device lost (at launch %d", falls: true, lost: true},
		{failure: "on: upload, at: %d, kind: lost", reason: "device lost (at upload %d", falls: true, lost: true},
		{failure: "on: download, at: %d, kind: lost", reason: "device lost (at download %d", falls: true, lost: true},
		{failure: "on: alloc, at: %d, kind: lost", reason: "device lost (at alloc %d", falls: true, lost: true},
		{failure: "on: launch, at: %d, until: 1000", reason: "fails as described", falls: true, lost: true},
		{failure: "on: alloc, at: %d, until: 1000", reason: "out of device memory (alloc", falls: true, retries: true},
		{failure: "on: alloc, at: %d", retries: true},
		{failure: "on: launch, at: %d, kind: wrong", reason: "wrong result: b holds ", falls: true},
		{failure: "on: launch, at: %d, kind: slow, factor: 50"},
		{failure: "on: pin, at: %d", pins: true},
		{failure: "on: compile, at: %d", reason: "compile %d fails as described", falls: true},
	} {
		t.Run(c.failure, func(t *testing.T) {
			for n := 1; n <= 12; n++ {
				fill := func(text string) string { return strings.ReplaceAll(text, "%d", fmt.Sprint(n)) }
				// Three tiles of it fit in memory at a time, so that every tile is an allocation, a copy, a launch and a copy.
				describe := func() []device.Device {
					return crew(t, cpu, "{memory: 13 KiB, flops: 1e12, failures: [{"+fill(c.failure)+"}]}")
				}
				once := strings.Contains(c.failure, "compile") || strings.Contains(c.failure, "pin") // happens less than 12 times
				if once && n > 1 {
					break
				}
				devices := describe()
				p := program(t, twelve, cpu, 0)
				step := last(t, p, devices)
				log := &logbook{}
				got, r, err := run(t, p, runtime.Options{Devices: chain(cpu), Accelerators: devices, Verify: true, Progress: log})
				if err != nil {
					t.Fatalf("%d: %v", n, err)
				}
				if apart := got.apart(t, want); apart > 0 {
					t.Errorf("%d: %g apart", n, apart)
				}
				checkDevices(t, r, devices)
				u, count := r.Devices[0], 0
				for _, f := range r.Fallbacks {
					count += f.Count
					if f.Stage != step.Name || f.Device != "GPU" || f.Count < 1 || !log.holds(fmt.Sprintf("[GPU] %s failed: %s. CPU fallback.", f.Stage, f.Reason)) {
						t.Errorf("%d: fallback %+v, log %q", n, f, log.lines)
					}
				}
				if c.falls != (count > 0) || c.falls && !strings.Contains(r.Fallbacks[0].Reason, fill(c.reason)) || c.falls != (u.Failures > 0) {
					t.Errorf("%d: fallbacks %+v, device %+v", n, r.Fallbacks, u)
				}
				if !c.lost && !c.retries && c.falls && !once && count != 1 {
					t.Errorf("%d: %d tiles fell back", n, count)
				}
				lost := c.lost && (n <= 8 || !strings.Contains(c.failure, "until")) // which takes two failures in a row
				if lost == c.lost && lost != (u.Quarantined != "") || c.retries != (u.Retries > 0) || c.pins != (u.PinsRefused > 0) {
					t.Errorf("%d: %+v", n, u)
				}
				if k := r.Kernels[len(r.Kernels)-1]; count+u.Ranges < 12 && u.Retries == 0 && !once && !lost {
					t.Errorf("%d: %d tiles fell back, %d ran; kernel %+v", n, count, u.Ranges, k)
				}
				devices = describe()
				p = program(t, twelve, cpu, 0)
				last(t, p, devices)
				_, r, err = run(t, p, runtime.Options{Devices: chain(cpu), Accelerators: devices, Verify: true, Strict: true})
				checkDevices(t, r, devices)
				var stage *runtime.StageError
				var problem ops.Problem
				if c.falls != (err != nil) {
					t.Errorf("%d: under Strict %v", n, err)
				}
				if c.falls && (!errors.As(err, &stage) || stage.Stage != step.Name || !errors.As(err, &problem) || problem.Code != "E0703" || !strings.Contains(problem.Message, fill(c.reason))) {
					t.Errorf("%d: under Strict %v", n, err)
				}
			}
		})
	}
}
