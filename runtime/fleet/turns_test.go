package fleet_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"weft/kernels/native"
	"weft/runtime"
)

// turns is a plate of which heat spreads in some turns, each of which a device makes.
const turns = `
x = axis(x, 0 .. 1 in 50)
y = axis(y, 0 .. 1 in 32)
hot = where((x - 0.3) ^ 2 + (y - 0.3) ^ 2 < 0.02, 80, 0) @keep @device(cpu)
fn spread(u) {
    around = u[x: here - 1, outside: 0] + u[x: here + 1, outside: 0] + u[y: here - 1, outside: 0] + u[y: here + 1, outside: 0]
    u + 0.2 * (around - 4 * u)
}
plate = hot | iterate(spread, at_most: %d)
show(plate)
`

// wholeTurns is the same in whole numbers.
const wholeTurns = `
x = axis(x, 0 .. 49 in 50)
y = axis(y, 0 .. 31 in 32)
hot = cast(x * 32 + y, i32) @keep @device(cpu)
fn spread(u) {
    around = u[x: here - 1, outside: 0] + u[x: here + 1, outside: 0] + u[y: here - 1, outside: 0] + u[y: here + 1, outside: 0]
    around / 4 + 3 - u / 8
}
plate = hot | iterate(spread, at_most: %d)
show(plate)
`

// For turns that the host does not ask for it does not wait either. What fails in any turn is told of it, and done by the host.
func TestTurnsAreNotWaitedFor(t *testing.T) {
	text := fmt.Sprintf(turns, 12)
	described(func(t *testing.T, cpu *native.Device) {
		want, _, err := run(t, planned(t, text, "cpu", cpu, nil), runtime.Options{Devices: chain(cpu)})
		if err != nil {
			t.Fatal(err)
		}
		const h200 = "pace: 1, sms: 132, launch: 4us, shortest: 2us, sync: 25us, flops: 30e12, bandwidth: 4.3e12, link: {rate: 50e9, latency: 8us}"
		devices := emulatedDevices(t, cpu, "{"+h200+"}")
		p := planned(t, text, "gpu", cpu, devices)
		got, r, err := run(t, p, runtime.Options{Devices: chain(cpu), Accelerators: devices, Strict: true})
		if err != nil {
			t.Fatal(err)
		}
		u := r.Devices[0]
		t.Logf("%d launches, %d waits, %.3g us computing", u.Launches, u.Waits, 1e6*u.Compute)
		if apart := got.apart(t, want); apart > 0 || u.Launches < 12 || u.Waits > 10 {
			t.Errorf("%g apart, %+v", apart, u)
		}
		for failure, least := range map[string]int{
			"on: launch, at: %d": 12, "on: download, at: %d": 8, "on: launch, at: %d, kind: lost": 12, "on: download, at: %d, kind: lost": 8,
		} {
			happened := 0
			for n := 1; n <= 40; n++ {
				devices := emulatedDevices(t, cpu, fmt.Sprintf("{%s, failures: [{%s}]}", h200, fmt.Sprintf(failure, n)))
				got, r, err := run(t, planned(t, text, "gpu", cpu, devices), runtime.Options{Devices: chain(cpu), Accelerators: devices, Verify: true})
				if err != nil {
					t.Fatalf("%s, %d: %v", failure, n, err)
				}
				if apart := got.apart(t, want); apart > 0 {
					t.Errorf("%s, %d: %g apart", failure, n, apart)
				}
				checkDevices(t, r, devices)
				if r.Devices[0].Failures == 0 {
					break
				}
				happened++
				if len(r.Fallbacks) == 0 {
					t.Errorf("%s, %d: %+v", failure, n, r.Fallbacks)
				}
			}
			if happened < least {
				t.Errorf("%s: at %d steps", failure, happened)
			}
		}
	})(t)
}

// Now and then the host gets what turns made, so that no more than what came behind that is made again when a device is lost.
func TestTurnsAreCopiedNowAndThen(t *testing.T) {
	const state = 50 * 32 * 4
	text := fmt.Sprintf(turns, 600)
	described(func(t *testing.T, cpu *native.Device) {
		want, _, err := run(t, planned(t, text, "cpu", cpu, nil), runtime.Options{Devices: chain(cpu)})
		if err != nil {
			t.Fatal(err)
		}
		const slow = "pace: 1, sms: 132, shortest: 1ms, sync: 25us, link: {rate: 50e9, latency: 8us}"
		for _, failure := range []string{"", "{on: launch, at: 550}", "{on: launch, at: 550, kind: lost, back: true}", "{on: launch, at: 550, kind: lost}"} {
			devices := emulatedDevices(t, cpu, fmt.Sprintf("{%s, failures: [%s]}", slow, failure))
			got, r, err := run(t, planned(t, text, "gpu", cpu, devices), runtime.Options{Devices: chain(cpu), Accelerators: devices})
			if err != nil {
				t.Fatal(err)
			}
			u, byHost := r.Devices[0], 0
			for _, f := range r.Fallbacks {
				byHost += f.Count
			}
			t.Logf("%q: %d launches, %d states out, %d done by the host", failure, u.Launches, u.BytesOut/state, byHost)
			if apart := got.apart(t, want); apart > 0 || (failure == "") != (byHost == 0) {
				t.Errorf("%q: %g apart, %+v", failure, apart, r.Fallbacks)
			}
			turn := r.Kernels[len(r.Kernels)-1]
			if each := turn.Flops / float64(turn.Calls); turn.Calls < 600 || (failure == "") != (turn.Calls == 600) || each < 1600 || each > 1600*20 {
				t.Errorf("%q: %d turns with those made again, %g operations each", failure, turn.Calls, each)
			}
			if failure == "" && (u.BytesOut < 4*state || u.BytesOut > 9*state) {
				t.Errorf("%d states go to the host", u.BytesOut/state)
			}
			if u.Launches > 600+200 {
				t.Errorf("%q: %d launches", failure, u.Launches)
			}
			checkDevices(t, r, devices)
		}
	})(t)
}

