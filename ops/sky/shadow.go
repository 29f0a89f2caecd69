package sky

import (
	"math"
	"sync"

	"weft/ops"
	"weft/ops/problem"
)

var shadow = &ops.Spec{
	Name:  "shadow",
	Doc:   "Shadows that buildings and trees cast on an elevation raster for one position of the sun, or several.",
	Group: group,
	Long: `building is 1 where a pixel is sunlit as far as ground and buildings go and 0 where they shade it; canopy the same for vegetation that
stands in the sun itself; both joins them: building - (1 - canopy)(1 - transmissivity). canopy, trunk, bush and heights are given as for skyview.

With wall_height and wall_aspect (see walls), wall_sun and wall_shade are the metres of each wall that are in the sun and in the shade, at the
pixel at its foot. A wall turned away from the sun is in the shade.

Lists of azimuths and altitudes, such as those sun gives, make one map each, along the dim time. With the sun at or below the horizon
everything is in the shade of the ground; at 89.5 deg or above there are no shadows.

Rays go as far as anything could shade (see skyview); reach cuts them short.

Heights are compared in float32, walls computed in float64. Sources: Lindberg and Grimmond, Theor. Appl. Climatol. 105 (2011); Lindberg et
al., Solar Energy 112 (2015) for walls.`,
	Params: []ops.Param{
		ops.In("input", "elevation of ground and buildings, m", "y", "x"),
		{Name: "azimuth", Doc: "of the sun, clockwise from north; an angle or a list", Accept: ops.KNumber | ops.KList, Unit: "deg"},
		{Name: "altitude", Doc: "of the sun above the horizon; as many", Accept: ops.KNumber | ops.KList, Unit: "deg"},
		vegetation[0], vegetation[1], vegetation[2], vegetation[3],
		ops.In("wall_height", "height of the wall that stands at a pixel, m; 0: none", "y", "x").Opt(),
		ops.In("wall_aspect", "azimuth of the outward normal of that wall", "y", "x").Of("deg").Opt(),
		ops.Num("transmissivity", "", "share of direct light that passes through leaves").Within(0, 1).Or(ops.Number{V: 0.03}),
		ops.Num("reach", "m", "length at which rays end").Above0().Opt(),
		pixelParam,
	},
	Returns: "a record of f32 over [time,] y and x: building; with canopy also canopy and both; with walls also wall_sun and wall_shade in metres.",
	Examples: []ops.Example{
		{Title: "noon", Code: `city = simulate.city(y: 64, x: 64, seed: 1)
noon = city.dsm | shadow(azimuth: 180 deg, altitude: 60 deg)
noon.building | show`},
		{Title: "a morning in Athens, with trees", Code: `city = simulate.city(y: 48, x: 48, seed: 2)
path = sun(latitude: 37.98 deg, longitude: 23.73 deg, time: ["2026-06-21T07:00+03:00", "2026-06-21T09:00+03:00"])
light = city.dsm | shadow(azimuth: path.azimuth, altitude: path.altitude, canopy: city.canopy, trunk: city.trunk)
light.both | mean(over: time) | show`},
	},
	Error:     ops.ErrorRule{Metric: ops.Absolute, Tolerance: 1e-5},
	Telemetry: &ops.Telemetry{Prefix: "shadow", Unit: "timestep"},
	Bind:      bindShadow,
	Body:      shadowBody,
}

