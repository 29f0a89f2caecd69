package interp

import (
	"math"
	"math/big"
	"testing"
)

// Sums, differences and products of whole numbers, those at the ends of int64 among them, against numbers without end.
func TestHeld(t *testing.T) {
	some := []int64{math.MinInt64, math.MinInt64 + 1, -1 << 32, -3037000500, -2, -1, 0, 1, 2, 3, 3037000500, 1 << 32, math.MaxInt64 - 1, math.MaxInt64}
	least, most := big.NewInt(math.MinInt64), big.NewInt(math.MaxInt64)
	for name, op := range map[string]struct {
		held  func(a, b int64) int64
		exact func(z, a, b *big.Int) *big.Int
	}{"+": {heldAdd, (*big.Int).Add}, "-": {heldSub, (*big.Int).Sub}, "*": {heldMul, (*big.Int).Mul}} {
		for _, a := range some {
			for _, b := range some {
				want := op.exact(new(big.Int), big.NewInt(a), big.NewInt(b))
				if want.Cmp(least) < 0 {
					want = least
				}
				if want.Cmp(most) > 0 {
					want = most
				}
				if got := op.held(a, b); got != want.Int64() {
					t.Errorf("%d %s %d is %d, want %v", a, name, b, got, want)
				}
			}
		}
	}
}
