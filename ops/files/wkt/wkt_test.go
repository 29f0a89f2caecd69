package wkt

import (
	"slices"
	"strings"
	"testing"
)

// Every row has as many numbers as its method has parameters, of a system and a unit that are known, and a text whose brackets close and that ends in its code.
func TestSystems(t *testing.T) {
	all := []int{}
	for code := range systems {
		all = append(all, code)
	}
	for code := range geographics {
		all = append(all, code)
	}
	for _, f := range families {
		all = append(all, f.from, f.from+f.zones-1)
	}
	slices.Sort(all)
	for _, code := range all {
		if s, is := projected(code); is {
			m := methods[s.method]
			if n := len(strings.Fields(s.numbers)); n != len(m.parameters) || m.cf != "" && n != len(m.names) || geographics[s.of].name == "" || metres[s.unit] == "" {
				t.Errorf("%d: %v", code, s)
			}
		}
		text := Of(code)
		if strings.Count(text, "[") != strings.Count(text, "]") || Code(text) != code || strings.Contains(text, "[,") || strings.Contains(text, "%!") {
			t.Errorf("%d: %d, %s", code, Code(text), text)
		}
		if _, geographic := geographics[code]; Geographic(text) != geographic {
			t.Errorf("%d is geographic: %v", code, !geographic)
		}
	}
	if Of(1) != "" || Mapping(1) != nil || Code("PROJCS[]") != 0 || Code(`LOCAL["x",ID["EPSG",99999999999999999999999]]`) != 0 || Code(`PROJCRS["x",BASE[ID["EPSG",4326]],UNIT["metre",1]]`) != 0 {
		t.Error("systems that are none")
	}
}

// The texts are those of GDAL 3.10, letter by letter, and the attributes those of CF.
func TestText(t *testing.T) {
	const want = `PROJCS["ETRS89 / UTM zone 32N",GEOGCS["ETRS89",DATUM["European_Terrestrial_Reference_System_1989",SPHEROID["GRS 1980",6378137,298.257222101,AUTHORITY["EPSG","7019"]],AUTHORITY["EPSG","6258"]],` +
		`PRIMEM["Greenwich",0,AUTHORITY["EPSG","8901"]],UNIT["degree",0.0174532925199433,AUTHORITY["EPSG","9122"]],AUTHORITY["EPSG","4258"]],PROJECTION["Transverse_Mercator"],PARAMETER["latitude_of_origin",0],` +
		`PARAMETER["central_meridian",9],PARAMETER["scale_factor",0.9996],PARAMETER["false_easting",500000],PARAMETER["false_northing",0],UNIT["metre",1,AUTHORITY["EPSG","9001"]],AXIS["Easting",EAST],AXIS["Northing",NORTH],AUTHORITY["EPSG","25832"]]`
	if got := Of(25832); got != want {
		t.Errorf("%s", got)
	}
	got := Mapping(2154)
	if len(got) != 9 || got[0].Text != "lambert_conformal_conic" || got[3].Name != "standard_parallel" || !slices.Equal(got[3].Numbers, []float64{49, 44}) || got[8].Numbers[0] != 298.257222101 {
		t.Errorf("%v", got)
	}
	if Mapping(2056) != nil || Mapping(4326)[0].Text != "latitude_longitude" {
		t.Errorf("%v, %v", Mapping(2056), Mapping(4326))
	}
}
