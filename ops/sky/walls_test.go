package sky

import "testing"

func TestWallsReference(t *testing.T) {
	blocks := func(row, column int) float64 {
		if row > 5 && row < 11 && column > 6 && column < 12+row/3 {
			return 12
		}
		return hills(3, 0, 1.3, 0)(row, column)
	}
	land(19, 21, 1, blocks).check(t, walls)
	land(12, 13, 2.5, hills(4, -5, 9, 0.05)).check(t, walls)
	land(1, 9, 1, hills(5, 0, 9, 0)).check(t, walls)
	land(3, 3, 0.5, hills(6, 0, 9, 0)).check(t, walls)
}
