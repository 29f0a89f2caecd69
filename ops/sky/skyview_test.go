package sky

import (
	"testing"

	"weft/ops"
)

func TestSkyviewReference(t *testing.T) {
	land(7, 9, 1, hills(1, 0, 30, 0)).check(t, skyview)
	land(6, 8, 2.5, hills(2, -40, 10, 0.2)).check(t, skyview)
	land(1, 9, 1, hills(3, 0, 10, 0)).check(t, skyview)
	land(9, 1, 0.5, hills(4, 0, 10, 0)).check(t, skyview)
	land(1, 1, 1, hills(5, 0, 10, 0)).check(t, skyview)
	land(5, 4, 1, hills(6, 0, 10, 0)).with("patches", ops.Integer(609)).check(t, skyview)
}

// wood adds trees to a call: canopies over trunks, some without trunk, some missing.
func wood(a *arguments, rows, columns int, seed uint64) *arguments {
	crown, bare := hills(seed, -5, 25, 0.2), hills(seed+1, -5, 12, 0.2)
	a.layer("canopy", rows, columns, crown)
	return a.layer("trunk", rows, columns, func(r, c int) float64 {
		if (r+c)%5 == 0 {
			return 0
		}
		return bare(r, c)
	})
}

func TestSkyviewVegetationReference(t *testing.T) {
	wood(land(6, 7, 1, hills(1, 0, 20, 0)), 6, 7, 7).check(t, skyview)
	wood(land(5, 8, 2, hills(2, -10, 20, 0.15)), 5, 8, 8).with("zenith", ops.Symbol("umep")).check(t, skyview)
	wood(land(4, 5, 1, hills(3, 0, 20, 0)), 4, 5, 9).layer("bush", 4, 5, hills(10, 0, 4, 0.1)).check(t, skyview)
}