// shadowBody is shadow as a function of the library.
const shadowBody = vegetated + `
a = if listed then array(azimuth, dims: time, type: f64) else azimuth
e = if listed then array(altitude, dims: time, type: f64) else altitude
way = urban.way(a, e, pixel, steps, relief, reach, size(input, y), size(input, x))
hidden = if trees then urban.leaved(ground, crown, stem, shrub, way, e > 0 deg and e < 89.5 deg) else (wall: urban.walled(ground, way), leaf: false)
dark = e <= 0 deg
leaf = if trees then hidden.leaf and not hidden.wall else false
building = where(hidden.wall or dark, 0, 1)

fn wall() {
    double = v -> cast(v, f64)
    foot = double(ground)
    top = (v, from) -> max(max(double(v[y: here + way.row, x: here + way.column, outside: -inf]) - way.exact, over: step in 0 .. way.last), from)
    turn = double(wall_aspect)
    low = a - 90 deg
    high = a + 90 deg
    same = 1e-6 rad # by which directions differ that are the same in f32
    opposite = (from, to) -> not (turn > from + same or turn <= to + same)
    across = low < 0 deg
    past = high >= 360 deg
    away = across and opposite(low + 360 deg, high) or past and opposite(low, high - 360 deg) or
        not (across or past) and (turn < low - same or turn >= high - same)
    height = double(wall_height) / unit.wall_height * (1 m)
    lit = where(away or dark, 0 m, max(height - (top(ground, foot) - foot), 0 m))
    wood = if trees then where(height > 0 m, min(max(where(leaf, max(top(crown, -inf) - foot, 0 m), 0 m) - (height - lit), 0 m), height), 0 m) else 0 m
    (sun: max(lit - wood, 0 m), shade: height - lit)
}

known = v -> where(ground == ground, cast(v, f32), nan)
w = if walls then wall() else (sun: 0, shade: 0)
both = where(leaf, transmissivity, building)
(if trees and walls then (building: known(building), canopy: known(where(leaf, 0, 1)), both: known(both), wall_sun: known(w.sun), wall_shade: known(w.shade))
else if trees then (building: known(building), canopy: known(where(leaf, 0, 1)), both: known(both))
else if walls then (building: known(building), wall_sun: known(w.sun), wall_shade: known(w.shade))
else (building: known(building)))`

// day is a use of shadow.
type day struct {
	scene
	ops.Written
	azimuth, altitude []float64 // deg
}

func bindShadow(c *ops.Call) (ops.Op, error) {
	var p problems
	d := &day{scene: resolveScene(c, &p), azimuth: angles(c, "azimuth", &p), altitude: angles(c, "altitude", &p)}
	_, listed := c.Args["azimuth"].(ops.List)
	switch _, list := c.Args["altitude"].(ops.List); {
	case len(p) > 0:
	case list != listed || len(d.azimuth) != len(d.altitude):
		p.add(problem.ExtentMismatch, "altitude", "give one altitude for each azimuth", "there are %d azimuths and %d altitudes", len(d.azimuth), len(d.altitude))
	case len(d.azimuth) == 0:
		p.add(problem.OutOfBounds, "azimuth", "give at least one", "there is no position of the sun")
	}
	for i, a := range d.azimuth {
		d.azimuth[i] = math.Mod(math.Mod(a, 360)+360, 360)
	}
	for i, a := range d.altitude {
		if math.Abs(a) > 90 {
			p.add(problem.OutOfBounds, "altitude", "altitudes are above the horizon", "altitude %d is %g deg", i+1, a)
		}
	}
	height, aspect := d.layer(c, "wall_height", &p), d.layer(c, "wall_aspect", &p)
	switch {
	case height != nil && aspect == nil:
		p.add(problem.MissingArgument, "wall_height", "give wall_aspect as well; walls gives both", "the walls have no aspect")
	case height == nil && aspect != nil:
		p.add(problem.MissingArgument, "wall_aspect", "give wall_height as well; walls gives both", "the walls have no height")
	case height != nil:
		checkHeights(&p, "wall_height", *height)
	}
	if len(d.azimuth) > 0 && len(d.altitude) > 0 {
		d.Known = d.names(c)
		d.Known["walls"] = ops.Flag(height != nil && aspect != nil)
		d.Known["listed"] = ops.Flag(listed)
		d.Known["azimuth"], d.Known["altitude"] = inDegrees(d.azimuth, listed), inDegrees(d.altitude, listed)
	}
	d.rays = sync.OnceValue(func() []ray { return d.look(d.trace) })
	d.Last, d.Exact, d.Void = []string{"y", "x"}, true, d.noHeights()
	return bound(d, p)
}

// inDegrees are angles as values: a list, or the only one.
func inDegrees(angles []float64, list bool) ops.Value {
	var out ops.List
	for _, a := range angles {
		out = append(out, ops.Quantity(a, "deg"))
	}
	if list {
		return out
	}
	return out[0]
}

// Units are the positions of the sun.
func (d *day) Units() int { return len(d.azimuth) }

// trace gives the rays towards the sun.
func (d *day) trace() []ray {
	var out []ray
	for i := range d.azimuth {
		out = append(out, newRay(d.azimuth[i], d.altitude[i], d.pixel, d.limit()))
	}
	return out
}