// A plate's heat takes on a GPU little more than its kernels, although the host looks at it every so many turns.
func TestHeatOnAnH200(t *testing.T) {
	described(func(t *testing.T, cpu *native.Device) {
		devices := emulatedDevices(t, cpu, h200(1, 1, 1))
		p := program(t, shipped(t, "repeat/heat.weft"), cpu, 0, devices...)
		inside(p, devices)
		start := time.Now()
		_, r, err := run(t, p, runtime.Options{Devices: chain(cpu), Accelerators: devices, Strict: true, Verify: true})
		if err != nil {
			t.Fatal(err)
		}
		u, wall := r.Devices[0], time.Since(start).Seconds()
		t.Logf("%.3g ms, %.3g ms computing, %d launches, %d waits, %d bytes out", 1e3*wall, 1e3*u.Compute, u.Launches, u.Waits, u.BytesOut)
		if wall > 1.35*u.Compute || u.Waits > u.Launches/10 {
			t.Errorf("%.3g s for %+v", wall, u)
		}
	})(t)
}

// A device that is wrong for a while between the first call and the last is found out, and what it made is made again, with what followed from it.
func TestFaultsBetweenFirstAndLast(t *testing.T) {
	for name, text := range map[string]string{"numbers": turns, "whole numbers": wholeTurns} {
		text = fmt.Sprintf(text, 400)
		described(func(t *testing.T, cpu *native.Device) {
			want, _, err := run(t, planned(t, text, "cpu", cpu, nil), runtime.Options{Devices: chain(cpu)})
			if err != nil {
				t.Fatal(err)
			}
			const h200 = "pace: 1, sms: 132, launch: 4us, shortest: 50us, sync: 25us, link: {rate: 50e9, latency: 8us}"
			walls := map[string]float64{}
			for _, failure := range []string{"", "{on: launch, at: 100, until: 160, kind: wrong}", "unverified"} {
				verify := failure != "unverified"
				devices := emulatedDevices(t, cpu, fmt.Sprintf("{%s, failures: [%s]}", h200, strings.TrimPrefix(failure, "unverified")))
				start := time.Now()
				got, r, err := run(t, planned(t, text, "gpu", cpu, devices), runtime.Options{Devices: chain(cpu), Accelerators: devices, Verify: verify})
				walls[failure] = time.Since(start).Seconds()
				if err != nil {
					t.Fatal(err)
				}
				u := r.Devices[0]
				t.Logf("%s, %q: %.3g ms, %d launches, %d waits, %d failures, %+v", name, failure, 1e3*walls[failure], u.Launches, u.Waits, u.Failures, r.Fallbacks)
				if apart := got.apart(t, want); apart > 0 || (len(r.Fallbacks) > 0) != strings.HasPrefix(failure, "{") {
					t.Errorf("%s, %q: %g apart, %+v", name, failure, apart, r.Fallbacks)
				}
			}
			if walls[""] > 1.1*walls["unverified"] {
				t.Errorf("%s: %.3g ms, and unverified %.3g", name, 1e3*walls[""], 1e3*walls["unverified"])
			}
		})(t)
	}
}

// Turns of several short kernels are launched as graphs where a device has them, which takes a quarter less and more, with the same bits.
func TestTurnsTakeLessAsGraphs(t *testing.T) {
	const text = `
x = axis(x, 0 .. 1 in 4096)
u = sin(x * 7) @keep @device(cpu)
fn turn(u) {
    a = u[x: here - 1, outside: nearest] - u @keep
    b = a[x: here + 1, outside: nearest] + a @keep
    c = b[x: here + 1, outside: nearest] + a @keep
    c[x: here - 2, outside: nearest] * 0.2 + u * 0.3
}
show(u | iterate(turn, at_most: 1000))
`
	described(func(t *testing.T, cpu *native.Device) {
		took := func(description string) (seen, float64) {
			devices := emulatedDevices(t, cpu, description)
			p := program(t, text, cpu, 0)
			inside(p, devices)
			start := time.Now()
			got, r, err := run(t, p, runtime.Options{Devices: chain(cpu), Accelerators: devices, Strict: true})
			if err != nil {
				t.Fatal(err)
			}
			wall := time.Since(start).Seconds()
			t.Logf("%.3g ms, %.3g ms computing, %d launches, %d waits", 1e3*wall, 1e3*r.Devices[0].Compute, r.Devices[0].Launches, r.Devices[0].Waits)
			return got, wall
		}
		with := h200(1, 1, 1)
		without := strings.Replace(with, "graph: {launch: 4us, node: 1us, make: 20us}, ", "", 1)
		graphs, quick := took(with)
		plain, slow := took(without)
		if apart := graphs.apart(t, plain); apart > 0 || slow < 1.35*quick {
			t.Errorf("%g apart, %.3g ms as graphs, %.3g ms without", apart, 1e3*quick, 1e3*slow)
		}
	})(t)
}
