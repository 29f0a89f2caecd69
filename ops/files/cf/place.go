package cf

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"weft/ops"
	"weft/ops/files/format"
	"weft/ops/files/tiff"
	"weft/ops/files/units"
	"weft/ops/files/wkt"
	"weft/ops/problem"
)

// Place gives dims the coordinates that variables hold, nil for a dim without, and those on the map the system of a grid mapping, if there is one.
func Place(c *ops.Call, dims []ops.Dim, along []Variable, mapping Variable) (warnings, err error) {
	var found []error
	doubt := func(code, text string, of ...any) {
		w := problem.Wrong(code, "path", "", "%s: "+text, append([]any{c.Text("path")}, of...)...)
		w.Warning = true
		found = append(found, w)
	}
	for i := range dims {
		at := along[i]
		if at == nil {
			continue
		}
		if shape := at.Shape(); len(shape) != 1 || shape[0] != dims[i].Size {
			doubt(problem.BadHeader, "the coordinates of %s are %v of %d: they are left out", dims[i].Name, shape, dims[i].Size)
			continue
		}
		if why, err := locate(at, &dims[i]); err != nil {
			return nil, err
		} else if why != "" {
			doubt(problem.UnknownUnit, "the coordinates of %s %s: they are left out", dims[i].Name, why)
		}
	}
	if mapping != nil {
		if why, err := onMap(mapping, dims, along); err != nil {
			return nil, err
		} else if why != "" {
			doubt(problem.UnplacedRaster, "%s: its coordinates are of no system", why)
		}
	}
	for _, d := range dims {
		if d.Coords != nil {
			return errors.Join(found...), nil
		}
	}
	return errors.Join(found...), format.PlaceByPixel(c, dims)
}

func textOf(v Variable, name string) string {
	text, _ := v.Attribute(name)
	return text
}

// calendars are those of which days follow each other as they do here.
var calendars = map[string]bool{"": true, "standard": true, "gregorian": true, "proleptic_gregorian": true}

// locate gives a dim the coordinates of a variable, or says why it has none: a reason that goes on where its name stops.
func locate(v Variable, d *ops.Dim) (why string, err error) {
	text := textOf(v, "units")
	unit, from, known := units.OfCoordinates(text)
	calendar := strings.ToLower(textOf(v, "calendar"))
	switch {
	case len(text) > longestUnit || !known:
		return fmt.Sprintf("are in %.60q, which is no unit that is known here", text), nil
	case strings.Contains(text, " since ") && !calendars[calendar]:
		return fmt.Sprintf("are days of a calendar %.40q", calendar), nil
	}
	values, err := v.Values()
	if err != nil {
		return "", err
	}
	for i, x := range values {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Sprintf("are missing, the first at %d", i), nil
		}
		values[i] = from + x*unit.SI() + unit.Offset
	}
	d.Coords, d.Unit = values, unit
	return "", nil
}

// onAxis says along which axis of the map a variable lies: X, Y, or neither.
func onAxis(v Variable) string {
	unit, standard := textOf(v, "units"), textOf(v, "standard_name")
	for key, a := range Axes {
		if standard == a.Standard || a.Unit != "" && (unit == a.Unit || unit == strings.TrimSuffix(a.Unit, "s")) || key[1] && strings.EqualFold(v.Name(), a.Standard) {
			return a.Axis
		}
	}
	return strings.ToUpper(textOf(v, "axis"))
}

// near is the part of a pixel by which coordinates and transform may differ and still be the same.
const near = 1e-5

// onMap gives rows and columns their system, as a grid mapping says, or says why they have none.
func onMap(m Variable, dims []ops.Dim, along []Variable) (why string, err error) {
	y, x := -1, -1
	for i, at := range along {
		if at == nil || dims[i].Coords == nil {
			continue
		}
		switch onAxis(at) {
		case "Y":
			y = i
		case "X":
			x = i
		}
	}
	var transform []float64
	for _, word := range strings.Fields(textOf(m, GeoTransform)) {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return "", Broken("the attribute %s of %.60s is %.80q", GeoTransform, m.Name(), textOf(m, GeoTransform))
		}
		transform = append(transform, v)
	}
	if y < 0 || x < 0 {
		return "the dimensions that lie on the map are not told", nil
	}
	if dims[x].Unit.String() == "" && dims[y].Unit.String() == "" { // in that of the system
		unit := unitOf(m)
		for _, i := range []int{y, x} {
			for k := range dims[i].Coords {
				dims[i].Coords[k] *= unit.SI()
			}
			dims[i].Unit = unit
		}
	}
	crs, why := system(m, dims[x].Unit)
	if why != "" {
		return why, nil
	}
	at := []ops.Dim{dims[y], dims[x]}
	place, even := spread(at, crs)
	if !even {
		return "rows or columns are not evenly spaced", nil
	}
	if exact(transform, place, at) {
		place = tiff.Affine(transform)
	} else if at[0].Size == 1 || at[1].Size == 1 {
		return "the size of its pixels is not told", nil
	}
	geo, err := tiff.NewGeo(place, crs)
	if err != nil {
		return "", Broken("%v", err)
	}
	geo.Locate(at)
	dims[y], dims[x] = at[0], at[1]
	return "", nil
}

