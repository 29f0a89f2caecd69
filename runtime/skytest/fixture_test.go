package skytest

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"testing"

	"weft/ops"
	"weft/ops/files/npy"
)

// fixture loads an array of the shared fixtures, or skips.
func fixture(t *testing.T, name string) field {
	t.Helper()
	dir := os.Getenv("WEFT_FIXTURES")
	if dir == "" {
		dir = "../../../shared/data"
	}
	v, shape, err := npy.Load[float64](filepath.Join(dir, "skyview", name+".npy"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("no fixtures: set WEFT_FIXTURES (%v)", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return field{shape[0], shape[1], v}
}

func athens(t *testing.T, op string) *scene {
	s := over(op, 1, fixture(t, "input_dsm"))
	for layer, file := range map[string]string{"canopy": "input_cdsm", "trunk": "input_tdsm", "bush": "input_bush"} {
		s.layers[layer] = fixture(t, file)
	}
	return s
}

// beyond counts the pixels that are further apart than a tolerance, and gives the largest difference.
func beyond(a, b field, tolerance float64) (n int, worst float64) {
	for i := range a.v {
		d := math.Abs(a.v[i] - b.v[i])
		if !(d <= tolerance) {
			n++
		}
		worst = max(worst, d)
	}
	return n, worst
}

func TestSkyviewOfAthens(t *testing.T) {
	got := athens(t, "skyview").run(t)
	for _, part := range []string{"total", "north", "east"} {
		n, worst := beyond(got[part], fixture(t, "svf_"+part), 1e-5)
		t.Logf("%s: at most %.2g off", part, worst)
		if n > 0 {
			t.Errorf("%s: %d pixels differ by more than 1e-5, by %g at most", part, n, worst)
		}
	}
}

func TestShadowsOfAthens(t *testing.T) {
	for when, sun := range map[string][2]float64{"morning": {90, 30}, "noon": {180, 60}} {
		s := athens(t, "shadow").sun(sun[0], sun[1])
		aspect := fixture(t, "input_wall_asp")
		for i := range aspect.v {
			aspect.v[i] *= math.Pi / 180
		}
		s.layers["wall_height"], s.layers["wall_aspect"] = fixture(t, "input_wall_ht"), aspect
		got := s.run(t)
		for output, c := range map[string]struct {
			file      string
			tolerance float64
		}{"building": {"bldg_sh", 0}, "canopy": {"veg_sh", 0}, "wall_sun": {"wall_sun", 1e-5}, "wall_shade": {"wall_sh", 1e-5}} {
			if n, worst := beyond(got[output], fixture(t, "shadow_"+when+"_"+c.file), c.tolerance); n > 0 {
				t.Errorf("%s, %s: %d pixels differ, by %g at most", when, output, n, worst)
			}
		}
	}
}

// Heights of walls are those of the fixtures; of aspects, few lie on the edge of rounding and come out otherwise.
func TestWallsOfAthens(t *testing.T) {
	s := over("walls", 1, fixture(t, "input_dsm"))
	got := s.run(t)
	height := fixture(t, "input_wall_ht")
	if n, worst := beyond(got["height"], height, 0); n > 0 {
		t.Errorf("%d heights differ, by %g at most", n, worst)
	}
	aspect := fixture(t, "input_wall_asp")
	for i := range aspect.v {
		aspect.v[i] *= math.Pi / 180
	}
	walls := 0
	for _, h := range height.v {
		if h > 0 {
			walls++
		}
	}
	if n, _ := beyond(got["aspect"], aspect, 1e-4); n > walls/400 {
		t.Errorf("%d of %d aspects differ", n, walls)
	}
}

// The two rules of the zenith differ where the canopy of the pixel to the north stands above a pixel, by the zenith's weight.
func TestZenithOfAthens(t *testing.T) {
	s := athens(t, "skyview")
	clear := s.run(t)["veg.total"]
	s.args["zenith"] = ops.Symbol("umep")
	umep := s.run(t)["veg.total"]
	ground, canopy, bush := s.layers["input"], s.layers["canopy"], s.layers["bush"]
	zenith := math.Pow(math.Sin(6*math.Pi/180), 2)
	n := 0
	for i := range clear.v {
		hidden := i >= ground.columns && canopy.v[i-ground.columns] > ground.v[i] || bush.v[i] > 1
		if hidden {
			n++
		}
		if want := step(hidden, zenith); math.Abs(clear.v[i]-umep.v[i]-want) > 1e-6 {
			t.Fatalf("pixel %d: the rules differ by %g, want %g", i, clear.v[i]-umep.v[i], want)
		}
	}
	t.Logf("%d pixels differ", n)
}
