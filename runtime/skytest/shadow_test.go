package skytest

import (
	"fmt"
	"math"
	"testing"

	"weft/ops"
)

// The shadow of a block on a plain: k steps away from its edge, against the sun, the ray has risen by k steps' length times the
// tangent of the altitude.
func TestShadowLengths(t *testing.T) {
	const n, mid, half, high, base = 301, 150, 6, 17.3, -200.0
	type sun struct {
		azimuth, altitude float64
		row, column       int // one step towards it
	}
	var suns []sun
	for _, a := range []sun{{0, 0, -1, 0}, {45, 0, -1, 1}, {90, 0, 0, 1}, {135, 0, 1, 1}, {225, 0, 1, -1}, {315, 0, -1, -1}} {
		for _, altitude := range []float64{8, 30, 61} {
			a.altitude = altitude
			suns = append(suns, a)
		}
	}
	var azimuths, altitudes ops.List
	for _, s := range suns {
		azimuths, altitudes = append(azimuths, ops.Quantity(s.azimuth, "deg")), append(altitudes, ops.Quantity(s.altitude, "deg"))
	}
	block := newField(n, n, func(r, c int) float64 { return base + step(abs(r-mid) <= half && abs(c-mid) <= half, high) })
	for _, pixel := range []float64{0.5, 1, 2, 2.5} {
		s := over("shadow", pixel, block)
		s.args["azimuth"], s.args["altitude"], s.blind = azimuths, altitudes, true
		got := s.run(t)["building"]
		for i, sun := range suns {
			light := func(row, column int) float64 { return got.v[(i*n+row)*n+column] }
			rise := math.Hypot(float64(sun.row), float64(sun.column)) * pixel * math.Tan(sun.altitude*math.Pi/180)
			for k := 1; k < mid-half; k++ {
				row, column := mid-sun.row*(half+k), mid-sun.column*(half+k)
				if want := step(float64(k)*rise >= high, 1); light(row, column) != want {
					t.Fatalf("pixel %g m, azimuth %g, altitude %g: %d steps behind the block the light is %g", pixel, sun.azimuth, sun.altitude, k, light(row, column))
				}
				if row, column := mid+sun.row*(half+k), mid+sun.column*(half+k); light(row, column) != 1 {
					t.Fatalf("azimuth %g: a shadow towards the sun", sun.azimuth)
				}
			}
		}
	}
}

// Low suns and high relief on rasters a single pixel wide.
func TestLongShadows(t *testing.T) {
	for _, c := range []struct{ high, altitude float64 }{{5, 1}, {14, 3}, {300, 10}} {
		for _, along := range []string{"row", "column"} {
			t.Run(fmt.Sprint(c.high, " m, ", c.altitude, " deg, ", along), func(t *testing.T) {
				const n = 2200
				f := newField(1, n, func(_, i int) float64 { return step(i == n-1, c.high) })
				azimuth := 90.0
				if along == "column" {
					f.rows, f.columns = n, 1
					azimuth = 180
				}
				got := over("shadow", 1, f).sun(azimuth, c.altitude).run(t)["building"]
				for i := range n - 1 {
					want := step(float64(n-1-i)*math.Tan(c.altitude*math.Pi/180) >= c.high, 1)
					if got.v[i] != want {
						t.Fatalf("%d pixels from the tower the light is %g", n-1-i, got.v[i])
					}
				}
			})
		}
	}
}

// A tree shades where the ray passes through its crown, not below.
func TestCrown(t *testing.T) {
	const n, tree = 60, 50
	flat := func(int, int) float64 { return 0 }
	s := over("shadow", 1, newField(5, n, flat)).sun(90, 45)
	crown := func(h float64) field {
		return newField(5, n, func(_, c int) float64 {
			if c == tree {
				return h
			}
			return math.NaN()
		})
	}
	s.layers["canopy"], s.layers["trunk"] = crown(12.5), crown(4.5)
	got := s.run(t)
	for c := range n {
		k := tree - c // the ray has risen by k there, and by k-1 before
		shaded := k >= 5 && k <= 13
		if want := step(!shaded, 1); got["canopy"].at(2, c) != want {
			t.Errorf("%d pixels from the tree the light is %g", k, got["canopy"].at(2, c))
		}
		if want := step(!shaded, 1) + step(shaded, 0.03); math.Abs(got["both"].at(2, c)-want) > 1e-6 {
			t.Errorf("%d pixels from the tree %g of the light passes", k, got["both"].at(2, c))
		}
		if got["building"].at(2, c) != 1 {
			t.Error("a tree is no building")
		}
	}
}
