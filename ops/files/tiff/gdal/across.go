package gdal

import (
	"fmt"
	"strconv"
	"strings"

	"weft/ops"
	"weft/ops/files/format"
	"weft/ops/files/units"
)

// Across is the dimension that bands lie along. Files say it as GDAL does of those that come from netCDF, so that it finds an axis of time there: the
// name in NETCDF_DIM_EXTRA, coordinates in NETCDF_DIM_time_VALUES, their unit in time#units. Each band has its place as a description besides.
type Across struct {
	Name   string    // empty: the file does not say
	Coords []float64 // in SI units, if it says
	Unit   ops.Unit
}

const (
	extraDims = "NETCDF_DIM_EXTRA"
	ofDim     = "NETCDF_DIM_"
	ofDouble  = 6 // the number of the type in netCDF
)

// Across finds the dimension of so many bands.
func (m Metadata) Across(bands int) (a Across) {
	said := map[string]string{}
	for _, item := range m.Items {
		if item.Sample == "" {
			said[item.Name] = strings.Trim(strings.TrimSpace(item.Text), "{}")
		}
	}
	a.Name = said[extraDims]
	if !format.IsDimName(a.Name) || a.Name == "y" || a.Name == "x" { // of several dimensions the bands are no longer told apart
		return Across{}
	}
	texts := strings.Split(said[ofDim+a.Name+"_VALUES"], ",")
	if len(texts) != bands {
		return a
	}
	unit, from, known := units.OfCoordinates(said[a.Name+"#units"])
	for _, text := range texts {
		v, err := Number(text)
		if err != nil || !known {
			return Across{Name: a.Name}
		}
		a.Coords = append(a.Coords, from+v*unit.SI()+unit.Offset)
	}
	a.Unit = unit
	return a
}

// items are what a file says of the dimension.
func (a Across) items() []Item {
	if a.Name == "" {
		return nil
	}
	out := []Item{{Name: extraDims, Text: "{" + a.Name + "}"}}
	if a.Coords == nil {
		return out
	}
	d := ops.Dim{Name: a.Name, Size: len(a.Coords), Coords: a.Coords, Unit: a.Unit}
	numbers, unit := units.Coordinates(d)
	texts := make([]string, len(numbers))
	for i, v := range numbers {
		texts[i] = strconv.FormatFloat(v, 'g', -1, 64)
	}
	out = append(out,
		Item{Name: ofDim + a.Name + "_DEF", Text: fmt.Sprintf("{%d,%d}", len(texts), ofDouble)},
		Item{Name: ofDim + a.Name + "_VALUES", Text: "{" + strings.Join(texts, ",") + "}"})
	if unit != "" {
		out = append(out, Item{Name: a.Name + "#units", Text: unit})
	}
	for i := range texts {
		band := strconv.Itoa(i)
		out = append(out, Item{Name: ofDim + a.Name, Sample: band, Text: texts[i]},
			Item{Name: "DESCRIPTION", Sample: band, Role: "description", Text: units.Place(d, i)})
	}
	return out
}
