package climatetest

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"weft/kernels/cache/cachetest"
)

// The city of the fixture; buildings are what stands 3 m or more above the lowest that lies within 30 m.
const athens = `city = (dsm: read("%[1]s/input_dsm.npy", dims: [y, x], pixel: 1 m, unit: m), canopy: read("%[1]s/input_cdsm.npy", dims: [y, x], pixel: 1 m, unit: m),
    trunk: read("%[1]s/input_tdsm.npy", dims: [y, x], pixel: 1 m, unit: m))
beside = min(city.dsm[x: here + axis(across, -30 .. 30), outside: nearest], over: across)
building = city.dsm - min(beside[y: here + axis(along, -30 .. 30), outside: nearest], over: along) >= 3 m`

// TestAthens has a day over a real city, with the fluxes and the index by the formulas in float64.
func TestAthens(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles dozens of kernels")
	}
	dir := os.Getenv("WEFT_FIXTURES")
	if dir == "" {
		dir = "../../../shared/data"
	}
	dir, err := filepath.Abs(filepath.Join(dir, "skyview"))
	if err != nil {
		t.Fatal(err)
	}
	blob, err := os.ReadFile(filepath.Join(dir, "utci_terms.json"))
	if err != nil {
		t.Skipf("no fixtures: set WEFT_FIXTURES (%v)", err)
	}
	terms := readTerms(t, blob)
	cachetest.Use(t)
	for _, c := range []struct {
		name, arguments string
		even            bool
	}{{"uneven sky", "sitting: false", false}, {"even sky", "sky: even", true}} {
		t.Run(c.name, func(t *testing.T) {
			run(t, fmt.Sprintf(athens, filepath.ToSlash(dir)), treesTown, treesSky, c.arguments)
			w := newWorld(t, place{400, 400, 1.75, 1, 41}, c.even, false)
			parts := []string{"radiant", "utci", "down", "up", "long_down", "long_up"}
			limits := []float64{0.05, 0.05, 0.1, 0.1, 0.1, 0.1} // K, and W/m2
			got, worst, wind := map[string][]float64{}, make([]float64, len(parts)), read(t, "wind")
			for _, name := range parts {
				got[name] = read(t, name)
			}
			lit := 0
			for h := range hours {
				want := w.hour(h)
				for _, p := range w.some {
					if w.light[h*w.n+p] == 1 {
						lit++
					}
					index := terms.utci(w.air[h], want.radiant[p], min(max(wind[h], 0.5), 17), w.humidity[h])
					for i, v := range []float64{want.radiant[p], index, want.down[p], want.up[p], want.longDown[p], want.longUp[p]} {
						off := math.Abs(got[parts[i]][h*w.n+p] - v)
						if !(off <= worst[i]) {
							worst[i] = off
						}
					}
				}
			}
			for i, name := range parts {
				if !(worst[i] <= limits[i]) {
					t.Errorf("%s is off by %g", name, worst[i])
				}
			}
			if n := len(w.some); lit < n || lit > 14*n {
				t.Errorf("%d of %d are in the sun: little is tested", lit, hours*n)
			}
			t.Logf("worst of %v: %.2g", parts, worst)
		})
	}
}

// polynomial is that of the index: a coefficient in each term, and the powers of air, wind, radiation beyond the air and vapour.
type polynomial [][5]float64

func readTerms(t *testing.T, blob []byte) polynomial {
	t.Helper()
	var file struct{ Terms polynomial }
	if err := json.Unmarshal(blob, &file); err != nil || len(file.Terms) != 210 {
		t.Fatalf("%d terms, %v", len(file.Terms), err)
	}
	return file.Terms
}

func (terms polynomial) utci(air, radiant, wind, humidity float64) float64 {
	k := kelvin(air)
	vapour := math.Log(k) * 2.7150305
	for i, g := range []float64{-2836.5744, -6028.076559, 19.54263612, -0.02737830188, 1.6261698e-5, 7.0229056e-10, -1.8680009e-13} {
		vapour += g * math.Pow(k, float64(i-2))
	}
	p, d, out := math.Exp(vapour)*humidity/1000, radiant-air, air
	for _, one := range terms {
		out += one[0] * math.Pow(air, one[1]) * math.Pow(wind, one[2]) * math.Pow(d, one[3]) * math.Pow(p, one[4])
	}
	return out
}
