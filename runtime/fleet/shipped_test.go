package fleet_test

import (
	"fmt"
	"strings"
	"testing"

	"weft/kernels/device"
	"weft/runtime"
	"weft/runtime/result"
)

// unequal are devices of different speed and memory: the last ones cannot hold the arrays of any of the pipelines.
var unequal = []string{
	"{name: fast, flops: 4e12, bandwidth: 1e12, memory: 1 GiB, link: {rate: 20e9}}",
	"{name: slow, flops: 5e11, bandwidth: 2e11, memory: 64 MiB, link: {rate: 5e9}}",
	"{name: odd, flops: 1e12, max_grid: [7, 5, 3], max_threads: 128, memory: 16 MiB}",
	"{name: little, flops: 2e12, memory: 400 KiB, link: {pinned: false}}",
	"{name: tiny, flops: 2e12, memory: 150 KiB}",
}

// Every pipeline that ships, made small, on one, two and five devices: the same as on the host's processor within its
// tolerance, and to the bit where it is a mask; and no device holds more than it has.
func TestShippedPipelines(t *testing.T) {
	cpu := host(t)
	for _, c := range []struct {
		file    string
		replace []string
		equal   bool // to the bit
	}{
		{"beamform/volume.weft", []string{"in 64", "in 14", "in 128", "in 20", "nx: 32, ny: 32", "nx: 12, ny: 12"}, false},
		{"beamform/plane_wave.weft", []string{"in 257", "in 33", "in 513", "in 51", "n: 128", "n: 32"}, false},
		{"skyview/city.weft", []string{"size    = 400", "size    = 80"}, true},
	} {
		text := shipped(t, c.file, c.replace...)
		want, _, err := run(t, program(t, text, cpu, 0), runtime.Options{Devices: chain(cpu), Verify: true, Strict: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{1, 2, 5} {
			t.Run(fmt.Sprintf("%s on %d", c.file, n), func(t *testing.T) {
				devices := emulatedDevices(t, cpu, unequal[:n]...)
				log := &logbook{}
				got, r, err := run(t, program(t, text, cpu, 0, devices...),
					runtime.Options{Devices: chain(cpu), Accelerators: devices, Verify: true, Strict: true, Progress: log})
				if err != nil {
					t.Fatalf("%v; logged %q", err, log.lines)
				}
				apart := got.apart(t, want)
				if apart > 2e-5 || c.equal && apart > 0 {
					t.Errorf("%g apart", apart)
				}
				checkDevices(t, r, devices)
				for _, k := range r.Kernels {
					if len(k.Shares) == 0 || strings.Contains(k.Device, "cpu") {
						t.Errorf("kernel %s ran on %s: %+v", k.ID, k.Device, k.Shares)
					}
				}
				if len(r.Fallbacks) > 0 {
					t.Errorf("fallbacks %+v", r.Fallbacks)
				}
				for _, line := range log.lines {
					if !strings.Contains(line, "does not take part") {
						t.Errorf("logged %q", line)
					}
				}
			})
		}
	}
}

// checkDevices checks what holds of every run: all memory was given back, and none was beyond the limit.
func checkDevices(t *testing.T, r *result.Result, devices []device.Device) {
	t.Helper()
	if len(r.Devices) != len(devices) {
		t.Fatalf("%d devices in the report, not %d", len(r.Devices), len(devices))
	}
	for i, d := range devices {
		u := d.(device.Metered).Usage()
		if u.Allocated != 0 {
			t.Errorf("%s still holds %d bytes", d.Info().Name, u.Allocated)
		}
		if limit := d.Info().Limits.Memory; u.Peak > limit || r.Devices[i].Peak != u.Peak || r.Devices[i].Memory != limit {
			t.Errorf("%s took %d of %d bytes; reported %+v", d.Info().Name, u.Peak, limit, r.Devices[i])
		}
	}
}
