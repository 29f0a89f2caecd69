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
}

// day is a use of shadow.
type day struct {
	scene
	azimuth, altitude []float64   // deg
	listed            bool        // there is a dim time
	wallTypes         [2]ops.Type // of wall_height and wall_aspect
	walls             bool
	transmissivity    ops.Number
}

func bindShadow(c *ops.Call) (ops.Op, error) {
	var p problems
	d := &day{scene: resolveScene(c, &p), azimuth: angles(c, "azimuth", &p), altitude: angles(c, "altitude", &p)}
	d.transmissivity, _ = c.Args["transmissivity"].(ops.Number)
	_, d.listed = c.Args["azimuth"].(ops.List)
	switch _, list := c.Args["altitude"].(ops.List); {
	case len(p) > 0:
	case list != d.listed || len(d.azimuth) != len(d.altitude):
		p.add(problem.ExtentMismatch, "altitude", "give one altitude for each azimuth", "there are %d azimuths and %d altitudes", len(d.azimuth), len(d.altitude))
	case len(d.azimuth) == 0:
		p.add(problem.OutOfBounds, "azimuth", "give at least one", "there is no position of the sun")
	}
	for i, a := range d.altitude {
		if math.Abs(a) > 90 {
			p.add(problem.OutOfBounds, "altitude", "altitudes are above the horizon", "altitude %d is %g deg", i+1, a)
		}
	}
	height, aspect := d.layer(c, "wall_height", &p), d.layer(c, "wall_aspect", &p)
	if d.walls = height != nil && aspect != nil; d.walls {
		d.wallTypes = [2]ops.Type{*height, *aspect}
	}
	switch {
	case height != nil && aspect == nil:
		p.add(problem.MissingArgument, "wall_height", "give wall_aspect as well; walls gives both", "the walls have no aspect")
	case height == nil && aspect != nil:
		p.add(problem.MissingArgument, "wall_aspect", "give wall_height as well; walls gives both", "the walls have no height")
	case height != nil:
		checkHeights(&p, "wall_height", *height)
	}
	d.rays = sync.OnceValue(func() []ray { return d.look(d.trace) })
	return bound(d, p)
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

// Outputs are maps of light and shade.
func (d *day) Outputs() []ops.Output {
	names := []string{"building"}
	if d.canopy != nil {
		names = append(names, "canopy", "both")
	}
	var out []ops.Output
	for _, n := range names {
		out = append(out, ops.Output{Name: n, Type: d.chart("")})
	}
	if d.walls {
		out = append(out, ops.Output{Name: "wall_sun", Type: d.chart("m")}, ops.Output{Name: "wall_shade", Type: d.chart("m")})
	}
	return out
}

// chart is an output in a unit.
func (d *day) chart(unit string) ops.Type {
	t := d.output(ops.F32, unit)
	if d.listed {
		t.Dims = append([]ops.Dim{{Name: "time", Size: len(d.azimuth)}}, t.Dims...)
	}
	return t
}

// wallLight is how much of a wall w m high the sun reaches: its face looks away, or the shadow volume stands rise above the
// foot. Formulas of SOLWEIG: leaves shade up to leaf above the foot.
func wallLight(w, aspect, azimuth, rise, leaf float64) (sun, shade float64) {
	turned := turnedAway(w, aspect, azimuth)
	sun = max(w-rise, 0)
	if turned {
		sun = 0
	}
	shade = w - sun
	wood := 0.0
	if w > 0 {
		wood = min(max(leaf-shade, 0), w)
	}
	return max(sun-wood, 0), shade
}

// turnedAway tells that a wall looks away from the sun; the asymmetry of < and <= is SOLWEIG's. A pixel without a wall counts
// as turned away or not, whatever comes out: its sun is 0 all the same. Many walls look exactly along the bounds.
func turnedAway(w, aspect, azimuth float64) bool {
	low, high := azimuth-math.Pi/2, azimuth+math.Pi/2
	switch {
	case low >= 0 && high < 2*math.Pi:
		return aspect < low-parallel || aspect >= high-parallel
	case low < 0:
		return !(aspect > low+2*math.Pi+parallel || aspect <= high+parallel)
	}
	return !(aspect > low+parallel || aspect <= high-2*math.Pi+parallel)
}

// parallel is by how many radians directions may differ and count as the same: more than float32 rounds them by, so that walls fall
// to one side however wide their aspects are.
const parallel = 1e-6
