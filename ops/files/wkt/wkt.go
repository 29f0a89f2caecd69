// Package wkt says what systems of coordinates are, in the words that other programs read: well-known text (WKT) as GDAL writes it, and the attributes of grid
// mappings of the CF conventions (appendix F, cfconventions.org).
package wkt

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Attribute is one of a grid mapping: a text, or numbers.
type Attribute struct {
	Name    string
	Text    string
	Numbers []float64
}

// method is a way to project: the names of its parameters in the text, in the order of the tables here, and what CF calls it and them; empty: nothing that CF has.
type method struct {
	parameters []string
	cf         string
	names      []string
}

var methods = map[string]method{
	"Transverse_Mercator": {[]string{"latitude_of_origin", "central_meridian", "scale_factor", "false_easting", "false_northing"},
		"transverse_mercator", []string{"latitude_of_projection_origin", "longitude_of_central_meridian", "scale_factor_at_central_meridian", "false_easting", "false_northing"}},
	"Lambert_Conformal_Conic_2SP": {[]string{"latitude_of_origin", "central_meridian", "standard_parallel_1", "standard_parallel_2", "false_easting", "false_northing"},
		"lambert_conformal_conic", []string{"latitude_of_projection_origin", "longitude_of_central_meridian", parallel, parallel, "false_easting", "false_northing"}},
	"Albers_Conic_Equal_Area": {[]string{"latitude_of_center", "longitude_of_center", "standard_parallel_1", "standard_parallel_2", "false_easting", "false_northing"},
		"albers_conical_equal_area", []string{"latitude_of_projection_origin", "longitude_of_central_meridian", parallel, parallel, "false_easting", "false_northing"}},
	"Lambert_Azimuthal_Equal_Area": {[]string{"latitude_of_center", "longitude_of_center", "false_easting", "false_northing"},
		"lambert_azimuthal_equal_area", []string{"latitude_of_projection_origin", "longitude_of_projection_origin", "false_easting", "false_northing"}},
	"Polar_Stereographic":                    {parameters: []string{"latitude_of_origin", "central_meridian", "false_easting", "false_northing"}},
	"Oblique_Stereographic":                  {parameters: []string{"latitude_of_origin", "central_meridian", "scale_factor", "false_easting", "false_northing"}},
	"Hotine_Oblique_Mercator_Azimuth_Center": {parameters: []string{"latitude_of_center", "longitude_of_center", "azimuth", "rectified_grid_angle", "scale_factor", "false_easting", "false_northing"}},
	"Mercator_1SP":                           {parameters: []string{"central_meridian", "scale_factor", "false_easting", "false_northing"}},
}

// parallel is the attribute that holds both standard parallels.
const parallel = "standard_parallel"

// system is a map projection: its numbers are those of the method, in the digits of the text.
type system struct {
	name      string
	of        int // the geographic system that is projected
	method    string
	numbers   string
	unit      int
	order     order
	extension string
}

// order is that of coordinates, as EPSG has it.
type order int

const (
	unsaid order = iota // around a pole
	eastFirst
	northFirst
)

var orders = map[order]string{eastFirst: `AXIS["Easting",EAST],AXIS["Northing",NORTH],`, northFirst: `AXIS["Northing",NORTH],AXIS["Easting",EAST],`}

// geographic is a system of longitude and latitude.
type geographic struct {
	name, datum string
	datumCode   int
	spheroid    string
}

// family is a run of codes of zones six degrees wide.
type family struct {
	from, zone, zones int
	name, suffix      string
	of                int
	northing          string
}

// projected is the system of a code.
func projected(code int) (system, bool) {
	for _, f := range families {
		if i := code - f.from; i >= 0 && i < f.zones {
			zone := f.zone + i
			return system{name: fmt.Sprintf("%s zone %d%s", f.name, zone, f.suffix), of: f.of, method: "Transverse_Mercator",
				numbers: fmt.Sprintf("0 %d 0.9996 500000 %s", 6*zone-183, f.northing), unit: 9001, order: eastFirst}, true
		}
	}
	s, known := systems[code]
	return s, known
}

