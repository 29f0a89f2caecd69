package sky

import (
	"fmt"
	"math"
	"sync"

	"weft/ops"
	"weft/ops/problem"
)

var skyview = &ops.Spec{
	Name:  "skyview",
	Doc:   "Sky view factors of an elevation raster: the share of the sky that each pixel sees.",
	Group: group,
	Long: `The sky is divided into patches (145: Tregenza; 153: the usual one; 305; 609), and a ray goes from every pixel towards the middle of each.
A patch counts as seen if no source pixel on the ray stands above it. total is the sum of cosine-weighted view factors of the patches
seen; north, east, south and west are those of the half sky on that side, by SOLWEIG's weights (on open ground they are .976, 1, .947 and
.924 with 153 patches, not 1). bits holds one bit a patch, seen or not: bit p & 7 of byte p >> 3, patches band by band from the horizon.

canopy, trunk and bush add vegetation, by the pergola rule: a ray is in leaves where it passes between the top of the trunk zone and
the top of the canopy of a source pixel, at this step or the one before. All three are elevations above the same zero as the input or, with
heights: relative, metres above it; NaN or 0 where there is none. bush is what stands without trunk (left out: the canopy where there is no
trunk); a pixel in a bush sees no sky through it.
veg are the factors of what vegetation leaves of the sky, aveg of what it leaves in front of buildings. zenith: clear lets the zenith be
seen everywhere; umep traces it as UMEP does, where the northern neighbour's canopy hides it.

Rays go as far as anything could shade: to where they have risen by the relief of the input, or to the edge of the raster. reach cuts them
short; what is beyond is then not seen, and the result is not exact.

Heights are compared in float32. Sources: Lindberg and Grimmond, Theor. Appl. Climatol. 105 (2011); Robinson and Stone, Proc. Building
Simulation (2004).`,
	Params: []ops.Param{
		ops.In("input", "elevation of ground and buildings, m", "y", "x"),
		vegetation[0], vegetation[1], vegetation[2], vegetation[3],
		ops.Num("patches", "", "of the sky: 145, 153, 305 or 609").Whole().Or(ops.Integer(153)),
		ops.Choose("zenith", "how vegetation hides the zenith", "clear", "umep").Or(ops.Symbol("clear")),
		ops.Num("reach", "m", "length at which rays end").Above0().Opt(),
		pixelParam,
	},
	Returns: "a record of f32 over y and x: total, north, east, south, west; and bits, u8 over y, x and byte. With canopy also records veg and aveg of the same.",
	Examples: []ops.Example{
		{Title: "a street", Code: `city = simulate.city(y: 64, x: 64, seed: 1)
sky = city.dsm | skyview
sky.total | show`},
		{Title: "with trees, in more patches", Code: `city = simulate.city(y: 32, x: 32, seed: 1)
sky = city.dsm | skyview(canopy: city.canopy, trunk: city.trunk, patches: 305)
sky.veg.total | show`},
	},
	Error:     ops.ErrorRule{Metric: ops.Absolute, Tolerance: 1e-5},
	Telemetry: &ops.Telemetry{Prefix: "svf", Unit: "patch"},
	Bind:      bindSkyview,
	Body:      skyviewBody,
}

// skyviewBody is skyview as a function of the library.
const skyviewBody = vegetated + `
far = max(steps - 1, 1)
seen = (if trees then urban.view_trees(ground, crown, stem, shrub, patches, steps: far, zenith: zenith, reach: reach, pixel: pixel)
    else (walls: urban.view(ground, patches, steps: far, reach: reach, pixel: pixel)))
sky = seen.walls
(if trees then (total: sky.total, north: sky.north, east: sky.east, south: sky.south, west: sky.west, bits: sky.bits, veg: seen.veg, aveg: seen.aveg)
else sky)`

// view is a use of skyview.
type view struct {
	scene
	ops.Written
	patches []patch
}

// scene is what both skyview and shadow look at.
type scene struct {
	raster
	canopy, trunk, bush *ops.Type // nil: not given
	trunkShare          float64   // of the canopy's height above ground, where there is no trunk; 0: not given
	relative            bool      // heights of vegetation are above the input
	umep                bool
	relief              float64      // highest source less lowest target; +Inf when it is not known before the run
	reach               float64      // +Inf for no cap
	tops                []ops.Array  // of vegetation: canopy and trunk, as far as they are given
	rays                func() []ray // traced once, for planning: see look
	full                float64      // where reach ends rays early, how far they would go; 0: it ends none
}

