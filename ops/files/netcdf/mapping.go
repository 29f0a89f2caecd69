package netcdf

import (
	"fmt"
	"strconv"
	"strings"

	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/tiff"
	"weft/ops/files/wkt"
)

// axes are what coordinates on the map are called: eastings or northings, in degrees or in lengths. An empty unit is that of the coordinates.
var axes = map[[2]bool]struct{ standard, axis, unit string }{
	{true, false}: {"projection_x_coordinate", "X", ""}, {false, false}: {"projection_y_coordinate", "Y", ""},
	{true, true}: {"longitude", "X", "degrees_east"}, {false, true}: {"latitude", "Y", "degrees_north"},
}

// Attributes of a grid mapping beyond those of CF, as GDAL has them, and one of the number of the system.
const (
	geoTransform = "GeoTransform"
	spatialRef   = "spatial_ref"
	crsWKT       = "crs_wkt"
	epsgCode     = "epsg_code"
)

// placeOf is the place of dims on the map; nil: they are not on one.
func placeOf(dims []ops.Dim) (*tiff.Geo, error) {
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

// wktOf is the text of a system; empty: its numbers are not known here.
func wktOf(crs tiff.CRS) string {
	if crs.Model != tiff.Projected && crs.Model != tiff.Geographic {
		return ""
	}
	return wkt.Of(crs.EPSG)
}

// mapping adds the variable that says where rows and columns lie, if there is none that says the same, and gives its name.
func (h *head) mapping(geo tiff.Geo, taken map[string]bool) string {
	v := &entry{dtype: element.Int32, bytes: 4, data: make([]byte, 4)}
	if code := geo.CRS.EPSG; code != 0 {
		for _, a := range wkt.Mapping(code) {
			if a.Text != "" {
				v.attrs = append(v.attrs, attribute{name: a.Name, text: a.Text})
			} else {
				v.attrs = append(v.attrs, numbers(a.Name, a.Numbers...))
			}
		}
		v.attrs = append(v.attrs, attribute{name: epsgCode, text: fmt.Sprintf("EPSG:%d", code)})
	}
	if text := wktOf(geo.CRS); text != "" {
		v.attrs = append(v.attrs, attribute{name: crsWKT, text: text}, attribute{name: spatialRef, text: text})
	}
	if a := geo.Affine; a[5] < 0 { // otherwise GDAL turns rows round, and takes their place from the coordinates
		var all []string
		for _, n := range a {
			all = append(all, strconv.FormatFloat(n, 'g', -1, 64))
		}
		v.attrs = append(v.attrs, attribute{name: geoTransform, text: strings.Join(all, " ")})
	}
	for _, other := range h.vars {
		if other.dtype == element.Int32 && len(other.dims) == 0 && fmt.Sprint(other.attrs) == fmt.Sprint(v.attrs) {
			return other.name
		}
	}
	for v.name = "crs"; taken[v.name]; {
		v.name += "_"
	}
	taken[v.name] = true
	h.vars = append(h.vars, v)
	return v.name
}
