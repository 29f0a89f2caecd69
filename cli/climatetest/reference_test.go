package climatetest

import (
	"math"
	"testing"

	"time"
	"weft/ops/sky"
)

// world is what the reference knows of the city and the weather, and what it carries from hour to hour.
type world struct {
	n                            int // of pixels
	rows, columns                int
	person, pixel                float64
	some                         []int // pixels that are looked at
	even, sitting                bool
	air, humidity, global        []float64
	building, height, aspect     []float64
	light                        []float64    // [hour, pixel]
	walls, veg, aveg             [5][]float64 // total, north, east, south, west
	seenWalls, seenVeg, seenAveg []float64    // [pixel, patch] or [patch]
	azimuth, altitude, solid     []float64    // of patches
	was                          [5][]float64 // what the ground sent up
	age                          float64
	up                           bool
	clear                        float64
	alike                        [5][]float64
}

const (
	albedo, ground, wallAlbedo = 0.15, 0.95, 0.2
	wallGrey                   = 0.9
)

// place is a raster, who stands on it, and every how many pixels one is looked at.
type place struct {
	rows, columns int
	person, pixel float64
	every         int
}

var sides = [5]float64{0, 270, 0, 90, 180} // where the sun comes from as it moves on to a side

func newWorld(t *testing.T, at place, even, sitting bool) *world {
	w := &world{n: at.rows * at.columns, rows: at.rows, columns: at.columns, person: at.person, pixel: at.pixel, even: even, sitting: sitting, clear: 1, air: read(t, "air"), humidity: read(t, "humidity"), global: read(t, "global"),
		building: read(t, "building"), height: read(t, "height"), aspect: read(t, "aspect"), light: read(t, "light"),
		seenWalls: read(t, "seen_walls"), seenVeg: read(t, "seen_veg"), seenAveg: read(t, "seen_aveg")}
	for p := 0; p < w.n; p += at.every {
		w.some = append(w.some, p)
	}
	for name, to := range map[string]*[5][]float64{"walls": &w.walls, "veg": &w.veg, "aveg": &w.aveg} {
		all := read(t, name)
		for k := range to {
			to[k] = all[k*w.n : (k+1)*w.n]
		}
	}
	for band, n := range []int{31, 30, 28, 24, 19, 13, 7, 1} {
		start := []float64{0, 4, 2, 5, 8, 0, 10, 0}[band]
		for i := range n {
			middle := float64(6 + 12*band)
			w.azimuth = append(w.azimuth, start+float64(i)*360/float64(n))
			w.altitude = append(w.altitude, middle)
			w.solid = append(w.solid, 2*math.Pi/float64(n)*(math.Sin(rad(min(middle+6, 90)))-math.Sin(rad(middle-6))))
		}
	}
	for k := range w.was {
		w.was[k], w.alike[k] = make([]float64, w.n), make([]float64, w.n)
	}
	for _, p := range w.some {
		w.each(p, func(k int, line []int, share float64) {
			w.alike[k][p] += share * w.alongAlike(line)
		})
		if w.building[p] == 1 {
			for k := range w.alike {
				w.alike[k][p] = albedo
			}
		}
	}
	return w
}

// each calls a function for the lines of sight in 18 directions, for all of them and each half they are in, with the share they count for.
func (w *world) each(p int, do func(k int, line []int, share float64)) {
	for turn := 5.0; turn < 360; turn += 20 {
		line := w.line(p, turn)
		do(0, line, 1./18)
		for k := 1; k < 5; k++ {
			if math.Mod(turn-sides[k]+360, 360) < 180 {
				do(k, line, 1./9)
			}
		}
	}
}

func (w *world) near() int { return int(max(math.Round(w.person/w.pixel), 1)) }
func (w *world) far() int  { return int(max(math.Round(20*w.person/w.pixel), 2)) }

// line is the pixels along a direction, -1 outside.
func (w *world) line(p int, turn float64) []int {
	s, c := math.Sin(rad(turn)), math.Cos(rad(turn))
	along := max(math.Abs(s), math.Abs(c))
	out := make([]int, w.far())
	for n := range out {
		r, q := p/w.columns-int(math.Round(float64(n)*c/along)), p%w.columns+int(math.Round(float64(n)*s/along))
		if out[n] = r*w.columns + q; r < 0 || r >= w.rows || q < 0 || q >= w.columns {
			out[n] = -1
		}
	}
	return out
}

// stop is the first step at which a building stands.
func (w *world) stop(line []int) int {
	for n, at := range line {
		if at >= 0 && w.building[at] == 1 {
			return n
		}
	}
	return len(line)
}

// seen weighs what is seen near and far: sums of ground, and a wall from a step on.
func (w *world) seen(nearGround, farGround float64, from int, wall float64, own bool, more int) float64 {
	over := func(n int, ground, wall float64, more int) float64 {
		if from < n {
			return (float64(n-from)*wall + ground) / float64(n+more)
		}
		return ground / float64(n)
	}
	behind := wall
	if own {
		behind = 0
	}
	return (0.5*over(w.near(), nearGround, wall, 1) + 0.4*over(w.far(), farGround, behind, more)) / 0.9
}

