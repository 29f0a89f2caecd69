package optest

import (
	"math"
	"math/cmplx"
	"slices"
	"testing"

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

// Near fails unless got is within tolerance of want, relative to want's largest magnitude.
func Near(t testing.TB, got, want ops.Dense, tolerance float64) {
	t.Helper()
	if !slices.Equal(got.Shape, want.Shape) {
		t.Fatalf("shape %v, want %v", got.Shape, want.Shape)
	}
	worst, peak, at := Difference(got, want)
	if peak == 0 {
		t.Fatal("the reference is zero everywhere: nothing is compared")
	}
	if !(worst <= tolerance*peak) {
		t.Errorf("element %d is %v, want %v: error %.3g of the peak %.3g, tolerance %.3g", at, got.At(at), want.At(at), worst/peak, peak, tolerance)
	}
}
