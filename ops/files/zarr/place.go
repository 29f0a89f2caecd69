package zarr

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"sync"

	"weft/ops"
	"weft/ops/files/cf"
	"weft/ops/files/tiff"
	"weft/ops/files/wkt"
	"weft/ops/problem"
)

// Attributes by which rows and columns lie on the map: the system as GDAL's driver for Zarr has it, and as the conventions proj and spatial of
// zarr-conventions do, with the place of the pixels by the latter. The unit of the system is an attribute of ours, for codes that are not known here.
const (
	crsName       = "_CRS"
	codeName      = "proj:code"
	spatialDims   = "spatial:dimensions"
	transformName = "spatial:transform"
	unitName      = "crs_unit"
	conventions   = "zarr_conventions"
)

// urlOf is what GDAL takes for a system of EPSG.
const urlOf = "http://www.opengis.net/def/crs/EPSG/0/"

// usedConventions are those that are named in a store.
var usedConventions = []map[string]string{
	{"uuid": "f17cb550-5864-4468-aeb7-f3180cfb622f", "name": "proj"}, {"uuid": "689b58e2-cf7b-45e0-9fff-9cfc0883d6b4", "name": "spatial"},
}

// put notes a value.
func (a attributes) put(name string, value any) {
	raw, err := json.Marshal(value)
	if err != nil {
		panic("zarr: what is noted is always JSON: " + err.Error())
	}
	a[name] = raw
}

// all notes what the CF conventions have.
func (a attributes) all(of []wkt.Attribute) {
	for _, one := range of {
		switch {
		case one.Text != "":
			a.set(one.Name, one.Text)
		case len(one.Numbers) == 1:
			a.put(one.Name, one.Numbers[0])
		default:
			a.put(one.Name, one.Numbers)
		}
	}
}

// mapped reports whether the last two dims may lie on the map: lengths in space are no places there.
func mapped(dims []ops.Dim) bool {
	n := len(dims)
	return n > 1 && dims[n-2].Frame != nil && dims[n-1].Frame != nil
}

// place notes where rows and columns lie, if the last two dims are those of a map projection.
func (a attributes) place(dims []ops.Dim) (*tiff.Geo, error) {
	if !mapped(dims) {
		return nil, nil
	}
	n := len(dims)
	y, x := dims[n-2], dims[n-1]
	geo, err := tiff.GeoOf(y, x)
	if err != nil || !geo.Placed {
		return nil, err
	}
	g := geo.Affine
	a.put(spatialDims, []string{y.Name, x.Name})
	a.put(transformName, []float64{g[1], g[2], g[0], g[4], g[5], g[3]})
	a.put(conventions, usedConventions)
	if code := geo.CRS.EPSG; code != 0 {
		a.put(crsName, map[string]string{"url": urlOf + strconv.Itoa(code)})
		a.put(codeName, "EPSG:"+strconv.Itoa(code))
		if _, known := tiff.UnitOf(geo.CRS.Unit.Code); known {
			a.put(unitName, geo.CRS.Unit.Code)
		}
	}
	return &geo, nil
}

var ofURL = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`/EPSG/[0-9.]+/([0-9]+)$`) })

// system is the code of the system that attributes name; 0: none that is known.
func (a attributes) system() int {
	var crs struct{ URL, WKT string }
	text, _ := a.text(codeName)
	var code int
	if _, err := fmt.Sscanf(text, "EPSG:%d", &code); err == nil {
		return code
	}
	if json.Unmarshal(a[crsName], &crs) != nil {
		return 0
	}
	if found := ofURL().FindStringSubmatch(crs.URL); found != nil {
		code, _ = strconv.Atoi(found[1]) // a number too long is none
		return code
	}
	return wkt.Code(crs.WKT)
}

// located reads where rows and columns lie.
func (d *description) located(l *layout) error {
	var at []float64
	var names []string
	n := len(d.Names)
	if json.Unmarshal(d.Attributes[transformName], &at) != nil || len(at) != 6 || n < 2 {
		return nil
	}
	if json.Unmarshal(d.Attributes[spatialDims], &names) != nil || len(names) != 2 || d.Names[n-2] == nil || d.Names[n-1] == nil || *d.Names[n-2] != names[0] || *d.Names[n-1] != names[1] {
		return nil // of dims in another order
	}
	crs := tiff.CRS{EPSG: d.Attributes.system()}
	if crs.EPSG != 0 {
		crs.Model = tiff.Projected
		code, err := d.Attributes.number(unitName, float64(wkt.Unit(wkt.Of(crs.EPSG))))
		if err != nil {
			return err
		}
		unit, known := tiff.UnitOf(int(code))
		if crs.Unit = unit; unit.Angular {
			crs.Model = tiff.Geographic
		}
		if !known {
			crs = tiff.CRS{}
			l.doubts = append(l.doubts, problem.Wrong(problem.UnplacedRaster, "path", "", "the unit of its system of coordinates is not told (%s): coordinates are taken for metres of no system", unitName))
		}
	}
	geo, err := tiff.NewGeo(tiff.Affine{at[2], at[0], at[1], at[5], at[3], at[4]}, crs)
	if err != nil {
		return broken("%v", err)
	}
	if geo.Rotated() {
		l.doubts = append(l.doubts, problem.Wrong(problem.UnplacedRaster, "path", "", "its rows and columns lean (%s): they get no coordinates", transformName))
		return nil
	}
	l.geo = &geo
	return nil
}

// Place gives rows and columns their coordinates.
func (a *array) Place(c *ops.Call, dims []ops.Dim) (warnings, err error) {
	along, mapping := make([]cf.Variable, len(dims)), a.mapping
	copy(along, a.along)
	placed := a.geo != nil && !c.Has("pixel")
	if placed {
		along[len(dims)-2], along[len(dims)-1], mapping = nil, nil, nil
		a.geo.Locate(dims[len(dims)-2:])
	}
	return cf.Place(c, dims, along, mapping)
}
