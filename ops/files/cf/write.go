package cf

import (
	"fmt"
	"strconv"
	"strings"

	"weft/ops"
	"weft/ops/files/format"
	"weft/ops/files/tiff"
	"weft/ops/files/units"
	"weft/ops/files/wkt"
)

// PlaceOf is the place of dims on the map; nil: they are not on one.
func PlaceOf(dims []ops.Dim) (*tiff.Geo, error) {
	y, x := tiff.Axes(dims)
	if y < 0 || x < 0 {
		return nil, nil
	}
	geo, err := tiff.GeoOf(dims[y], dims[x])
	if err != nil || !geo.Placed {
		return nil, err
	}
	return &geo, nil
}

// TextOf is the text of a system; empty: its numbers are not known here.
func TextOf(crs tiff.CRS) string {
	if crs.Model != tiff.Projected && crs.Model != tiff.Geographic {
		return ""
	}
	return wkt.Of(crs.EPSG)
}

// Mapping are the attributes of the grid mapping of rows and columns.
func Mapping(geo tiff.Geo) (out []wkt.Attribute) {
	say := func(name, text string) { out = append(out, wkt.Attribute{Name: name, Text: text}) }
	if code := geo.CRS.EPSG; code != 0 {
		out = append(out, wkt.Mapping(code)...)
		say(Code, fmt.Sprintf("EPSG:%d", code))
	}
	if text := TextOf(geo.CRS); text != "" {
		say(WKT, text)
		say(SpatialRef, text)
	}
	if a := geo.Affine; a[5] < 0 { // otherwise GDAL turns rows round, and takes their place from the coordinates
		var all []string
		for _, n := range a {
			all = append(all, strconv.FormatFloat(n, 'g', -1, 64))
		}
		say(GeoTransform, strings.Join(all, " "))
	}
	return out
}

// Coordinates are those of a dim as files have them, with their attributes.
func Coordinates(d ops.Dim) (values []float64, out []wkt.Attribute) {
	say := func(name, text string) { out = append(out, wkt.Attribute{Name: name, Text: text}) }
	values, unit := units.Coordinates(d)
	if units.Instants(d) {
		say("units", unit)
		say("standard_name", "time")
		say("calendar", "standard")
		say("axis", "T")
		return values, out
	}
	unit = units.CF(d.Unit)
	if y, x := tiff.Axes([]ops.Dim{d}); y == 0 || x == 0 {
		kind := Axes[[2]bool{x == 0, d.Unit.Same(ops.MustUnit("deg"))}]
		if kind.Unit != "" {
			unit = kind.Unit
		}
		say("standard_name", kind.Standard)
		say("axis", kind.Axis)
	}
	say("units", unit)
	return values, out
}

// NameOf is that of an array that is alone in its file, of at most so many bytes.
func NameOf(o format.Order, most int) string {
	name := "data"
	if a, is := o.Call.Array("array"); is && format.IsDimName(a.Label()) && len(a.Label()) <= most {
		name = a.Label()
	}
	for o.Type.Dim(name) >= 0 { // which would be its coordinates
		name += "_"
	}
	return name
}
