package wkt

import (
	"slices"
	"strings"
	"testing"
)

// Every text has brackets that close, ends in its code, and has a unit; what CF calls it has a value for each of its attributes.
func TestSystems(t *testing.T) {
	if n := len(systems()); n < 6000 {
		t.Errorf("%d systems", n)
	}
	mapped := 0
	for code := range systems() {
		text := Of(code)
		if strings.Count(text, "[") != strings.Count(text, "]") || Code(text) != code || strings.Contains(text, "[,") || Unit(text) == 0 || Geographic(text) == strings.HasPrefix(text, "PROJCS[") {
			t.Errorf("%d: %d, %s", code, Code(text), text)
		}
		of := Mapping(code)
		for i, a := range of {
			if a.Name == "" || (a.Text != "") != (i == 0) || (len(a.Numbers) > 0) != (i > 0) || a.Name == parallel && len(a.Numbers) != 2 {
				t.Errorf("%d: %v", code, of)
			}
		}
		if of != nil {
			mapped++
		}
	}
	if mapped < 5000 {
		t.Errorf("%d have a mapping of CF", mapped)
	}
	if Of(1) != "" || Mapping(1) != nil || Code("PROJCS[]") != 0 || Code(`LOCAL["x",ID["EPSG",99999999999999999999999]]`) != 0 || Code(`PROJCRS["x",BASE[ID["EPSG",4326]],UNIT["metre",1]]`) != 0 {
		t.Error("systems that are none")
	}
	for text, want := range map[string]int{Of(2263): 9003, Of(4326): 9122, `LENGTHUNIT["metre",1,ID["EPSG",9001]]`: 9001, "PROJCS[]": 0, `UNIT["a",1,ID["EPSG",99999999999999999999999]]`: 0} {
		if got := Unit(text); got != want {
			t.Errorf("the unit of %.40s is %d, want %d", text, got, want)
		}
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
