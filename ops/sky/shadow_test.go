package sky

import (
	"fmt"
	"math"
	"testing"

	"weft/ops"
)

func deg(v float64) ops.Value { return ops.Quantity(v, "deg") }

func (a *arguments) sun(azimuth, altitude float64) *arguments {
	return a.with("azimuth", deg(azimuth)).with("altitude", deg(altitude))
}

// walled adds walls of random heights and aspects.
func walled(a *arguments, rows, columns int) *arguments {
	a.layer("wall_height", rows, columns, func(r, c int) float64 { return max(0, hills(20, -5, 15, 0)(r, c)) })
	return a.layer("wall_aspect", rows, columns, hills(21, 0, 2*math.Pi, 0))
}

func TestShadowReference(t *testing.T) {
	for i, azimuth := range []float64{0, 45, 90, 135, 180, 225, 270, 315, 17, 251.5} {
		altitude := []float64{1, 3, 12, 40}[i%4]
		seed := uint64(i)
		t.Run(fmt.Sprint(azimuth, altitude), func(t *testing.T) {
			land(9, 11, 1, hills(seed, -3, 20, 0.1)).sun(azimuth, altitude).check(t, shadow)
			a := wood(land(8, 7, 2, hills(seed, -3, 20, 0)), 8, 7, seed+5)
			walled(a, 8, 7).sun(azimuth, altitude).check(t, shadow)
		})
	}
	land(1, 12, 1, hills(3, 0, 9, 0)).sun(91, 20).check(t, shadow)
	land(12, 1, 1, hills(4, 0, 9, 0)).sun(2, 20).check(t, shadow)
	list := func(v ...float64) (l ops.List) {
		for _, x := range v {
			l = append(l, ops.Quantity(x, "deg"))
		}
		return l
	}
	a := land(5, 6, 1, hills(5, 0, 20, 0)).with("azimuth", list(10, 100, 200, 300)).with("altitude", list(30, -5, 89.9, 2))
	wood(a, 5, 6, 6).check(t, shadow)
	walled(land(5, 6, 1, hills(5, 0, 20, 0)), 5, 6).with("azimuth", list(10, 100)).with("altitude", list(30, -5)).check(t, shadow)
}
