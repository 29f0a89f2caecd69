package netcdf

import (
	"fmt"

	"weft/ops/files/cf"
	"weft/ops/files/element"
	"weft/ops/files/tiff"
	"weft/ops/files/wkt"
)

// attributesAs are attributes as files have them.
func attributesAs(of []wkt.Attribute) (out []attribute) {
	for _, a := range of {
		if a.Text != "" {
			out = append(out, attribute{name: a.Name, text: a.Text})
		} else {
			out = append(out, numbers(a.Name, a.Numbers...))
		}
	}
	return out
}

// mapping adds the variable that says where rows and columns lie, if there is none that says the same, and gives its name.
func (h *head) mapping(geo tiff.Geo, taken map[string]bool) string {
	v := &entry{dtype: element.Int32, bytes: 4, data: make([]byte, 4), attrs: attributesAs(cf.Mapping(geo))}
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
