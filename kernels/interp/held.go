package interp

import "math"

// heldAdd, heldSub and heldMul are what whole numbers give, held at the ends of int64 where it lies beyond.
func heldAdd(a, b int64) int64 {
	if r := a + b; (r >= a) == (b >= 0) {
		return r
	}
	return end(a < 0)
}

func heldSub(a, b int64) int64 {
	if r := a - b; (r <= a) == (b >= 0) {
		return r
	}
	return end(a < 0)
}

func heldMul(a, b int64) int64 {
	r := a * b
	if a == 0 || r/a == b && !(a == -1 && b == math.MinInt64) {
		return r
	}
	return end((a < 0) != (b < 0))
}

func end(least bool) int64 {
	if least {
		return math.MinInt64
	}
	return math.MaxInt64
}
