package fleet_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"weft/kernels/device"
	"weft/kernels/native"
	"weft/planner/bound"
	"weft/runtime"
	"weft/runtime/result"
	"weft/runtime/usage"
)

// heat repeats a turn that reads an array from around it.
const heat = `
x = axis(x, 0 .. 1 in 5000)
k = sqrt(x + 1) @keep
u = sin(x * 7) @keep
show(u | iterate(u -> (u[x: here - 1, outside: nearest] + u[x: here + 1, outside: nearest]) * 0.5 * k / (k + 0.01), at_most: %d))
`

// several repeats a turn of several kernels.
const several = `
x = axis(x, 0 .. 1 in 5000)
u = sin(x * 7) @keep
fn turn(u) {
    a = sqrt(abs(u[x: here - 1, outside: nearest]) + 1) @keep
    b = a[x: here + 1, outside: nearest] * 0.5 + a @keep
    b[x: here - 2, outside: nearest] * 0.3 + u * 0.1
}
show(u | iterate(turn, at_most: %d))
`

// whole repeats a turn of several kernels of whole numbers.
const whole = `
x = axis(x, 0 .. 2999 in 3000)
u = cast(x, i32) @keep
fn turn(u) {
    a = u[x: here - 1, outside: nearest] - u @keep
    b = a[x: here + 1, outside: nearest] + a @keep
    b[x: here - 2, outside: nearest] + u - 1
}
show(u | iterate(turn, at_most: %d))
`

// inside places the kernels of drives' programs on devices.
func inside(p *bound.Plan, devices []device.Device) {
	for _, s := range p.Steps {
		for _, program := range s.Programs {
			inside(program, devices)
			for i := range program.Steps {
				if k := program.Steps[i].Kernel; k != nil {
					for _, d := range devices {
						k.Place.Devices = append(k.Place.Devices, d.Info().Name)
					}
				}
			}
		}
	}
}

// pairs repeats turns of two arrays of which one moves to the other, and a number that is looked at.
const pairs = `
x = axis(x, 0 .. 1 in 3000)
r = (p: cos(x), q: x + 2) | iterate(s -> (p: s.q, q: s.p * 0.5 + s.q * 0.25 + x), at_most: %d, until: (old, new) -> max(abs(new.q - old.q)) < 1e-9)
show(r.value.p)
show(r.value.q)
`

// looked is repeated until the host finds in some turns, of which it keeps numbers, that nothing changes any more.
const looked = `
x = axis(x, 0 .. 1 in 3000)
r = (p: cos(x), q: x + 2) | iterate(s -> (p: s.q, q: s.p * 0.5 + s.q * 0.25 + x), at_most: %d, every: 3,
                                    until: (old, new) -> max(abs(new.q - old.q)) < 1e-9, watch: (old, new) -> sum(new.p))
show(r.value.p)
show(r.value.q)
show(r.history)
`

// repeated runs a program whose drives' kernels are on devices, and compares it with the host.
func repeated(t *testing.T, text string, descriptions ...string) *result.Result {
	t.Helper()
	return repeat(t, true, text, descriptions...)
}