// wordsOf is the text of a grid mapping and the code of its system; 0: it names none.
func wordsOf(m Variable) (text string, code int) {
	if text = textOf(m, WKT); text == "" {
		text = textOf(m, SpatialRef)
	}
	if code = wkt.Code(text); code == 0 {
		fmt.Sscanf(textOf(m, Code), "EPSG:%d", &code) // without a number it stays 0
	}
	return text, code
}

// unitOf is the unit of the system that a grid mapping names; a plain number where that is not known here.
func unitOf(m Variable) ops.Unit {
	text, code := wordsOf(m)
	if text == "" {
		text = wkt.Of(code)
	}
	name := map[int]string{metreCode: "m", footCode: "ft", surveyFootCode: "ftUS", degreeCode: "deg", 9122: "deg"}[wkt.Unit(text)]
	if name == "" {
		return ops.Unit{}
	}
	return ops.MustUnit(name)
}

// system is what a grid mapping names, with coordinates in a unit.
func system(m Variable, unit ops.Unit) (crs tiff.CRS, why string) {
	text, code := wordsOf(m)
	degrees := ops.MustUnit("deg")
	switch {
	case code <= 0 || code > math.MaxUint16:
		return crs, fmt.Sprintf("%.60s names no system of EPSG", m.Name())
	case unit.Same(degrees) != (wkt.Geographic(text) || text == "" && unit.Same(degrees)):
		return crs, fmt.Sprintf("EPSG:%d has not the coordinates %s", code, format.InUnit(unit))
	}
	crs = tiff.CRS{EPSG: code, Model: tiff.Projected}
	number := metreCode
	switch {
	case unit.Same(degrees):
		crs.Model, number = tiff.Geographic, degreeCode
	case unit.SI() == ops.MustUnit("ft").SI():
		number = footCode
	case unit.SI() == ops.MustUnit("ftUS").SI():
		number = surveyFootCode
	}
	crs.Unit, _ = tiff.UnitOf(number)
	return crs, ""
}

// The codes of units of EPSG.
const (
	metreCode      = 9001
	footCode       = 9002
	surveyFootCode = 9003
	degreeCode     = 9102 // and 9122
)

// spread is the place of rows and columns by their coordinates, in the unit of a system.
func spread(at []ops.Dim, crs tiff.CRS) (place tiff.Affine, even bool) {
	unit := crs.Unit.Metres
	if crs.Unit.Angular {
		unit = ops.MustUnit("deg").SI()
	}
	for i, d := range at {
		step, uneven := d.Step(1e-3)
		if uneven >= 0 {
			return place, false
		}
		step /= unit
		first := d.Coords[0]/unit - step/2
		if i == 0 {
			place[3], place[5] = first, step
		} else {
			place[0], place[1] = first, step
		}
	}
	return place, true
}

// exact reports a transform that says the same as coordinates do: it is not rounded, and tells the size of single rows and columns.
func exact(transform []float64, place tiff.Affine, at []ops.Dim) bool {
	if len(transform) != 6 || transform[2] != 0 || transform[4] != 0 || transform[1] == 0 || transform[5] == 0 {
		return false
	}
	for i, k := range []int{3, 0} { // centres of the first and the last
		step, by := transform[[]int{5, 1}[i]], place[[]int{5, 1}[i]]
		last := float64(at[i].Size - 1)
		first := math.Abs(transform[k]+step/2-(place[k]+by/2)) > near*math.Abs(step)
		if first || math.Abs(transform[k]+step*(last+0.5)-(place[k]+by*(last+0.5))) > near*math.Abs(step) {
			return false
		}
	}
	return true
}

// longestUnit is the length of the longest text that is looked at for a unit.
const longestUnit = 256
