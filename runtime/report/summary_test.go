package report

import (
	"strings"
	"testing"

	"weft/ops"
	"weft/runtime/audit"
	"weft/runtime/result"
)

func TestSummary(t *testing.T) {
	r := &result.Result{
		Wall: 0.25, CPU: 0.5, Threads: 2, CompileS: 0.0004, Compile: result.Compile{Kernels: 2, Cached: 2}, VerifyS: 0.03, ReadS: 1.5, PeakRSS: 90 << 20,
		Kernels: []result.Kernel{
			{ID: "k1", Name: "beamform + envelope", Wall: 0.05, Flops: 2e10, Executed: 2e10, Roof: 0.62, Bytes: 3e6, Tiles: 32},
			{ID: "k2", Name: "decibel", Wall: 0.001, Flops: 1e6, Executed: 1e6, Bytes: 2e6, Tiles: 1},
			{ID: "k3", Name: "skyview", Wall: 0.01, Flops: 1e12, Bytes: 2e6, Tiles: 1},
			{ID: "k4", Name: "skyview", Wall: 0.01, Flops: 1e12, Executed: 1e9, Bytes: 2e6, Tiles: 1},
		},
		Parity: []result.Parity{
			{Value: "volume", Worst: 1.2e-6, Tolerance: 1e-4, Metric: ops.Peak, Samples: 150, Finds: audit.Finds(150, 1e6), OK: true},
			{Value: "level", Worst: 0.25, Tolerance: 0.1, Metric: ops.Absolute, Unit: "dB", Samples: 256},
			{Value: "steps", Worst: 0, Metric: ops.Exact, Samples: 512, Finds: 1, Ties: 3, NotFinite: 9, OK: true},
			{Value: "rest", Worst: 1, Tolerance: 1e-5, Metric: ops.Peak, Samples: 512, Finds: 1, Rounding: 40, OK: true},
			{Value: "wide", Worst: 1, Tolerance: 1e-11, Metric: ops.Peak, Samples: 512, Finds: 1, Rounding: 40, Type: "f64", OK: true},
			{Value: "residual", Worst: 1, Tolerance: 1e-11, Metric: ops.Peak, Samples: 3, Finds: 1, Rounding: 3, Remainder: true, Type: "f64", OK: true},
			{Value: "amiss", Worst: 1, Tolerance: 1e-11, Metric: ops.Peak, Samples: 3, Finds: 1, Remainder: true, Type: "f64"},
			{Value: "mean", Skipped: "one element takes 1e+10 operations in float64", OK: true},
		},
		Sinks:     []result.Transfer{{Text: "wrote volume.npy", Bytes: 4 << 20}},
		Repairs:   []result.Repair{{Reason: "volume differs from float64 by 0.3 dB, the tolerance is 0.1 dB", Wider: "f32"}},
		Fallbacks: []result.Fallback{{Stage: "decibel", Device: "CPU", Reason: "no compiler", Count: 3}},
	}
	var b strings.Builder
	if err := Summary(&b, r); err != nil {
		t.Fatal(err)
	}
	want := `kernel  k1  beamform + envelope  50 ms  400 Gflop/s (62 % of the roof)  60 MB/s   32 tiles
kernel  k2  decibel              1 ms   1 Gflop/s                       2 GB/s    1 tiles
kernel  k3  skyview              10 ms  skips work (--count)            200 MB/s  1 tiles
kernel  k4  skyview              10 ms  100 Gflop/s                     200 MB/s  1 tiles
float64  volume    worst error 1.2e-06 of peak  tolerance 0.0001 of peak  150 samples  ok (if 1 % were wrong, this would show with a chance of 77 %)
float64  level     worst error 0.25 dB          tolerance 0.1 dB          256 samples  EXCEEDED
float64  steps     worst error 0                tolerance 0               512 samples  ok, 3 of them ties: a discontinuity lies within rounding, 9 of them NaN or infinite
float64  rest      worst error 1 of peak        tolerance 1e-05 of peak   512 samples  40 off by more, as rounding alone explains: @precision(compute: f64) is closer, @tolerance says what is enough
float64  wide      worst error 1 of peak        tolerance 1e-11 of peak   512 samples  40 off by more, as rounding alone explains: @tolerance says what is enough
float64  residual  measures what rounding leaves: 3 samples, and rounding explains all
float64  amiss     worst error 1 of peak  tolerance 1e-11 of peak  3 samples  EXCEEDED
float64  mean      not checked: one element takes 1e+10 operations in float64
wrote volume.npy (4 MiB)
repaired  volume differs from float64 by 0.3 dB, the tolerance is 0.1 dB; done again in f32
fallback  decibel: 3 tiles not on the CPU: no compiler
total     250 ms wall, 500 ms CPU on 2 threads (read 1.5 s, compile 400 us, 2 kernels cached, verify 30 ms, write 0 ms); peak memory 90 MiB
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}
