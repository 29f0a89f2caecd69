package skytest

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"weft/ops"
)

// A second implementation of sky view factors with vegetation, written from the published formulas alone and sharing nothing
// with package sky: marching pixel by pixel along each ray, heights compared in float32, sums in float64.

type truthStep struct {
	row, column int
	dz          float32
}

type truthRay struct {
	azimuth, altitude float64 // deg
	band              int
	steps             []truthStep // the pixel itself first; none: upright
}

type truthSky struct {
	altitudes, starts []float64
	counts, edges     []int
}

func truthDivision(patches int) truthSky {
	d := truthSky{
		altitudes: []float64{6, 18, 30, 42, 54, 66, 78, 90}, starts: []float64{0, 4, 2, 5, 8, 0, 10, 0},
		edges: []int{0, 12, 24, 36, 48, 60, 72, 84, 90},
	}
	switch patches {
	case 145:
		d.counts = []int{30, 30, 24, 24, 18, 12, 6, 1}
	case 153:
		d.counts = []int{31, 30, 28, 24, 19, 13, 7, 1}
	case 305:
		d.counts = []int{62, 60, 56, 48, 38, 26, 14, 1}
	case 609:
		d = truthSky{edges: []int{0, 4}}
		for i := range 14 {
			d.altitudes = append(d.altitudes, float64(3+6*i))
			d.edges = append(d.edges, 9+6*i)
		}
		d.altitudes = append(d.altitudes, 90)
		d.edges[15] = 90
		d.starts = []float64{0, 0, 4, 4, 2, 2, 5, 5, 8, 8, 0, 0, 10, 10, 0}
		d.counts = []int{62, 62, 60, 60, 56, 56, 48, 48, 38, 38, 26, 26, 14, 14, 1}
	}
	return d
}

// truthRays are those of a division over a raster in which nothing stands higher than relief above anything else.
func truthRays(patches int, pixel, relief float64, rows, columns int) (out []truthRay) {
	d := truthDivision(patches)
	for band, n := range d.counts {
		for j := range n {
			y := truthRay{azimuth: math.Mod(d.starts[band]+float64(j)*360/float64(n), 360), altitude: d.altitudes[band], band: band}
			if y.altitude < 89.5 {
				y.steps = truthMarch(y.azimuth, y.altitude, pixel, relief, rows, columns)
			}
			out = append(out, y)
		}
	}
	return out
}

func truthMarch(azimuth, altitude, pixel, relief float64, rows, columns int) (out []truthStep) {
	a := azimuth * math.Pi / 180
	sgn := func(v float64) float64 { return math.Copysign(1, v) }
	eastWest := azimuth >= 45 && azimuth < 135 || azimuth >= 225 && azimuth < 315
	for k := 0.0; ; k++ {
		var row, column, ds float64
		if eastWest {
			row, column, ds = -sgn(math.Cos(a))*math.RoundToEven(math.Abs(k/math.Tan(a))), sgn(math.Sin(a))*k, 1/math.Abs(math.Sin(a))
		} else {
			row, column, ds = -sgn(math.Cos(a))*k, sgn(math.Sin(a))*math.RoundToEven(math.Abs(k*math.Tan(a))), 1/math.Abs(math.Cos(a))
		}
		if n := len(out); n > 0 && float64(out[n-1].dz) > relief || math.Abs(row) >= float64(rows) || math.Abs(column) >= float64(columns) {
			return out
		}
		out = append(out, truthStep{int(row), int(column), float32(ds * k * pixel * math.Tan(altitude*math.Pi/180))})
	}
}

// relief is the highest of all surfaces less the lowest ground.
func (s *scene) relief() float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for name, f := range s.layers {
		for _, v := range f.v {
			if v == v {
				high = max(high, v)
				if name == "input" {
					low = min(low, v)
				}
			}
		}
	}
	return high - low
}

// truthBits tells for every patch what a pixel sees of it: nothing in the way of buildings, of vegetation, and of vegetation in
// front of buildings.
func (s *scene) truthBits(y truthRay, row, column int) (building, veg, both bool) {
	ground, canopy, trunk := s.layers["input"], s.layers["canopy"], s.layers["trunk"]
	g := float32(ground.at(row, column))
	if len(y.steps) == 0 {
		return true, true, true
	}
	v := false
	if bush, given := s.layers["bush"]; given {
		v = bush.at(row, column) > 1
	} else if t := trunk.at(row, column); t == 0 || t != t { // a bush
		v = canopy.at(row, column) > 1
	}
	walled, acc := false, false
	before := float32(0)
	for k, step := range y.steps {
		r, c := row+step.row, column+step.column
		if r >= 0 && r < ground.rows && c >= 0 && c < ground.columns {
			if float32(ground.at(r, c))-step.dz > g {
				walled = true
			}
			n := 0
			for _, top := range []float32{float32(canopy.at(r, c)), float32(trunk.at(r, c))} {
				if top-step.dz > g {
					n++
				}
				if top-before > g {
					n++
				}
			}
			v = v || n >= 1 && n <= 3
		}
		if walled {
			v = false
		}
		acc = acc || v
		before = y.steps[k].dz
	}
	return !walled, !v, !(acc && !v)
}

