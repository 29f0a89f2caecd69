package tiff

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"weft/ops"
	"weft/ops/files/format"
	"weft/ops/problem"
)

// frame is an axis of the map projection of a raster.
type frame struct {
	geo  Geo
	east bool // eastings; otherwise northings
}

func (f *frame) String() string {
	axis, name := "northings", "a system without a name"
	if f.east {
		axis = "eastings"
	}
	switch crs := f.geo.CRS; {
	case crs.EPSG != 0:
		name = fmt.Sprintf("EPSG:%d", crs.EPSG)
	case crs.Citation != "":
		name = crs.Citation
	}
	return axis + " of " + name
}

// Same compares projections, not places.
func (f *frame) Same(other ops.Frame) bool {
	o, ok := other.(*frame)
	return ok && f.east == o.east && f.geo.SameCRS(o.geo)
}

// scale is what a unit of the projection is in SI units.
func scaleOf(crs CRS) float64 {
	switch {
	case crs.Unit.Angular:
		return math.Pi / 180
	case crs.Unit.Metres == 0:
		return 1 // not known: reading warned of it
	}
	return crs.Unit.Metres
}

// lengthOf is a unit of length that a file names; metres where it names none.
func lengthOf(u Unit) ops.Unit {
	for _, name := range []string{"ft", "ftUS"} {
		if known := ops.MustUnit(name); known.SI() == u.Metres {
			return known
		}
	}
	m := ops.MustUnit("m")
	if u.Metres != 0 && u.Metres != 1 {
		return ops.Unit{Symbol: u.Name, Dims: m.Dims, Scale: u.Metres}
	}
	return m
}

// heightUnit is that of heights where a file names another than metres; plain numbers count as those.
func heightUnit(g Geo) ops.Unit {
	if v := g.CRS.Vertical; v.Metres != 0 && v.Metres != 1 {
		return lengthOf(v)
	}
	return ops.Unit{}
}

// problemCodes say which problems of a georeference are errors. Others are warned of.
var problemCodes = map[ProblemKind]string{Rotated: problem.RotatedRaster, Mirrored: problem.RotatedRaster}

// Place gives the rows and columns of a raster the coordinates of their centres.
func (r raster) Place(c *ops.Call, dims []ops.Dim) (warnings, err error) {
	geo := r.Header().Geo
	if n := len(dims); n > 2 {
		across := r.Header().Across
		dims[0].Coords, dims[0].Unit = across.Coords, across.Unit
		dims = dims[n-2:]
	}
	var found []error
	for _, p := range geo.Problems() {
		w := problem.Wrong(problem.UnplacedRaster, "path", p.Help, "%s %s", c.Text("path"), p.Reason)
		if code, bad := problemCodes[p.Kind]; bad {
			w.Code = code
			return nil, w
		}
		if p.Kind == SouthUp || p.Kind == NotSquare || p.Kind == AngularUnit || p.Kind == Unplaced && c.Has("pixel") {
			continue // the coordinates say it, or the call
		}
		w.Warning = true
		found = append(found, w)
	}
	if !geo.Placed {
		return errors.Join(found...), format.PlaceByPixel(c, dims)
	}
	geo.Locate(dims)
	a, scale := geo.Affine, scaleOf(geo.CRS)
	if p := c.Number("pixel"); c.Has("pixel") && (math.Abs(p-math.Abs(a[1])*scale) > 1e-6*p || math.Abs(p-math.Abs(a[5])*scale) > 1e-6*p) {
		return nil, problem.Wrong(problem.ContradictArguments, "pixel", "leave it out", "%s says that its pixels are %g x %g m", c.Text("path"), math.Abs(a[5])*scale, math.Abs(a[1])*scale)
	}
	return errors.Join(found...), nil
}

// Locate gives rows and columns the coordinates of their centres, in the system of g.
func (g Geo) Locate(dims []ops.Dim) {
	scale, unit := scaleOf(g.CRS), lengthOf(g.CRS.Unit)
	if g.CRS.Unit.Angular {
		unit = ops.MustUnit("deg")
	}
	a := g.Affine
	for i, line := range [][2]float64{{a[3], a[5]}, {a[0], a[1]}} {
		d := &dims[i]
		d.Unit, d.Coords = unit, make([]float64, d.Size)
		for k := range d.Coords {
			d.Coords[k] = (line[0] + line[1]*(float64(k)+0.5)) * scale
		}
		if g.CRS.Model != NoModel {
			d.Frame = &frame{g, i == 1}
		}
	}
}

// GeoOf is the place of an array by its coordinates. What is in a map projection keeps all that its file said of it.
func GeoOf(y, x ops.Dim) (Geo, error) {
	north, east := frameOf(y), frameOf(x)
	projected := north != nil && east != nil && north.geo.SameCRS(east.geo)
	scale, dy, dx := 1.0, 0.0, 0.0
	if projected {
		scale, dy, dx = scaleOf(east.geo.CRS), east.geo.Affine[5], east.geo.Affine[1] // of a single row or column
	}
	if !evenly(y) || !evenly(x) || !projected && (!metric(y) || !metric(x)) {
		return Geo{}, nil
	}
	dy, dx = step(y, dy*scale)/scale, step(x, dx*scale)/scale
	if dy == 0 || dx == 0 {
		return Geo{}, nil
	}
	place := Affine{x.Coords[0]/scale - dx/2, dx, 0, y.Coords[0]/scale - dy/2, 0, dy}
	if projected {
		return east.geo.Moved(place), nil
	}
	return NewGeo(place, CRS{})
}

// Axes are the places among dims of those that lie along northings and eastings of a map projection; -1: none does.
func Axes(dims []ops.Dim) (y, x int) {
	axis := func(east bool) int {
		return slices.IndexFunc(dims, func(d ops.Dim) bool { f := frameOf(d); return f != nil && f.east == east })
	}
	return axis(false), axis(true)
}

func frameOf(d ops.Dim) *frame {
	f, _ := d.Frame.(*frame)
	return f
}

// sideways reports whether rows run along what is the easting on the map, or x of dims that are named so.
func sideways(t ops.Type) bool {
	y, x := t.Dims[len(t.Dims)-2], t.Dims[len(t.Dims)-1]
	if f, g := frameOf(y), frameOf(x); f != nil || g != nil {
		return f != nil && f.east || g != nil && !g.east
	}
	return y.Name == "x" && x.Name == "y" && y.Coords != nil && x.Coords != nil && metric(y) && metric(x)
}

func metric(d ops.Dim) bool { return d.Unit.Same(ops.MustUnit("m")) }

// step is the distance of neighbours along a dim; lone is that of a single one.
func step(d ops.Dim, lone float64) float64 {
	if len(d.Coords) < 2 {
		return lone
	}
	s, _ := d.Step(0)
	return s
}

func evenly(d ops.Dim) bool {
	_, uneven := d.Step(1e-3)
	return len(d.Coords) > 0 && uneven < 0
}
