package audit

import "testing"

func TestSampleSizeFollowsCost(t *testing.T) {
	for _, c := range []struct {
		cost, kernel float64
		inner        bool
		want         int
	}{{0, 1, false, 480}, {10, 1, false, 480}, {30e3, 20e9, false, 480}, {45e3, 1, false, 355}, {4e6, 1, false, 8}, {1e8, 1, false, 3}, {3e8, 1, false, 1},
		{1e9, 1, false, 0}, {45e3, 100e9, false, 480}, {10, 1, true, 480}, {45e3, 100e9, true, 22}} {
		if got := Size(c.cost, c.kernel, c.inner); got != c.want {
			t.Errorf("cost %g of %g: %d samples, want %d", c.cost, c.kernel, got, c.want)
		}
	}
}
