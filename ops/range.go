package ops

import "math"

// RangeOf bounds the values of an array, NaN and infinities apart, if its operator can tell while planning. An operator that
// fails to (its file cannot be read, say) reports that when it runs; until then the range is unknown.
func RangeOf(a Array) (lo, hi float64, ok bool) {
	r, ok := a.Of.Bound.(Ranger)
	if !ok {
		return 0, 0, false
	}
	lo, hi, err := r.Range(a.Out)
	return lo, hi, err == nil && !math.IsNaN(hi-lo) && !math.IsInf(hi-lo, 0) && lo <= hi
}
