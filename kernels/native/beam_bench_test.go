//go:build unix

package native

import (
	"syscall"
	"testing"
	"time"

	"weft/kernels/device"
)

// processTime is the processor time of the process so far.
func processTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkDelaySum is one volume of 64 x 64 x 128 points on 32 x 32 elements, on all processors.
func BenchmarkDelaySum(b *testing.B) {
	d := fresh(b)
	s := newDelaySum(64, 64, 128, 32)
	bindings := s.bindings(b, d)
	pairs := float64(s.kernel.Points()) * float64(s.side*s.side)
	for _, tune := range []bool{false, true} {
		name := map[bool]string{false: "rule", true: "tuned"}[tune]
		b.Run(name, func(b *testing.B) {
			p := compileOne(b, d, s.kernel, device.Options{Tune: tune})
			launch, err := p.Bind(bindings)
			if err != nil {
				b.Fatal(err)
			}
			cover(b, s.kernel, launch, 4)
			b.ResetTimer()
			before := processTime(b)
			for b.Loop() {
				cover(b, s.kernel, launch, 4)
			}
			b.ReportMetric(pairs*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gpair/s")
			b.ReportMetric(pairs*float64(b.N)/(processTime(b)-before).Seconds()/1e9, "Gpair/cpu-s")
			b.Log(p.Report().Schedule, p.Report().Loads)
		})
	}
}
