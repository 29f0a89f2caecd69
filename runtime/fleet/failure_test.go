package fleet_test

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"testing"

	"weft/kernels/device"
	"weft/kernels/emulated"
	"weft/kernels/native"
	"weft/kernels/region"
	"weft/ops/problem"
	"weft/planner/bound"
	"weft/planner/plan"
	"weft/runtime"
	"weft/runtime/result"
	"weft/runtime/trace"
)

// twelve is a program whose last kernel runs as twelve tiles.
const twelve = `
y = axis(y, 0 mm .. 95 mm in 96)
x = axis(x, 0 mm .. 49 mm in 50)
a = sqrt(y ^ 2 + 3 * x ^ 2 + 1 mm ^ 2) @keep
b = a ^ 3 / (a + 1 mm) ^ 2 + 1 mm @tile(y: 8)
show(b)
`

// focus is a beamformer whose last kernel runs as twelve tiles, each of which needs all of its input.
const focus = `
probe = linear_probe(n: 8, pitch: 0.3 mm)
grid = box(x: -2 mm .. 2 mm in 12, z: 8 mm .. 12 mm in 400)
iq = simulate.echoes(probe, [point(z: 10 mm)], fc: 5 MHz, fs: 20 MHz, samples: 300)
show(iq | beamform(probe, grid, fc: 5 MHz, fs: 20 MHz) @tile(x: 1))
`

// last places only the last kernel, which has twelve tiles, on devices and gives its step.
func last(t *testing.T, p *bound.Plan, devices []device.Device) *bound.Step {
	t.Helper()
	step := only(p, devices)
	if step.Kernel.Tiles != 12 {
		t.Fatalf("%d tiles", step.Kernel.Tiles)
	}
	return step
}

// only places the last kernel on devices, and no other, and gives its step.
func only(p *bound.Plan, devices []device.Device) *bound.Step {
	var step *bound.Step
	for i := range p.Steps {
		if s := &p.Steps[i]; s.Kernel != nil {
			s.Kernel.Place = plan.Placement{}
			step = s
		}
	}
	for _, d := range devices {
		step.Kernel.Place.Devices = append(step.Kernel.Place.Devices, d.Info().Name)
	}
	return step
}

// tight is a device whose memory holds three tiles of the last kernel at a time, beside what each needs of it, so that every tile is an
// allocation, a launch and a copy.
func tight(t *testing.T, text string, cpu *native.Device, failures string) (*bound.Plan, *bound.Step, []device.Device) {
	t.Helper()
	p := program(t, text, cpu, 0)
	step := last(t, p, nil)
	var memory int64
	whole := p.Footprint(step)(step.Kernel.IR.Domain().Along(0, region.Interval{Lo: 5, Hi: 6}))
	part := func(id string, rows int64) {
		b := p.Buffer(id)
		memory += (rows*b.Bytes)/int64(b.Layout.Dims[0].Size) + 3*4*device.Margin*int64(b.Storage().Size())
	}
	for _, id := range step.Reads {
		n, all := int64(0), int64(-1)
		if dims := p.Buffer(id).Layout.Dims; len(dims) > 0 {
			n, all = int64(whole[id][0].Len()), int64(dims[0].Size)
		}
		if 2*n > all {
			memory += p.Buffer(id).Bytes + 2*device.Margin*int64(p.Buffer(id).Storage().Size())
		} else {
			part(id, 3*8*n)
		}
	}
	for _, id := range step.Writes {
		part(id, 3*int64(p.Buffer(id).Layout.Dims[0].Size/12))
	}
	devices := emulatedDevices(t, cpu, fmt.Sprintf("{memory: %d, flops: 1e12, failures: [%s]}", memory, failures))
	last(t, p, devices)
	return p, step, devices
}

// Every kind of failure at every tile: the run completes with the result of the host, tells and counts what happened, and under Strict it
// ends, naming the stage and the reason.
func TestFailuresAtEveryTile(t *testing.T) {
	t.Run("elements", func(t *testing.T) { failAtEveryTile(t, twelve, 0) })
	t.Run("beamform", func(t *testing.T) { failAtEveryTile(t, focus, 2e-5) })
}

