package beamtest

import (
	"math"
	"math/cmplx"

	"weft/ops"
)

// Difference is the largest error and where it is, and the largest magnitude of want. NaN counts as infinitely wrong.
func Difference(got, want ops.Dense) (worst, peak float64, at int) {
	for i := range want.Re {
		peak = max(peak, cmplx.Abs(want.At(i)))
		d := cmplx.Abs(got.At(i) - want.At(i))
		if math.IsNaN(d) {
			d = math.Inf(1)
		}
		if d > worst {
			worst, at = d, i
		}
	}
	return worst, peak, at
}

// RMS is the root mean square error in dB relative to peak.
func RMS(got, want ops.Dense, peak float64) float64 {
	var sum float64
	for i := range want.Re {
		d := cmplx.Abs(got.At(i) - want.At(i))
		sum += d * d
	}
	return 20 * math.Log10(math.Sqrt(sum/float64(len(want.Re)))/peak)
}
