package fleet_test

import (
	"testing"

	"weft/runtime"
)

// BenchmarkRanges tells what a range of a row costs beyond its copies and its kernel, on a device that takes no time.
func BenchmarkRanges(b *testing.B) {
	cpu := host(b)
	const text = "y = axis(y, 0 mm .. 1 mm in 4096)\nx = axis(x, 0 mm .. 1 mm in 16)\na = sqrt(y ^ 2 + x ^ 2) @keep\nshow((a + x) @tile(y: 1))"
	devices := emulatedDevices(b, cpu, "{}")
	var wall float64
	n := 0
	for b.Loop() {
		p := program(b, text, cpu, 0)
		onlyLast(p, devices)
		_, r, err := run(b, p, runtime.Options{Devices: chain(cpu), Accelerators: devices})
		if err != nil {
			b.Fatal(err)
		}
		k := r.Kernels[len(r.Kernels)-1]
		wall, n = wall+k.Wall, n+k.Tiles
	}
	b.ReportMetric(wall/float64(n)*1e6, "us/range")
}