func (w *world) alongAlike(line []int) float64 {
	stop, a, b := w.stop(line), 0.0, 0.0
	for n, at := range line[:stop] {
		if at < 0 {
			continue
		}
		if b += albedo; n < w.near() {
			a += albedo
		}
	}
	return w.seen(a, b, stop, wallAlbedo, false, 0)
}

func kelvin(c float64) float64 { return c + 273.15 }
func black(c float64) float64  { return sigma * math.Pow(kelvin(c), 4) }

// before is how much of half a sky an upright place has before it.
func before(x float64) float64 {
	return (63.227*math.Pow(x, 6) - 161.51*math.Pow(x, 5) + 156.91*math.Pow(x, 4) - 70.424*math.Pow(x, 3) + 16.773*x*x - 0.4863*x) / 4.4897
}

// clearSky is what a level place has of the sun under a clear sky, and above the air.
func clearSky(altitude, air, humidity float64) (global, outside float64) {
	y := 2 * math.Pi * 172 / 365
	d := math.Sqrt(1.00011 + .034221*math.Cos(y) + .00128*math.Sin(y) + .000719*math.Cos(2*y) + .000077*math.Sin(2*y))
	up := max(math.Sin(rad(altitude)), 0)
	m := 35 * up / math.Sqrt(1224*up*up+1)
	a := 17.27*air/(237.7+air) + math.Log(humidity)
	dew := 237.7*a/(17.27-a)*1.8 + 32
	u := math.Exp(.1133 - math.Log(2.92+1) + .0393*dew)
	outside = 1370 * up * d
	return outside * (1.021 - .084*math.Sqrt(m*(.000949*1013+.051))) * (1 - .077*math.Pow(u*m, .3)) * math.Pow(.935, m), outside
}

func split(global, altitude, k, air, humidity float64) (direct, diffuse float64) {
	up := math.Sin(rad(altitude))
	switch {
	case k <= .3:
		diffuse = global * (1 - .232*k + .0239*up - .000682*air + .0195*humidity)
	case k < .78:
		diffuse = global * (1.329 - 1.716*k + .267*up - .00357*air + .106*humidity)
	default:
		diffuse = global * (.426*k - .256*up + .00349*air + .0734*humidity)
	}
	if up >= .01 {
		direct = max((global-diffuse)/up, 0)
	}
	if altitude < 1 {
		direct = min(direct, global)
	}
	return direct, min(diffuse, global)
}

// warmer is how much the sun warms the ground or a wall above the air.
func warmer(h int, noon, clear float64) float64 {
	rising := 6 - math.Asin(math.Tan(rad(-23.45*math.Cos(2*math.Pi*182/365)))*math.Tan(rad(37.98)))/rad(15)
	if float64(h) <= rising {
		return 0
	}
	return max((.37*noon-3.41)*math.Sin((float64(h)-rising)/(15-rising)*math.Pi/2)*clear, 0)
}

// lifted is how much the air lifts what stands in the sky.
func lifted(altitude, air float64) float64 {
	if altitude < -0.8333 {
		return 0
	}
	return 1.02 / 60 / math.Tan(rad(altitude+10.3/(altitude+5.11))) * 1013 / 1010 * 283 / kelvin(air)
}

// hour is what a person is in at an hour.
func (w *world) hour(h int) fluxes {
	azimuth, altitude := sunAt(h)
	noon := -90.0
	for minute := range 24 * 60 {
		_, altitude := sky.SunPosition(time.Unix(494997*3600+int64(minute)*60, 0), 37.98, 23.73)
		noon = max(noon, altitude)
	}
	air, humidity, global := w.air[h], w.humidity[h], w.global[h]
	altitude += lifted(altitude, air)
	up := altitude > 0
	ideal, outside := clearSky(altitude, air, humidity)
	usual := .1473*math.Log(max(altitude, .01)) + .3454
	direct, diffuse, warm := 0.0, 0.0, 0.0
	if up {
		k := 0.0
		if global > 0 {
			k = global / max(outside, 1)
			w.clear = min(global/ideal+1-usual, 1)
		}
		direct, diffuse = split(global, altitude, k, air, humidity)
		a, b := split(ideal, altitude, 1, air, humidity)
		warm = min(max(global/(a*math.Sin(rad(altitude))+b)+1-usual, 0), 1)
	} else {
		global = 0
	}
	rise := 0.0
	if up {
		rise = warmer(h, noon, warm)
	}
	s := sun{azimuth: azimuth, altitude: altitude, direct: direct, diffuse: diffuse, global: global, hour: h, rise: rise}
	first := up && !w.up
	if first {
		w.age = 0
	}
	enough := w.age >= 59./1440
	age := w.age
	if !enough {
		age += 1. / 24
	}
	weight := math.Exp(-33.27 * age)
	if w.up = up; up {
		w.age = 1. / 24
	} else {
		w.age = 0
	}
	now := w.emits(&s, up)
	sent := now
	if up {
		for k := range now {
			sent[k] = make([]float64, w.n)
			for _, p := range w.some {
				if first {
					w.was[k][p] = now[k][p]
				}
				sent[k][p] = now[k][p]*(1-weight) + w.was[k][p]*weight
			}
			if enough {
				copy(w.was[k], sent[k])
			}
		}
	}
	return w.radiant(&s, sent, air, humidity)
}
