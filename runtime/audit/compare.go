package audit

import (
	"math"
	"math/cmplx"
	"slices"

	"weft/ops"
)

// Quietest is the share of the largest magnitude below which a level is not judged: -60 dB.
const Quietest = 1e-3

// Figures are the errors of samples in a metric.
type Figures struct {
	Samples    int // that count in the metric
	Worst, P99 float64
	MaxAbs     float64 // in the array's unit
	MeanAbs    float64 // over samples that are finite
	Share      float64 // MaxAbs relative to the largest magnitude of the array
	Mismatched int     // samples where one side is finite and the other is not, or both are infinite or NaN in different ways
	NotFinite  int     // samples that are infinite or NaN in the same way on both sides
	At         int     // of the worst sample, or of a mismatched one; -1: there is none
}

// Compare finds the errors of some values against what they should be, in a metric; peak is the largest magnitude of the array.
func Compare(m ops.Metric, got, want []complex128, peak float64) Figures {
	f := Figures{At: -1}
	var errs []float64
	known := 0
	for i, g := range got {
		if !alike(g, want[i]) {
			f.Mismatched++
			f.At = i
			continue
		}
		abs := distance(g, want[i])
		f.MaxAbs = max(f.MaxAbs, abs)
		if finite(g) {
			known++
			f.MeanAbs += abs
		} else {
			f.NotFinite++
		}
		if m == ops.Angle {
			abs = math.Abs(math.Remainder(abs, 2*math.Pi))
		}
		e, counts := inMetric(m, abs, g, want[i], peak)
		if !counts {
			continue
		}
		if len(errs) == 0 || e > f.Worst {
			f.Worst = e
			if f.Mismatched == 0 {
				f.At = i
			}
		}
		errs = append(errs, e)
	}
	if f.Share = f.MaxAbs; peak > 0 && !math.IsInf(peak, 0) {
		f.Share /= peak
	}
	f.Samples = len(errs)
	f.MeanAbs /= float64(max(1, known))
	f.P99 = percentile(errs, 99)
	return f
}

// alike reports whether two values are both finite, both NaN, or infinite to the same sides.
func alike(a, b complex128) bool {
	switch {
	case finite(a) || finite(b):
		return finite(a) && finite(b)
	case nan(a) || nan(b):
		return nan(a) && nan(b)
	}
	return side(real(a)) == side(real(b)) && side(imag(a)) == side(imag(b))
}

// nan reports whether a part of the value is NaN.
func nan(v complex128) bool { return math.IsNaN(real(v)) || math.IsNaN(imag(v)) }

// side is the sign of an infinity, and 0 for what is finite.
func side(v float64) int {
	switch {
	case math.IsInf(v, 1):
		return 1
	case math.IsInf(v, -1):
		return -1
	}
	return 0
}

// Judged names the figure that a metric holds to its tolerance.
func Judged(m ops.Metric) string {
	if m == ops.Level {
		return "p99"
	}
	return "max"
}

// Figure is that figure.
func (f Figures) Figure(m ops.Metric) float64 {
	if m == ops.Level {
		return f.P99
	}
	return f.Worst
}

// Within reports errors within a rule. Where one sample of a hundred may be beyond it, none may be off by what the rule allows at
// the largest magnitude: few wrong elements are no rounding.
func (f Figures) Within(r ops.ErrorRule) bool {
	return f.Mismatched == 0 && f.Figure(r.Metric) <= r.Tolerance && (r.Metric != ops.Level || f.Share <= ratioOf(r.Tolerance)-1)
}

// ratioOf is a level in decibels as a ratio of amplitudes.
func ratioOf(level float64) float64 { return math.Pow(10, level/20) }

// inMetric turns an error into the metric's terms; counts is false where the metric does not look. Where there is nothing to be
// relative to, the error stays as it is.
func inMetric(m ops.Metric, abs float64, got, want complex128, peak float64) (e float64, counts bool) {
	scale := 1.0
	switch m {
	case ops.Level:
		if !finite(want) || cmplx.Abs(want) < Quietest*peak || cmplx.Abs(want) == 0 {
			return 0, false
		}
		return math.Abs(20 * math.Log10(cmplx.Abs(got)/cmplx.Abs(want))), true
	case ops.Peak:
		scale = peak
	case ops.Relative:
		scale = cmplx.Abs(want)
	}
	if scale == 0 || abs == 0 || math.IsInf(scale, 0) || math.IsNaN(scale) {
		return abs, true
	}
	return abs / scale, true
}

func finite(v complex128) bool { return !cmplx.IsNaN(v) && !cmplx.IsInf(v) }

// distance of two values; two that are not finite agree.
func distance(a, b complex128) float64 {
	if !finite(a) {
		return 0
	}
	return cmplx.Abs(a - b)
}

func percentile(v []float64, p int) float64 {
	if len(v) == 0 {
		return 0
	}
	v = slices.Sorted(slices.Values(v))
	return v[(len(v)*p+99)/100-1]
}
