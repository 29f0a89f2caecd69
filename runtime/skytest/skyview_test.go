package skytest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"weft/ops"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: %.5f, want %.5f within %g", what, got, want, tolerance)
	}
}

// On open ground every patch is seen, and the parts are the sums of their weights.
func TestFlat(t *testing.T) {
	for _, elevation := range []float64{0, -37.5} {
		got := over("skyview", 1, newField(20, 35, func(int, int) float64 { return elevation })).run(t)
		for part, want := range map[string]float64{"total": 1, "north": .976157, "east": 1, "south": .947228 + 3.0459e-4, "west": .923385 + 3.0459e-4} {
			for i, v := range got[part].v {
				if math.Abs(v-want) > 3e-6 {
					t.Fatalf("%s of pixel %d on a plain at %g m: %g, want %g", part, i, elevation, v, want)
				}
			}
		}
		bits := got["bits"].v
		for i, v := range bits {
			if want := map[bool]float64{true: 1, false: 255}[i%20 == 19]; v != want {
				t.Fatalf("byte %d is %g", i, v)
			}
		}
	}
}

// View factors with closed forms: the part of the sky that a cosine-weighted hemisphere sees past edges at height h.
func TestClosedForms(t *testing.T) {
	const n, mid = 161, 80
	past := func(d, h float64) float64 { return d / math.Hypot(d, h) } // sine of the angle from the zenith to an edge d away
	aperture := func(half, h float64) float64 {                        // centre of a square hole
		x := half / h
		return 4 * 2 / (2 * math.Pi) * x / math.Sqrt(1+x*x) * math.Atan(x/math.Sqrt(1+x*x))
	}
	for _, c := range []struct {
		name   string
		height func(row, column int) float64
		want   float64
	}{
		{"wall 10 m away, 10 m high", func(_, c int) float64 { return step(c-mid >= 10, 10) }, (1 + past(9.5, 10)) / 2},
		{"wall in the north", func(r, _ int) float64 { return step(mid-r >= 15, 12) }, (1 + past(14.5, 12)) / 2},
		{"canyon 20 m wide, 10 m high", func(_, c int) float64 { return step(abs(c-mid) >= 10, 10) }, past(9.5, 10)},
		{"canyon from west to east", func(r, _ int) float64 { return step(abs(r-mid) >= 8, 20) }, past(7.5, 20)},
		{"ridge 30 m away, 15 m high", func(_, c int) float64 { return max(0, 15-math.Abs(float64(c-mid-30))) }, (1 + past(30, 15)) / 2},
		{"court 21 m square, 14 m deep", func(r, c int) float64 { return step(max(abs(r-mid), abs(c-mid)) >= 11, 14) }, aperture(10.5, 14)},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := over("skyview", 1, newField(n, n, c.height))
			s.blind = true // one kernel serves all scenes
			for patches, tolerance := range map[int]float64{145: 0.04, 153: 0.04} {
				s.args["patches"] = ops.Integer(patches)
				near(t, fmt.Sprint(patches, " patches"), s.run(t)["total"].at(mid, mid), c.want, tolerance)
			}
		})
	}
}

func step(up bool, h float64) float64 {
	if up {
		return h
	}
	return 0
}

func abs(i int) int { return max(i, -i) }

// city is uneven ground with blocks, some of it missing.
func city(rows, columns int, seed uint64, missing float64) field {
	r := rand.New(rand.NewPCG(seed, 2))
	low := newField(rows/8+2, columns/8+2, func(int, int) float64 { return math.Floor(r.Float64()*r.Float64()*40) * 1.5 })
	return newField(rows, columns, func(row, column int) float64 {
		if r.Float64() < missing {
			return math.NaN()
		}
		return low.at(row/8, column/8) - 20 + r.Float64()
	})
}

// wood adds vegetation to a scene.
func (s *scene) wood(seed uint64) *scene {
	f := s.layers["input"]
	r := rand.New(rand.NewPCG(seed, 3))
	canopy, trunk := newField(f.rows, f.columns, f.copy), newField(f.rows, f.columns, f.copy)
	for i := range f.v {
		switch u := r.Float64(); {
		case u < 0.6:
			canopy.v[i], trunk.v[i] = math.NaN(), math.NaN()
		case u < 0.7:
			canopy.v[i], trunk.v[i] = f.v[i]+2, 0
		default:
			canopy.v[i], trunk.v[i] = float64(float32(f.v[i]+5+8*r.Float64())), f.v[i]+3
		}
	}
	s.layers["canopy"], s.layers["trunk"] = canopy, trunk
	return s
}

func (f field) copy(row, column int) float64 { return f.at(row, column) }

// Tiles, and whether the reach of rays is known, change no bit of any output.
func TestTilesAndReachChangeNothing(t *testing.T) {
	for name, s := range map[string]*scene{
		"buildings":  over("skyview", 1, city(210, 410, 1, 0)),
		"vegetation": over("skyview", 2, city(90, 110, 2, 0.05)).wood(3),
	} {
		t.Run(name, func(t *testing.T) {
			want := s.run(t)
			same := func(what string) {
				t.Helper()
				for output, f := range s.run(t) {
					if n := differ(f, want[output]); n > 0 {
						t.Errorf("%s: %d elements of %s differ", what, n, output)
					}
				}
			}
			for _, tile := range [][2]int{{37, 53}, {128, 128}, {200, 400}} {
				s.tile = tile
				same(fmt.Sprint("tiles of ", tile))
			}
			s.tile, s.blind = [2]int{}, true
			same("rays to the edges")
		})
	}
}

// A pixel without height neither shades nor has a result; the others see past it as over a pit.
func TestMissingPixels(t *testing.T) {
	holed := city(60, 75, 4, 0.1)
	pits := newField(60, 75, func(r, c int) float64 {
		if v := holed.at(r, c); !math.IsNaN(v) {
			return v
		}
		return -1e4
	})
	a, b := over("skyview", 1, holed).run(t), over("skyview", 1, pits).run(t)
	for part, f := range a {
		inner := f.columns / 75
		for i, v := range f.v {
			switch missing := math.IsNaN(holed.v[i/inner]); {
			case missing && part == "bits" && v != 0, missing && part != "bits" && !math.IsNaN(v):
				t.Fatalf("%s is %g at a pixel without height", part, v)
			case !missing && v != b[part].v[i]:
				t.Fatalf("%s is %g beside missing pixels, %g beside pits", part, v, b[part].v[i])
			}
		}
	}
}

func TestThinRasters(t *testing.T) {
	for _, size := range [][2]int{{1, 90}, {90, 1}, {1, 1}} {
		over("skyview", 0.5, city(size[0], size[1], 1, 0)).run(t)
	}
	over("skyview", 0.5, city(3, 17, 2, 0)).wood(2).run(t)
}
