package skytest

import (
	"fmt"
	"math"
	"math/rand/v2"
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

// day is a scene with walls, under suns in a list.
func (s *scene) day(seed uint64, azimuths, altitudes []float64) *scene {
	r, f := rand.New(rand.NewPCG(seed, 5)), s.layers["input"]
	height, aspect := newField(f.rows, f.columns, f.copy), newField(f.rows, f.columns, f.copy)
	for i := range f.v {
		height.v[i], aspect.v[i] = max(0, math.Floor(r.Float64()*20)-8), float64(float32(math.Floor(r.Float64()*24)*15*math.Pi/180))
	}
	s.layers["wall_height"], s.layers["wall_aspect"] = height, aspect
	var az, alt ops.List
	for i := range azimuths {
		az, alt = append(az, ops.Quantity(azimuths[i], "deg")), append(alt, ops.Quantity(altitudes[i], "deg"))
	}
	s.args["azimuth"], s.args["altitude"] = az, alt
	return s
}

// turnedAway tells that a wall looks away from the sun: SOLWEIG's definition, in degrees.
func turnedAway(aspect, azimuth float64) bool {
	aspect = math.Round(aspect*180/math.Pi*1e3) / 1e3 // they are float32 radians
	low, high := azimuth-90, azimuth+90
	switch {
	case low >= 0 && high < 360:
		return aspect < low || aspect >= high
	case low < 0:
		return !(aspect > low+360 || aspect <= high)
	}
	return !(aspect > low || aspect <= high-360)
}

// truthWall is how much of the wall at a pixel the sun reaches, and how much not, by the formulas.
func (s *scene) truthWall(y truthRay, i int, leafy bool) (sun, shade float64) {
	ground, w, aspect := s.layers["input"], s.layers["wall_height"].v[i], s.layers["wall_aspect"].v[i]
	foot := ground.v[i]
	rise, leaf := 0.0, 0.0 // of the tops of shadows above the foot
	for k, step := range y.steps {
		r, c := i/ground.columns+step.row, i%ground.columns+step.column
		if r < 0 || r >= ground.rows || c < 0 || c >= ground.columns {
			continue
		}
		az := y.azimuth * math.Pi / 180
		high := float64(k) / max(math.Abs(math.Sin(az)), math.Abs(math.Cos(az))) * s.pixel * math.Tan(y.altitude*math.Pi/180)
		if v := ground.at(r, c) - high - foot; v > rise {
			rise = v
		}
		if canopy, ok := s.layers["canopy"]; ok && leafy {
			if v := canopy.at(r, c) - high - foot; v > leaf {
				leaf = v
			}
		}
	}
	if sun = max(w-rise, 0); turnedAway(aspect, y.azimuth) || y.altitude <= 0 {
		sun = 0
	}
	shade = w - sun
	return max(sun-min(max(leaf-shade, 0), w), 0), shade
}

// Shadows are those of the second implementation at every pixel, and walls within what rounding may do.
func TestShadowsAgainstFormulas(t *testing.T) {
	azimuths := []float64{0, 45, 90, 135, 180, 225, 270, 315, 17, 251.5, 100, 300, 33}
	altitudes := []float64{1, 3, 12, 40, 25, 8, 3, 61, 30, 12, -5, 89.9, 0}
	for name, s := range map[string]*scene{
		"buildings": over("shadow", 1, city(40, 45, 4, 0.03)), "trees": over("shadow", 2, city(33, 40, 5, 0.02)).wood(6), "row": over("shadow", 0.5, city(1, 60, 7, 0)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.day(9, azimuths, altitudes)
			ground, trees := s.layers["input"], len(s.layers) > 3
			if !trees { // of which nothing is known
				none := newField(ground.rows, ground.columns, func(int, int) float64 { return math.NaN() })
				s.layers["canopy"], s.layers["trunk"] = none, none
			}
			var rays []truthRay
			for k := range azimuths {
				y := truthRay{azimuth: azimuths[k], altitude: altitudes[k]}
				if y.altitude > 0 && y.altitude < 89.5 {
					y.steps = truthMarch(y.azimuth, y.altitude, s.pixel, s.relief(), ground.rows, ground.columns)
				}
				rays = append(rays, y)
			}
			want := map[string][]float64{}
			for _, y := range rays {
				for i, h := range ground.v {
					building, veg, _ := s.truthBits(y, i/ground.columns, i%ground.columns)
					building = building && y.altitude > 0
					sun, shade := s.truthWall(y, i, !veg)
					values := map[string]float64{"building": step(building, 1), "canopy": step(veg, 1), "both": step(building, 1) - step(!veg, 0.97), "wall_sun": sun, "wall_shade": shade}
					for output, v := range values {
						if h != h {
							v = math.NaN()
						}
						want[output] = append(want[output], v)
					}
				}
			}
			if !trees {
				delete(s.layers, "canopy")
				delete(s.layers, "trunk")
				delete(want, "canopy")
				delete(want, "both")
			}
			got := s.run(t)
			if len(got) != len(want) {
				t.Errorf("%d outputs, want %d", len(got), len(want))
			}
			for output, v := range want {
				for i, w := range v {
					if g := got[output].v[i]; !(math.Abs(g-w) <= 1e-5) && !(g != g && w != w) {
						t.Fatalf("%s, sun %d, pixel %d: %g, want %g", output, i/len(ground.v), i%len(ground.v), g, w)
					}
				}
			}
		})
	}
}