func repeat(t *testing.T, verify bool, text string, descriptions ...string) *result.Result {
	t.Helper()
	cpu := host(t)
	want, _, err := run(t, program(t, text, cpu, 0), runtime.Options{Devices: chain(cpu), Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	devices := emulatedDevices(t, cpu, descriptions...)
	p := program(t, text, cpu, 0)
	inside(p, devices)
	got, r, err := run(t, p, runtime.Options{Devices: chain(cpu), Accelerators: devices, Verify: verify})
	if err != nil {
		t.Fatal(err)
	}
	if apart := got.apart(t, want); apart > 0 {
		t.Errorf("%q: %g apart", descriptions, apart)
	}
	checkDevices(t, r, devices)
	return r
}

// driven are programs with drives, by what is peculiar to them.
var driven = map[string]string{"one array": heat, "two": pairs, "two, and numbers that the host keeps": looked, "several kernels": several, "whole numbers": whole}

// What a drive keeps stays on the device from call to call: after the first ones, none copies it there, and only the last one copies it to the host. The host waits where it asks for numbers.
func TestStateStaysOnDevices(t *testing.T) {
	for name, text := range driven {
		var in, out, waits []int64
		for _, turns := range []int{4, 14, 24} {
			r := repeat(t, false, fmt.Sprintf(text, turns), "{}") // else it looks at some now and then
			if len(r.Fallbacks) > 0 {
				t.Errorf("%s: %+v", name, r.Fallbacks)
			}
			in, out = append(in, r.Devices[0].BytesIn), append(out, r.Devices[0].BytesOut)
			waits = append(waits, r.Devices[0].Waits)
		}
		t.Logf("%s: %d bytes in, %d out, %d waits", name, in, out, waits)
		if in[1] != in[0] || in[2] != in[0] {
			t.Errorf("%s: %d bytes are copied to the device, more the more turns there are", name, in)
		}
		bytes, most := int64(0), int64(0)
		switch text {
		case pairs: // a truth value for each turn
			bytes, most = 10, 20
		case looked: // and a number, for three
			bytes, most = 4*5, 4*2
		}
		if each := out[2] - out[1]; each > bytes || waits[2]-waits[1] > most {
			t.Errorf("%s: ten turns copy %d bytes to the host, which waits %d times", name, each, waits[2]-waits[1])
		}
	}
}

// Whatever fails in whatever call, on one device or on one of two: what is lost is made again from what the host has, and it counts.
func TestFailuresInDrives(t *testing.T) {
	for name, text := range driven {
		for _, failure := range []string{
			"on: launch, at: %d", "on: upload, at: %d", "on: download, at: %d", "on: launch, at: %d, kind: lost", "on: launch, at: %d, kind: lost, back: true",
			"on: download, at: %d, kind: lost", "on: launch, at: %d, kind: wrong", "on: alloc, at: %d",
		} {
			for n := 1; n <= 7; n++ {
				if n > 1 && strings.Contains(failure, "wrong") { // of what calls make between the first and the last, no sample is taken
					continue
				}
				broken := "{name: bad, failures: [{" + fmt.Sprintf(failure, n) + "}]}"
				r := repeated(t, fmt.Sprintf(text, 7), broken)
				if strings.Contains(failure, "lost") && r.Devices[0].Failures > 1 {
					t.Errorf("%s, %s: what is lost once counts %d failures", name, broken, r.Devices[0].Failures)
				}
				if happened := r.Devices[0].Failures + r.Devices[0].Retries; happened == 0 && n == 1 || len(r.Fallbacks) == 0 && r.Devices[0].Failures > 0 {
					t.Errorf("%s, %s: %+v, %+v", name, broken, r.Devices[0], r.Fallbacks)
				}
				repeated(t, fmt.Sprintf(text, 7), broken, "{name: good, flops: 1e9}")
				if !strings.Contains(failure, "wrong") {
					repeat(t, false, fmt.Sprintf(text, 7), broken)
				}
			}
		}
	}
}

// What is looked at once more in the end, because some of it was lost meanwhile, is told of once.
func TestLooksAreToldOnce(t *testing.T) {
	for name, text := range driven {
		text = fmt.Sprintf(text, 7)
		want := len(repeated(t, text, "{}").Parity)
		for n := 7; n <= 14; n++ {
			if r := repeated(t, text, fmt.Sprintf("{failures: [{on: download, at: %d}]}", n)); len(r.Parity) != want || r.Devices[0].Failures > 0 && len(r.Fallbacks) == 0 {
				t.Errorf("%s, %d: %d looks, not %d, %+v", name, n, len(r.Parity), want, r.Fallbacks)
			}
		}
	}
}

// Turns are predicted without copies, but for the first one and the last: so a device has them that would not pay if each were copied.
func TestTurnsArePredicted(t *testing.T) {
	const text = `
x = axis(x, 0 .. 1 in 1000)
y = axis(y, 0 .. 1 in 1000)
u = sin(x * 7) * cos(y * 3) @keep @device(cpu)
show(u | iterate(u -> (u[x: here - 1, outside: nearest] + u[x: here + 1, outside: nearest]) * 0.5, at_most: 200))
`
	described(func(t *testing.T, cpu *native.Device) {
		devices := emulatedDevices(t, cpu, h200(1, 64, 64))
		p := planned(t, text, "", cpu, devices)
		predicted := 0.0
		for i := range p.Steps {
			for j := range p.Steps[i].Programs {
				each, first := p.Steps[i].Call(j)
				predicted += 1e-3 * (each*float64(p.Steps[i].Drive.Programs[j].Most) + first)
			}
		}
		start := time.Now()
		_, r, err := run(t, p, runtime.Options{Devices: chain(cpu), Accelerators: devices, Strict: true})
		if err != nil {
			t.Fatal(err)
		}
		took := time.Since(start).Seconds()
		t.Logf("predicted %.3g ms, took %.3g ms", 1e3*predicted, 1e3*took)
		if r.Devices[0].Launches != 200 || predicted < 0.9*took || predicted > 1.3*took { // the host's own work takes nothing on this clock
			t.Errorf("predicted %g s, took %g s, %+v", predicted, took, r.Devices[0])
		}
	})(t)
}

// Where a device has no room for all, what it gives up goes to the host, which goes on having what calls can be made again from.
func TestDrivesInLittleDeviceMemory(t *testing.T) {
	for name, text := range driven {
		for _, kib := range []int{24, 41, 50, 70} {
			for _, failure := range []string{"", "{on: launch, at: 9}", "{on: launch, at: 14, kind: lost, back: true}"} {
				device := fmt.Sprintf("{memory: %d KiB, failures: [%s]}", kib, failure)
				for _, verify := range []bool{false, true} {
					if r := repeat(t, verify, fmt.Sprintf(text, 12), device); failure != "" && r.Devices[0].Failures > 0 && len(r.Fallbacks) == 0 {
						t.Errorf("%s, %s: %+v", name, device, r.Devices[0])
					}
				}
			}
		}
	}
}

// What a verified run looks at in the end takes the place of what calls could be made again from before, and what a small device gives up is nothing that the host has twice: at no time has
// the host more of the state than two of it, and a third for spots of a call in the middle that a verified run looks at, where that takes long enough for one.
func TestDrivesHoldTwoStates(t *testing.T) {
	const text, state = `
x = axis(x, 0 .. 1 in 3000)
y = axis(y, 0 .. 1 in 3000)
u = sin(x * 7) * cos(y * 3) @keep
fn turn(u) {
    a = u[x: here - 1, outside: nearest] * 0.5 @keep
    (a[x: here + 2, outside: nearest] + a) * 0.6
}
show(u | iterate(turn, at_most: 6))
`, 3000 * 3000 * 4
	const reset = "/proc/self/clear_refs"
	cpu := host(t)
	var peaks []int64
	for i, device := range []string{"{}", "{}", "{}", "{memory: 90 MiB}"} { // the first one makes what stays for the others
		verify := i == 2
		devices := emulatedDevices(t, cpu, device)
		p := program(t, text, cpu, 0)
		inside(p, devices)
		debug.FreeOSMemory()
		if err := os.WriteFile(reset, []byte("5"), 0); err != nil {
			t.Skip(err)
		}
		r, err := runtime.Run(t.Context(), p, runtime.Options{Devices: chain(cpu), Accelerators: devices, Threads: 2, Discard: true, Verify: verify})
		if err != nil {
			t.Fatal(err)
		}
		peaks = append(peaks, usage.PeakRSS()-r.Devices[0].Peak) // which is memory of this process, too
	}
	t.Logf("at most %d bytes, %d verified, and %d with a small device, with a state of %d", peaks[1], peaks[2], peaks[3], state)
	if peaks[2] > peaks[1]+state+state/2 || peaks[3] > peaks[1]+state/2 {
		t.Errorf("at most %d bytes, %d verified, and %d with a small device, with a state of %d", peaks[1], peaks[2], peaks[3], state)
	}
}

// A drive that is cancelled while its calls are in line ends at once, and blames no device.
func TestCancelledDrive(t *testing.T) {
	cpu := host(t)
	for name, text := range driven {
		devices := emulatedDevices(t, cpu, "{launch: 20ms, pace: 1}")
		p := program(t, fmt.Sprintf(text, 1000), cpu, 0)
		inside(p, devices)
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		r, err := runtime.Run(ctx, p, runtime.Options{Devices: chain(cpu), Accelerators: devices, Threads: 2, Discard: true})
		cancel()
		var stage *result.StageError
		if !errors.Is(err, context.DeadlineExceeded) || errors.As(err, &stage) || len(r.Fallbacks) > 0 || r.Devices[0].Failures > 0 {
			t.Errorf("%s: %v, %+v, %+v", name, err, r.Fallbacks, r.Devices[0])
		}
		checkDevices(t, r, devices)
	}
}
