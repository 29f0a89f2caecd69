package fleet_test

import (
	"fmt"
	"testing"

	"weft/kernels/native"
	"weft/runtime"
)

// turns is a plate of which heat spreads in twelve turns, each of which a device makes, and the host gets.
const turns = `
x = axis(x, 0 .. 1 in 50)
y = axis(y, 0 .. 1 in 32)
hot = where((x - 0.3) ^ 2 + (y - 0.3) ^ 2 < 0.02, 80, 0) @keep @device(cpu)
fn spread(u) {
    around = u[x: here - 1, outside: 0] + u[x: here + 1, outside: 0] + u[y: here - 1, outside: 0] + u[y: here + 1, outside: 0]
    u + 0.2 * (around - 4 * u)
}
plate = hot | iterate(spread, at_most: 12)
show(plate)
`

// A range that is all of a kernel is waited for once, with what it makes: of a turn the host waits for the copy out alone. What fails in any turn is told of it, and done by the host.
func TestTurnsAreWaitedForOnce(t *testing.T) {
	described(func(t *testing.T, cpu *native.Device) {
		want, _, err := run(t, planned(t, turns, "cpu", cpu, nil), runtime.Options{Devices: chain(cpu)})
		if err != nil {
			t.Fatal(err)
		}
		const h200 = "pace: 1, sms: 132, launch: 4us, shortest: 2us, sync: 25us, flops: 30e12, bandwidth: 4.3e12, link: {rate: 50e9, latency: 8us}"
		devices := emulatedDevices(t, cpu, "{"+h200+"}")
		p := planned(t, turns, "gpu", cpu, devices)
		got, r, err := run(t, p, runtime.Options{Devices: chain(cpu), Accelerators: devices, Strict: true})
		if err != nil {
			t.Fatal(err)
		}
		u := r.Devices[0]
		t.Logf("%d launches, %d waits, %.3g us computing", u.Launches, u.Waits, 1e6*u.Compute)
		if apart := got.apart(t, want); apart > 0 || u.Launches < 12 || u.Waits > u.Launches+5 {
			t.Errorf("%g apart, %+v", apart, u)
		}
		for _, failure := range []string{"on: launch, at: %d", "on: download, at: %d", "on: launch, at: %d, kind: lost", "on: download, at: %d, kind: lost"} {
			happened := 0
			for n := 1; n <= 40; n++ {
				devices := emulatedDevices(t, cpu, fmt.Sprintf("{%s, failures: [{%s}]}", h200, fmt.Sprintf(failure, n)))
				got, r, err := run(t, planned(t, turns, "gpu", cpu, devices), runtime.Options{Devices: chain(cpu), Accelerators: devices, Verify: true})
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
			if happened < 12 {
				t.Errorf("%s: at %d steps", failure, happened)
			}
		}
	})(t)
}
