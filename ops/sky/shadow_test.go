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

// Walls that look exactly along the bounds of what the sun reaches are lit as the definition has it in degrees, though their
// aspects are float32 radians: 90 deg lies above pi/2 then.
func TestWallsAlongTheSun(t *testing.T) {
	definition := func(aspect, azimuth float64) bool { // SOLWEIG's, in degrees
		low, high := azimuth-90, azimuth+90
		switch {
		case low >= 0 && high < 360:
			return aspect < low || aspect >= high
		case low < 0:
			return !(aspect > low+360 || aspect <= high)
		}
		return !(aspect > low || aspect <= high-360)
	}
	for azimuth := 0.0; azimuth < 360; azimuth += 15 {
		for aspect := 0.0; aspect < 360; aspect += 15 {
			radians := float64(float32(aspect * math.Pi / 180))
			if got, want := turnedAway(1, radians, azimuth*math.Pi/180), definition(aspect, azimuth); got != want {
				t.Errorf("wall of %g deg, sun at %g deg: turned away is %v, want %v", aspect, azimuth, got, want)
			}
		}
		a := land(4, 6, 1, func(int, int) float64 { return 0 }).sun(azimuth, 20)
		a.layer("wall_height", 4, 6, func(int, int) float64 { return 5 })
		a.layer("wall_aspect", 4, 6, func(r, c int) float64 { return float64((r*6+c)*15) * math.Pi / 180 })
		for _, o := range a.checked(t, shadow)[1].Re {
			if o != 0 && o != 5 {
				t.Fatalf("%g m of a wall are lit", o)
			}
		}
	}
}
