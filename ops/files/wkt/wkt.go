// Package wkt says what systems of coordinates are, in the words that other programs read: well-known text (WKT) as GDAL writes it, and the attributes of grid
// mappings of the CF conventions (appendix F, cfconventions.org).
package wkt

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
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

// packed is what is known of systems, as tools/epsg writes it: after the EPSG Geodetic Parameter Dataset, whose owner is IOGP (epsg.org), by the database of PROJ.
//
//go:embed epsg.txt.gz
var packed []byte

// systems are the texts by their codes; in those of maps, # and a code are the system of longitude and latitude.
var systems = sync.OnceValue(func() map[int]string {
	from, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		panic("wkt: the systems of EPSG: " + err.Error())
	}
	all, err := io.ReadAll(from)
	if err != nil {
		panic("wkt: the systems of EPSG: " + err.Error())
	}
	out := map[int]string{}
	for line := range strings.Lines(string(all)) {
		number, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		code, err := strconv.Atoi(number)
		if err != nil {
			panic("wkt: the systems of EPSG: " + err.Error())
		}
		out[code] = text
	}
	return out
})

// Of is the text of a system of EPSG; empty: it is none that such a text can say.
func Of(code int) string {
	text := systems()[code]
	before, after, of := strings.Cut(text, "#")
	if !of {
		return text
	}
	end := strings.IndexByte(after, ',')
	base, err := strconv.Atoi(after[:max(end, 0)])
	if err != nil { // a name that has the sign
		return text
	}
	return before + systems()[base] + after[end:]
}

// method is what CF calls a way to project and its parameters.
type method struct {
	cf    string
	names map[string]string
}

// parallel is the attribute that holds both standard parallels.
const parallel = "standard_parallel"

// with adds the parameters that all ways have.
func with(names map[string]string) map[string]string {
	names["false_easting"], names["false_northing"] = "false_easting", "false_northing"
	return names
}

var methods = map[string]method{
	"Transverse_Mercator": {"transverse_mercator", with(map[string]string{"latitude_of_origin": "latitude_of_projection_origin", "central_meridian": "longitude_of_central_meridian",
		"scale_factor": "scale_factor_at_central_meridian"})},
	"Lambert_Conformal_Conic_2SP": {"lambert_conformal_conic", with(map[string]string{"latitude_of_origin": "latitude_of_projection_origin", "central_meridian": "longitude_of_central_meridian",
		"standard_parallel_1": parallel, "standard_parallel_2": parallel})},
	"Albers_Conic_Equal_Area": {"albers_conical_equal_area", with(map[string]string{"latitude_of_center": "latitude_of_projection_origin", "longitude_of_center": "longitude_of_central_meridian",
		"standard_parallel_1": parallel, "standard_parallel_2": parallel})},
	"Lambert_Azimuthal_Equal_Area": {"lambert_azimuthal_equal_area", with(map[string]string{"latitude_of_center": "latitude_of_projection_origin", "longitude_of_center": "longitude_of_projection_origin"})},
}

var (
	projections = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`,PROJECTION\["([^"]*)"`) })
	parameters  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`,PARAMETER\["([^"]*)",([^]]*)\]`) })
	bodies      = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`SPHEROID\["[^"]*",([0-9.]+),([0-9.]+)[],].*PRIMEM\["[^"]*",([-0-9.]+)[],].*?UNIT\["([^"]*)"`)
	})
)

// Mapping are the attributes of the grid mapping of a system of EPSG, beside its text; none where CF has no such mapping.
func Mapping(code int) (out []Attribute) {
	text := Of(code)
	body := bodies().FindStringSubmatch(text)
	if body == nil || body[4] != "degree" { // CF has parameters in no other unit
		return nil
	}
	number := func(text string) float64 {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			panic("wkt: a number of EPSG: " + err.Error())
		}
		return v
	}
	out = []Attribute{{Name: "grid_mapping_name", Text: "latitude_longitude"}}
	if way := projections().FindStringSubmatch(text); way != nil {
		m, known := methods[way[1]]
		if !known {
			return nil
		}
		out[0].Text = m.cf
		for _, p := range parameters().FindAllStringSubmatch(text, -1) {
			name, v := m.names[p[1]], number(p[2])
			if last := len(out) - 1; out[last].Name == name {
				out[last].Numbers = append(out[last].Numbers, v)
				continue
			}
			out = append(out, Attribute{Name: name, Numbers: []float64{v}})
		}
	}
	return append(out, Attribute{Name: "longitude_of_prime_meridian", Numbers: []float64{number(body[3])}}, Attribute{Name: "semi_major_axis", Numbers: []float64{number(body[1])}},
		Attribute{Name: "inverse_flattening", Numbers: []float64{number(body[2])}})
}

var units = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:UNIT|LENGTHUNIT|ANGLEUNIT)\["[^"]*",\s*[-+0-9.eE]+,\s*(?:AUTHORITY|ID)\["EPSG",\s*"?([0-9]+)"?\]\]`)
})

// Unit is the code of the unit that coordinates of a system are in: the last one that its text names; 0: it names none.
func Unit(text string) int {
	found := units().FindAllStringSubmatch(text, -1)
	if found == nil {
		return 0
	}
	code, err := strconv.Atoi(found[len(found)-1][1])
	if err != nil { // too long for one
		return 0
	}
	return code
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
