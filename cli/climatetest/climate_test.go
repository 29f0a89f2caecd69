package climatetest

import (
	"bytes"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"weft/cli"
	"weft/kernels/cache/cachetest"
	"weft/ops/files/npy"
	"weft/ops/sky"
)

// day writes what the reference starts from, which has tests of its own (what is seen of the sky, shade, walls, how bright the sky is), and what
// the library makes of it.
const day = `use comfort
use radiation
use urban
CITY
hour = axis(time, 0 .. 23 in 24)
time = with_coordinates(hour, time, 494997 h .. 495020 h in 24)
day = max(sin((time - 5.5) * 13 deg), 0)
weather = (air: 25 degC + 6 * sin((time - 9) * 15 deg) * 1 K, humidity: 0.5 + 0.2 * cos((time - 9) * 15 deg), wind: 0.1 m/s * time,
    global: 640 W/m^2 * day * (1 - 0.6 * sin(time * 70 deg) ^ 2))
place = (latitude: 37.98 deg, longitude: 23.73 deg)
town = TOWN
f = comfort.hours(town, weather, place.latitude, place.longitude, 3 h, ARGUMENTS)
transpose(f.radiant - 0 degC, [time, y, x]) | write("radiant.npy")
transpose(f.utci - 0 degC, [time, y, x]) | write("utci.npy")
transpose(comfort.utci(weather.air, f.radiant, max(weather.wind, 0.5 m/s), weather.humidity) - 0 degC, [time, y, x]) | write("index.npy")
stand = comfort.climate(town, weather, place.latitude, place.longitude, 3 h, ARGUMENTS)
stand.radiant.mean - 0 degC | write("mean.npy")
stand.utci.most - 0 degC | write("most.npy")
stand.strained / (1 h) | write("strained.npy")
weather.air - 0 degC | write("air.npy")
weather.humidity | write("humidity.npy")
weather.global | write("global.npy")
cast(building, f32) | write("building.npy")
sky = TREES
fn parts(v) = stack([v.total, v.north, v.east, v.south, v.west], dim: part)
parts(sky.walls) | write("walls.npy")
parts(sky.veg) | write("veg.npy")
parts(sky.aveg) | write("aveg.npy")
of = bits -> transpose(cast(urban.has(bits, 153), f32), [y, x, patch])
of(sky.walls.bits) | write("seen_walls.npy")
of(sky.veg.bits) | write("seen_veg.npy")
of(sky.aveg.bits) | write("seen_aveg.npy")
w = walls(city.dsm)
w.height | write("height.npy")
w.aspect / (1 deg) | write("aspect.npy")
transpose(f.light, [time, y, x]) | write("light.npy")
transpose(f.down, [time, y, x]) | write("down.npy")
transpose(f.up, [time, y, x]) | write("up.npy")
transpose(f.long_down, [time, y, x]) | write("long_down.npy")
transpose(f.long_up, [time, y, x]) | write("long_up.npy")
weather.wind / (1 m/s) | write("wind.npy")
`

// Cities, their trees, or none.
const (
	made = `param rows = 48
param columns = 56
param pixel = 2 m
city = simulate.city(y: rows, x: columns, seed: 5, pixel: pixel)
building = city.dsm > 16 m`

	treesTown = `(dsm: city.dsm, building: building, canopy: city.canopy, trunk: city.trunk)`
	treesSky  = `skyview(city.dsm, canopy: city.canopy, trunk: city.trunk)
sky = (walls: view, veg: view.veg, aveg: view.aveg)`
	bareTown = `(dsm: city.dsm, building: building)`
	bareSky  = `skyview(city.dsm)
open = (total: 1 + 0 * view.total, north: 1 + 0 * view.total, east: 1 + 0 * view.total, south: 1 + 0 * view.total, west: 1 + 0 * view.total, bits: cast(255 + 0 * cast(view.bits, i32), u8))
sky = (walls: view, veg: open, aveg: open)`
)

const (
	hours = 24
	sigma = 5.670374419e-8
)

func TestADay(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles dozens of kernels")
	}
	cachetest.Use(t)
	for _, c := range []struct {
		name, town, sky, arguments string
		even, sitting, trees       bool
	}{
		{"uneven sky, trees", treesTown, treesSky, "height: 3 m", false, false, true},
		{"even sky, trees, sitting", treesTown, treesSky, "height: 3 m, sky: even, sitting: true", true, true, true},
		{"uneven sky, no trees, sitting", bareTown, bareSky, "height: 3 m, sitting: true", false, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			run(t, made, c.town, c.sky, c.arguments)
			w := newWorld(t, place{48, 56, 3, 2, 1}, c.even, c.sitting)
			got, index := read(t, "radiant"), read(t, "index")
			worst, sunny := 0.0, 0
			sum, most, strained := make([]float64, w.n), make([]float64, w.n), make([]float64, w.n)
			for h := range hours {
				want := w.hour(h)
				for p, v := range want.radiant {
					worst = max(worst, math.Abs(got[h*w.n+p]-v))
					if w.light[h*w.n+p] == 1 {
						sunny++
					}
					sum[p] += got[h*w.n+p]
					most[p] = max(most[p], index[h*w.n+p])
					if index[h*w.n+p] > 32 {
						strained[p]++
					}
				}
			}
			if worst > 0.01 || math.IsNaN(worst) {
				t.Errorf("the mean radiant temperature is off by %g K", worst)
			}
			if sunny < w.n || sunny > 14*w.n {
				t.Errorf("%d of %d are in the sun: little is tested", sunny, hours*w.n)
			}
			utci, mean, top, long := read(t, "utci"), read(t, "mean"), read(t, "most"), read(t, "strained")
			for i, v := range utci {
				if math.Abs(v-index[i]) > 0.005 {
					t.Fatalf("utci %d is %g, want %g", i, v, index[i])
				}
			}
			for p := range w.n {
				if math.Abs(mean[p]-sum[p]/hours) > 0.002 || math.Abs(top[p]-most[p]) > 0.005 || math.Abs(long[p]-strained[p]) > 1 {
					t.Fatalf("pixel %d: mean %g, most %g, strained %g h; want %g, %g, %g", p, mean[p], top[p], long[p], sum[p]/hours, most[p], strained[p])
				}
			}
			t.Logf("worst %.2g K", worst)
		})
	}
}

// run writes what the program of a day makes of a city.
func run(t *testing.T, city, town, sky, arguments string) {
	t.Helper()
	t.Chdir(t.TempDir())
	text := strings.NewReplacer("CITY", city, "TOWN", town, "sky = TREES", "view = "+sky, "ARGUMENTS", arguments).Replace(day)
	if err := os.WriteFile("p.weft", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if code := cli.Run(t.Context(), []string{"run", "--no-verify", "p.weft"}, nil, &out, &out); code != 0 {
		t.Fatal(out.String())
	}
}

func read(t *testing.T, name string) []float64 {
	t.Helper()
	v, _, err := npy.Load[float32](name + ".npy")
	if err != nil {
		wide, _, err := npy.Load[float64](name + ".npy")
		if err != nil {
			t.Fatal(err)
		}
		return wide
	}
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x)
	}
	return out
}

// sunAt is where the sun stands half an hour before an hour of the day, as the day of the program counts them.
func sunAt(h int) (azimuth, altitude float64) {
	return sky.SunPosition(time.Unix(int64(494997+h)*3600-1800, 0), 37.98, 23.73)
}

func rad(deg float64) float64 { return deg * math.Pi / 180 }
