package fleet_test

import (
	"testing"
	"time"

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

// BenchmarkTurns tells what the host does for a turn of a few kernels that goes ahead of it: these take little, and the device no time.
func BenchmarkTurns(b *testing.B) {
	cpu := host(b)
	const text = `
x = axis(x, 0 .. 1 in 64)
u = sin(x * 7) @keep
fn turn(u) {
    a = u[x: here - 1, outside: nearest] - u @keep
    b = a[x: here + 1, outside: nearest] + a @keep
    c = b[x: here + 1, outside: nearest] + a @keep
    c[x: here - 2, outside: nearest] * 0.2 + u * 0.3
}
show(u | iterate(turn, at_most: 20000))
`
	devices := emulatedDevices(b, cpu, "{}")
	turns, took := 0, time.Duration(0)
	for b.Loop() {
		p := program(b, text, cpu, 0)
		inside(p, devices)
		begun := time.Now()
		_, r, err := run(b, p, runtime.Options{Devices: chain(cpu), Accelerators: devices, Strict: true})
		if err != nil {
			b.Fatal(err)
		}
		took += time.Since(begun)
		turns += r.Kernels[len(r.Kernels)-1].Calls
	}
	b.ReportMetric(took.Seconds()/float64(turns)*1e6, "us/turn")
}