func resolveScene(c *ops.Call, p *problems) scene {
	s := scene{raster: resolveRaster(c, p), umep: c.Symbol("zenith") == "umep", reach: math.Inf(1)}
	if c.Has("reach") {
		s.reach = c.Number("reach")
	}
	s.relative = c.Symbol("heights") == "relative"
	if n, ok := c.Args["trunk"].(ops.Number); ok {
		if s.trunkShare = n.V; !n.Unit.Plain() || n.V <= 0 || n.V > 1 {
			p.add(problem.OutOfBounds, "trunk", "write 25 percent, say, or give an array of heights", "trunk is %s, which is no share of the canopy's height", n)
		}
	}
	for arg, t := range map[string]**ops.Type{"canopy": &s.canopy, "trunk": &s.trunk, "bush": &s.bush} {
		if *t = s.layer(c, arg, p); *t != nil {
			checkHeights(p, arg, **t)
		}
	}
	for _, arg := range []string{"canopy", "trunk"} {
		if a, given := c.Array(arg); given {
			s.tops = append(s.tops, a)
		}
	}
	switch trunk := s.trunk != nil || s.trunkShare != 0; {
	case s.canopy != nil && !trunk:
		p.add(problem.MissingArgument, "canopy", "give trunk: the tops of the trunk zones, or 25 percent, say", "a canopy needs its trunk zone")
	case s.canopy == nil && trunk:
		p.add(problem.MissingArgument, "trunk", "give canopy as well", "a trunk zone needs its canopy")
	case s.canopy == nil && s.bush != nil:
		p.add(problem.MissingArgument, "bush", "give canopy and trunk as well", "bushes are a part of the canopy")
	}
	return s
}

// vegetated is how bodies begin: the surfaces of a scene.
const vegetated = `use urban
in_metres = (v, unit) -> cast(v, f32) / unit * (1 m)
ground = in_metres(input, unit.input)
layer = (v, unit) -> if heights == relative then where(v > 0 * unit, ground + in_metres(v, unit), 0 m) else in_metres(v, unit)
crown = if trees then layer(canopy, unit.canopy) else ground
stem = if not trees then ground else if share > 0 then where(crown > ground, ground + share * (crown - ground), 0 m) else layer(trunk, unit.trunk)
shrub = if not trees then ground else if bushes then layer(bush, unit.bush) else where(abs(stem) > 0 m, 0 m, crown)
across = max(size(input, y), size(input, x))
steps = if reach < inf then min(across, floor(reach / pixel) + 2) else across
relief = urban.relief(ground, crown, stem)`

// names are what a body needs to know of the call besides its arguments.
func (s *scene) names(c *ops.Call) map[string]ops.Value {
	unit := ops.Record{Fields: map[string]ops.Value{}}
	c.Arrays(func(arg string, a ops.Array) {
		if unit.Fields[arg] = ops.Value(ops.Integer(1)); a.Type().Unit.Same(metre) { // whatever length it is in: values are quantities
			unit.Fields[arg] = ops.Quantity(1, "m")
		}
		unit.Names = append(unit.Names, arg)
	})
	return map[string]ops.Value{"unit": unit, "pixel": ops.Quantity(s.pixel, "m"), "reach": ops.Quantity(s.reach, "m"), "share": ops.Number{V: s.trunkShare},
		"trees": ops.Flag(s.canopy != nil), "bushes": ops.Flag(s.bush != nil)}
}

// findRelief sets how far sources may stand above targets.
func (s *scene) findRelief() {
	s.relief = math.Inf(1)
	low, ground, ok := ops.RangeOf(s.in)
	if !ok {
		return
	}
	high := ground
	for _, a := range s.tops {
		_, top, ok := ops.RangeOf(a)
		if !ok {
			return
		}
		if s.relative {
			top += ground
		}
		high = max(high, top)
	}
	s.relief = single(high) - single(low)
}

func (s *scene) limit() limit {
	return limit{rows: s.rows(), columns: s.columns(), relief: s.relief, reach: s.reach}
}

func bindSkyview(c *ops.Call) (ops.Op, error) {
	var p problems
	v := &view{scene: resolveScene(c, &p)}
	n := c.Int("patches")
	if _, ok := divisions[n]; !ok {
		p.add(problem.UnknownChoice, "patches", fmt.Sprintf("one of %v", patchCounts()), "there is no division of the sky into %d patches", n)
	} else {
		v.patches = patches(n)
	}
	v.rays = sync.OnceValue(func() []ray { return v.look(v.trace) })
	v.Known = v.names(c)
	v.Last, v.Exact, v.Void = []string{"y", "x", "byte"}, true, v.noHeights()
	return bound(v, p)
}

// Units are the patches.
func (v *view) Units() int { return len(v.patches) }

// trace gives the rays towards the patches.
func (v *view) trace() []ray {
	var out []ray
	for _, p := range v.patches {
		if v.umep && v.canopy != nil && p.altitude >= zenithAltitude {
			out = append(out, grazing(v.limit()))
			continue
		}
		out = append(out, newRay(p.azimuth, p.altitude, v.pixel, v.limit()))
	}
	return out
}