func (s *scene) truth(patches int, umep bool) map[string]field {
	ground, trunk := s.layers["input"], s.layers["trunk"]
	d := truthDivision(patches)
	rays := truthRays(patches, s.pixel, s.relief(), ground.rows, ground.columns)
	if umep { // the loop at 90 deg: the pixel, then its northern neighbour with a rise beyond all heights and none before
		rays[len(rays)-1].steps = []truthStep{{}, {row: -1, dz: float32(math.Tan(math.Pi / 2))}}
	}
	out := map[string]field{}
	bytes := (patches + 7) / 8
	for _, kind := range []string{"", "veg.", "aveg."} {
		for _, part := range []string{"total", "north", "east", "south", "west"} {
			out[kind+part] = field{ground.rows, ground.columns, make([]float64, len(ground.v))}
		}
		out[kind+"bits"] = field{ground.rows, ground.columns * bytes, make([]float64, len(ground.v)*bytes)}
	}
	for i, h := range ground.v {
		if h != h {
			for _, kind := range []string{"", "veg.", "aveg."} {
				for _, part := range []string{"total", "north", "east", "south", "west"} {
					out[kind+part].v[i] = math.NaN()
				}
			}
			continue
		}
		for p, y := range rays {
			n := float64(d.counts[y.band])
			sum := 0.0
			for k := d.edges[y.band] + 1; k <= d.edges[y.band+1]; k++ {
				sum += math.Sin(float64(2*(91-k)-1) * math.Pi / 180)
			}
			b := math.Sin(math.Pi/180) / (2 * math.Pi) * sum
			whole, half := 2*math.Pi/n*b, 2*math.Pi/math.Ceil(n/2)*b
			building, veg, both := s.truthBits(y, i/ground.columns, i%ground.columns)
			for kind, seen := range map[string]bool{"": building, "veg.": veg, "aveg.": both} {
				if !seen {
					continue
				}
				out[kind+"bits"].v[i*bytes+p/8] += math.Ldexp(1, p%8)
				out[kind+"total"].v[i] += whole
				for part, on := range map[string]bool{
					"east": y.azimuth < 180, "south": y.azimuth >= 90 && y.azimuth < 270, "west": y.azimuth >= 180, "north": y.azimuth >= 270 || y.azimuth < 90,
				} {
					if on {
						out[kind+part].v[i] += half
					}
				}
			}
		}
		for name, f := range out {
			if len(f.v) > len(ground.v) {
				continue
			}
			bare := trunk.v[i] == 0 || trunk.v[i] != trunk.v[i]
			southOrWest := strings.HasSuffix(name, "south") || strings.HasSuffix(name, "west")
			if southOrWest && (bare || !strings.Contains(name, ".")) {
				f.v[i] += 3.0459e-4
			}
			f.v[i] = min(f.v[i], 1)
		}
	}
	return out
}

// No bit differs from the second implementation, and no factor by more than 1e-5, under either rule of the zenith.
func TestVegetationAgainstFormulas(t *testing.T) {
	for i, c := range []struct {
		patches int
		zenith  string
		pixel   float64
		missing float64
		size    [2]int
		bushes  bool
	}{
		{153, "clear", 1, 0, [2]int{60, 60}, false}, {153, "umep", 1, 0, [2]int{60, 60}, true}, {153, "umep", 2, 0.03, [2]int{60, 60}, false}, {145, "clear", 2.5, 0, [2]int{33, 33}, false},
		{305, "umep", 0.5, 0, [2]int{33, 33}, false}, {609, "clear", 1, 0.03, [2]int{33, 33}, false}, {145, "umep", 1, 0.1, [2]int{1, 40}, true}, {153, "clear", 0.5, 0, [2]int{70, 3}, true},
	} {
		t.Run(fmt.Sprint(c.patches, c.zenith, c.pixel, c.size), func(t *testing.T) {
			t.Parallel()
			s := over("skyview", c.pixel, city(c.size[0], c.size[1], uint64(20+i), c.missing)).wood(uint64(30 + i))
			if c.bushes {
				s.layers["bush"] = newField(c.size[0], c.size[1], func(row, column int) float64 { return step((row+column)%3 == 0, 4) })
			}
			s.args["patches"], s.args["zenith"] = ops.Integer(c.patches), ops.Symbol(c.zenith)
			truth := s.truth(c.patches, c.zenith == "umep")
			got := s.run(t)
			worst := 0.0
			for name, want := range truth {
				if got[name].v == nil {
					t.Fatalf("no output %s", name)
				}
				for at, w := range want.v {
					g := got[name].v[at]
					if w != w && g != g {
						continue
					}
					if d := math.Abs(g - w); !(d <= 1e-5) {
						t.Fatalf("%s, element %d: %g, want %g", name, at, g, w)
					} else {
						worst = max(worst, d)
					}
				}
			}
			t.Logf("worst %.2g", worst)
		})
	}
}
