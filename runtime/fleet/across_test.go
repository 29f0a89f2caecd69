package fleet_test

import (
	"fmt"
	"testing"

	"weft/kernels/native"
	"weft/runtime"
)

// halos is a program of kernels of which each reads rows that lie beside those it makes, as stencils do.
const halos = `
y = axis(y, 0 mm .. 255 mm in 256)
x = axis(x, 0 mm .. 63 mm in 64)
d = axis(d, -2 .. 2 in 5)
a = sqrt(y ^ 2 + 3 * x ^ 2 + 1 mm ^ 2) @keep
b = mean(a[y: here + d, outside: nearest], over: d) @keep
c = mean(b[y: here + d, outside: nearest], over: d) @keep
e = mean(c[y: here + d, outside: nearest], over: d) @keep
show(mean(e[y: here + d, outside: nearest], over: d))
`

// Rows that another device made or has come from there, where devices have links: the host sends the first array and gets the last one.
func TestRowsBetweenDevicesSpareTheHost(t *testing.T) {
	described(func(t *testing.T, cpu *native.Device) {
		const array = 4 * 256 * 64
		var want seen
		for _, peer := range []string{"", ", peer: 450e9"} {
			devices := emulatedDevices(t, cpu, fmt.Sprintf("{name: d, count: 4, pace: 1, flops: 2e8, launch: 4us, sync: 25us, link: {rate: 1e9, latency: 8us%s}}", peer))
			p := program(t, halos, cpu, 0, devices...)
			got, r, err := run(t, p, runtime.Options{Devices: chain(cpu), Accelerators: devices, Strict: true})
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = got
			}
			if apart := got.apart(t, want); apart > 0 {
				t.Errorf("%g apart", apart)
			}
			checkDevices(t, r, devices)
			var in, out, across int64
			working := 0
			for _, u := range r.Devices {
				in, out, across = in+u.BytesIn, out+u.BytesOut, across+u.BytesAcross
				if u.Kernels == 5 {
					working++
				}
			}
			t.Logf("peer %q: %d bytes in, %d out, %d across; %d devices", peer, in, out, across, working)
			switch {
			case working < 3:
				t.Errorf("%d devices take part in all", working)
			case peer == "" && (across > 0 || out <= array):
				t.Errorf("without links: %d bytes in, %d out, %d across", in, out, across)
			case peer != "" && (across == 0 || in > array/20 || out != array):
				t.Errorf("with links: %d bytes in, %d out, %d across", in, out, across)
			}
		}
	})(t)
}

// Copies between devices that fail go by way of the host; what a lost device held is made again. Results are the same bytes, and what happened is counted.
func TestCopiesBetweenDevicesFail(t *testing.T) {
	described(func(t *testing.T, cpu *native.Device) {
		want, _, err := run(t, program(t, halos, cpu, 0), runtime.Options{Devices: chain(cpu)})
		if err != nil {
			t.Fatal(err)
		}
		for _, failure := range []string{"on: upload, at: %d", "on: upload, at: %d, kind: lost", "on: download, at: %d, kind: lost", "on: launch, at: %d, kind: lost"} {
			happened := 0
			for at := 1; at <= 12; at++ {
				devices := emulatedDevices(t, cpu, fmt.Sprintf("{name: d, count: 2, pace: 1, flops: 2e8, launch: 4us, sync: 25us, link: {rate: 1e9, latency: 8us, peer: 450e9}, failures: [{%s}]}", fmt.Sprintf(failure, at)))
				log := &logbook{}
				got, r, err := run(t, program(t, halos, cpu, 0, devices...), runtime.Options{Devices: chain(cpu), Accelerators: devices, Verify: true, Progress: log})
				if err != nil {
					t.Fatalf("%s, %d: %v", failure, at, err)
				}
				if apart := got.apart(t, want); apart > 0 {
					t.Errorf("%s, %d: %g apart", failure, at, apart)
				}
				checkDevices(t, r, devices)
				for _, u := range r.Devices {
					if u.Failures+u.Retries > 0 {
						happened++
					}
				}
			}
			if happened == 0 {
				t.Errorf("%s never happened", failure)
			}
			t.Logf("%s: %d times", failure, happened)
		}
	})(t)
}