func authority(code int) string { return fmt.Sprintf(`AUTHORITY["EPSG","%d"]`, code) }

// metres are the lengths of units, as the text has them.
var metres = map[int]string{9001: `"metre",1`, 9003: `"US survey foot",0.304800609601219`}

func (g geographic) text(code int) string {
	s := spheroids[g.spheroid]
	return fmt.Sprintf(`GEOGCS["%s",DATUM["%s",SPHEROID["%s",%s,%s],%s],PRIMEM["Greenwich",0,%s],UNIT["degree",0.0174532925199433,%s],%s]`,
		g.name, g.datum, g.spheroid, s.axes, authority(s.code), authority(g.datumCode), authority(8901), authority(9122), authority(code))
}

// Of is the text of a system of EPSG; empty: it is none that is known here.
func Of(code int) string {
	if g, known := geographics[code]; known {
		return g.text(code)
	}
	s, known := projected(code)
	if !known {
		return ""
	}
	var out strings.Builder
	fmt.Fprintf(&out, `PROJCS["%s",%s,PROJECTION["%s"],`, s.name, geographics[s.of].text(s.of), s.method)
	for i, v := range strings.Fields(s.numbers) {
		fmt.Fprintf(&out, `PARAMETER["%s",%s],`, methods[s.method].parameters[i], v)
	}
	fmt.Fprintf(&out, `UNIT[%s,%s],`, metres[s.unit], authority(s.unit))
	out.WriteString(orders[s.order])
	if s.extension != "" {
		fmt.Fprintf(&out, `EXTENSION["PROJ4","%s"],`, s.extension)
	}
	return out.String() + authority(code) + "]"
}

// Mapping are the attributes of the grid mapping of a system of EPSG, beside its text; none where CF has no such mapping.
func Mapping(code int) (out []Attribute) {
	of := code
	if s, known := projected(code); known {
		m := methods[s.method]
		if m.cf == "" {
			return nil
		}
		of, out = s.of, append(out, Attribute{Name: "grid_mapping_name", Text: m.cf})
		for i, text := range strings.Fields(s.numbers) {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil {
				panic("wkt: the numbers of " + s.name + ": " + err.Error())
			}
			if last := len(out) - 1; out[last].Name == m.names[i] {
				out[last].Numbers = append(out[last].Numbers, v)
				continue
			}
			out = append(out, Attribute{Name: m.names[i], Numbers: []float64{v}})
		}
	} else {
		out = append(out, Attribute{Name: "grid_mapping_name", Text: "latitude_longitude"})
	}
	g, known := geographics[of]
	if !known {
		return nil
	}
	var a, inverse float64
	if _, err := fmt.Sscanf(spheroids[g.spheroid].axes, "%g,%g", &a, &inverse); err != nil {
		panic("wkt: the axes of " + g.spheroid + ": " + err.Error())
	}
	return append(out, Attribute{Name: "longitude_of_prime_meridian", Numbers: []float64{0}}, Attribute{Name: "semi_major_axis", Numbers: []float64{a}}, Attribute{Name: "inverse_flattening", Numbers: []float64{inverse}})
}

var codes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:AUTHORITY|ID)\["EPSG",\s*"?([0-9]+)"?\]\s*\]\s*$`)
})

// Code is the number of EPSG that a text ends with; 0: none.
func Code(text string) int {
	found := codes().FindStringSubmatch(text)
	if found == nil {
		return 0
	}
	code, err := strconv.Atoi(found[1])
	if err != nil { // too long for one
		return 0
	}
	return code
}

// Geographic reports a text of longitude and latitude.
func Geographic(text string) bool {
	for _, word := range []string{"GEOGCS[", "GEOGCRS[", "GEODCRS[", "GEODETICCRS[", "GEOGRAPHICCRS["} {
		if strings.HasPrefix(strings.TrimSpace(text), word) {
			return true
		}
	}
	return false
}
