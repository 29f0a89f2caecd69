package netcdf

import (
	"fmt"
	"strconv"
	"strings"

	"weft/ops"
	"weft/ops/files/cf"
	"weft/ops/files/element"
	"weft/ops/files/tiff"
	"weft/ops/files/wkt"
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
		v.attrs = append(v.attrs, attribute{name: cf.Code, text: fmt.Sprintf("EPSG:%d", code)})
	}
	if text := wktOf(geo.CRS); text != "" {
		v.attrs = append(v.attrs, attribute{name: cf.WKT, text: text}, attribute{name: cf.SpatialRef, text: text})
	}
	if a := geo.Affine; a[5] < 0 { // otherwise GDAL turns rows round, and takes their place from the coordinates
		var all []string
		for _, n := range a {
			all = append(all, strconv.FormatFloat(n, 'g', -1, 64))
		}
		v.attrs = append(v.attrs, attribute{name: cf.GeoTransform, text: strings.Join(all, " ")})
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