// Walls that look exactly along the bounds of what the sun reaches are lit as the definition has it in degrees, though their
// aspects are float32 radians: 90 deg lies above pi/2 then.
func TestWallsAlongTheSun(t *testing.T) {
	var azimuths, altitudes []float64
	for a := 0.0; a < 360; a += 15 {
		azimuths, altitudes = append(azimuths, a), append(altitudes, 20)
	}
	s := over("shadow", 1, newField(4, 6, func(int, int) float64 { return 0 })).day(1, azimuths, altitudes)
	s.layers["wall_height"] = newField(4, 6, func(int, int) float64 { return 5 })
	s.layers["wall_aspect"] = newField(4, 6, func(r, c int) float64 { return float64((r*6+c)*15) * math.Pi / 180 })
	for i, v := range s.run(t)["wall_sun"].v {
		if want := step(!turnedAway(float64(i%24*15)*math.Pi/180, azimuths[i/24]), 5); v != want {
			t.Errorf("wall of %d deg, sun at %g deg: %g m are lit, want %g", i%24*15, azimuths[i/24], v, want)
		}
	}
}

// Heights above ground and trunks as a share of the canopy are the elevations that they stand for.
func TestRelativeHeights(t *testing.T) {
	begin := func() *scene {
		return over("shadow", 1, city(30, 36, 4, 0.02)).wood(6).day(3, []float64{120, 200}, []float64{20, 50})
	}
	ground := begin().layers["input"]
	stack := func(f field) field { // as elevations
		return newField(f.rows, f.columns, func(r, c int) float64 {
			return step(f.at(r, c) > 0, float64(float32(ground.at(r, c))+float32(f.at(r, c))))
		})
	}
	r := rand.New(rand.NewPCG(1, 1))
	crown := newField(30, 36, func(int, int) float64 { return max(0, r.Float64()*20-8) })
	trunk := newField(30, 36, func(row, c int) float64 { return crown.at(row, c) * 0.3 })
	bush := newField(30, 36, func(int, int) float64 { return max(0, r.Float64()*4-2) })
	share := newField(30, 36, func(row, c int) float64 {
		g, top := float32(ground.at(row, c)), float32(stack(crown).at(row, c))
		return step(top > g, float64(g+float32(0.25*float32(top-g))))
	})
	sky := func() *scene { return over("skyview", 1, city(30, 36, 4, 0.02)).wood(6) }
	for name, grow := range map[string]func(absolute, relative *scene){
		"layers": func(a, b *scene) {
			a.layers["canopy"], a.layers["trunk"], a.layers["bush"] = stack(crown), stack(trunk), stack(bush)
			b.layers["canopy"], b.layers["trunk"], b.layers["bush"] = crown, trunk, bush
		},
		"share of a relative canopy": func(a, b *scene) {
			a.layers["canopy"], a.layers["trunk"] = stack(crown), share
			b.layers["canopy"], b.args["trunk"] = crown, ops.Number{V: 0.25}
		},
	} {
		for what, begin := range map[string]func() *scene{"shadow": begin, "skyview": sky} {
			t.Run(name+" for "+what, func(t *testing.T) {
				a, b := begin(), begin()
				grow(a, b)
				for _, s := range []*scene{a, b} {
					if _, given := s.args["trunk"]; given {
						delete(s.layers, "trunk")
					}
				}
				b.args["heights"] = ops.Symbol("relative")
				want := a.run(t)
				for output, f := range b.run(t) {
					if n := differ(f, want[output]); n > 0 {
						t.Errorf("%d elements of %s differ", n, output)
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