func failAtEveryTile(t *testing.T, text string, tolerance float64) {
	cpu := host(t)
	want, _, err := run(t, program(t, text, cpu, 0), runtime.Options{Devices: chain(cpu), Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	p, _, devices := tight(t, text, cpu, "")
	calls := &counted{Device: devices[0].(*emulated.Device)}
	devices[0] = calls
	w := trace.Record()
	if _, r, err := run(t, p, runtime.Options{Devices: chain(cpu), Accelerators: devices, Trace: w, Strict: true}); err != nil || r.Devices[0].Ranges != 12 {
		t.Fatalf("%v; %+v", err, r.Devices)
	}
	allocs, uploads := int(calls.allocs.Load()), 0
	for _, s := range w.Spans() {
		if s.Category == "upload" {
			uploads++
		}
	}
	for _, c := range []struct {
		failure string // %d is the tile
		reason  string // %d too
		falls   bool   // back to the host
		lost    bool   // the device is left out
		retries bool
		pins    bool
		most    int // how often it may happen; 0: at every tile
	}{
		{failure: "on: launch, at: %d", reason: "launch %d fails as described", falls: true},
		{failure: "on: upload, at: %d", reason: "upload %d fails as described", falls: true, most: uploads},
		{failure: "on: download, at: %d", reason: "download %d fails as described", falls: true},
		{failure: "on: launch, at: %d, kind: lost", reason: "device lost (at launch %d", falls: true, lost: true},
		{failure: "on: upload, at: %d, kind: lost", reason: "device lost (at upload %d", falls: true, lost: true, most: uploads},
		{failure: "on: download, at: %d, kind: lost", reason: "device lost (at download %d", falls: true, lost: true},
		{failure: "on: alloc, at: %d, kind: lost", reason: "device lost (at alloc %d", falls: true, lost: true, most: allocs},
		{failure: "on: launch, at: %d, until: 1000", reason: "fails as described", falls: true, lost: true},
		{failure: "on: alloc, at: %d, until: 1000", reason: "out of device memory (alloc", falls: true, retries: true, most: allocs},
		{failure: "on: alloc, at: %d", retries: true, most: allocs},
		{failure: "on: launch, at: %d, kind: memory", retries: true},
		{failure: "on: launch, at: %d, until: 1000, kind: memory", reason: "out of device memory (launch", falls: true, retries: true},
		{failure: "on: launch, at: %d, kind: wrong", reason: "wrong result: ", falls: true},
		{failure: "on: launch, at: %d, kind: slow, factor: 50"},
		{failure: "on: pin, at: %d", pins: true, most: 1},
		{failure: "on: compile, at: %d", reason: "compile %d fails as described", falls: true, most: 1},
	} {
		t.Run(c.failure, func(t *testing.T) {
			for n := 1; n <= min(12, cmp.Or(c.most, 12)); n++ {
				fill := func(text string) string { return strings.ReplaceAll(text, "%d", fmt.Sprint(n)) }
				p, step, devices := tight(t, text, cpu, "{"+fill(c.failure)+"}")
				log := &logbook{}
				got, r, err := run(t, p, runtime.Options{Devices: chain(cpu), Accelerators: devices, Verify: true, Progress: log})
				if err != nil {
					t.Fatalf("%d: %v", n, err)
				}
				if apart := got.apart(t, want); apart > tolerance {
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
				if !c.lost && !c.retries && c.falls && c.most != 1 && count != 1 {
					t.Errorf("%d: %d tiles fell back", n, count)
				}
				lost := c.lost && (n <= 8 || !strings.Contains(c.failure, "until")) // which takes two failures in a row
				if lost == c.lost && lost != (u.Quarantined != "") || c.retries != (u.Retries > 0) || c.pins != (u.PinsRefused > 0) {
					t.Errorf("%d: %+v", n, u)
				}
				if count+u.Ranges < 12 && c.most != 1 && u.Retries == 0 {
					t.Errorf("%d: %d tiles fell back, %d ran; kernel %+v", n, count, u.Ranges, r.Kernels[len(r.Kernels)-1])
				}
				p, step, devices = tight(t, text, cpu, "{"+fill(c.failure)+"}")
				_, r, err = run(t, p, runtime.Options{Devices: chain(cpu), Accelerators: devices, Verify: true, Strict: true})
				checkDevices(t, r, devices)
				var stage *result.StageError
				var problem problem.Problem
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
