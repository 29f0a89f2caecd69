package ops

import "math"

// RangeOf bounds the values of an array, NaN and infinities apart, if its operator can tell while planning. An operator that
// fails to (its file cannot be read, say) reports that when it runs; until then the range is unknown.
func RangeOf(a Array) (lo, hi float64, ok bool) {
	if a.Of == nil || a.Of.Spec == nil || a.Of.Spec.Range == nil {
		return 0, 0, false
	}
	lo, hi, err := a.Of.Spec.Range(a.Of.Call, a.Out)
	return lo, hi, err == nil && !math.IsNaN(hi-lo) && !math.IsInf(hi-lo, 0) && lo <= hi
}
