// Package cf reads where arrays lie and which of their elements are valid, from what files say by the CF conventions (cfconventions.org).
package cf

import (
	"fmt"
	"math"

	"weft/ops/files/fileio"
	"weft/ops/problem"
)

// Variable is an array that tells something of others: its attributes and its elements.
type Variable interface {
	Name() string
	Attribute(name string) (text string, numbers []float64)
	Shape() []int
	Values() ([]float64, error)
}

// Attributes of a grid mapping beyond those of CF, as GDAL has them, and one of the number of the system.
const (
	GeoTransform = "GeoTransform"
	SpatialRef   = "spatial_ref"
	WKT          = "crs_wkt"
	Code         = "epsg_code"
	GridMapping  = "grid_mapping"
)

// Axis is what coordinates on the map are called. An empty unit is that of the coordinates.
type Axis struct{ Standard, Axis, Unit string }

// Axes are those of eastings or northings, in degrees or in lengths.
var Axes = map[[2]bool]Axis{
	{true, false}: {"projection_x_coordinate", "X", ""}, {false, false}: {"projection_y_coordinate", "Y", ""},
	{true, true}: {"longitude", "X", "degrees_east"}, {false, true}: {"latitude", "Y", "degrees_north"},
}

// Attributes of the numbers that are valid: after section 2.5.1 those of elements as they are stored.
const (
	validRange = "valid_range"
	validMin   = "valid_min"
	validMax   = "valid_max"
)

// Valid is the least and the most that elements may be, by attributes as numbers; nil: any. What cannot be applied is told.
func Valid(numbers func(name string) ([]float64, bool)) (*[2]float64, []problem.Problem) {
	at, any := [2]float64{math.Inf(-1), math.Inf(1)}, false
	for _, a := range []struct {
		name string
		to   []int
	}{{validRange, []int{0, 1}}, {validMin, []int{0}}, {validMax, []int{1}}} {
		all, has := numbers(a.name)
		if !has {
			continue
		}
		if any = true; len(all) != len(a.to) {
			return nil, []problem.Problem{problem.Wrong(problem.BadHeader, "path", "", "the attribute %s has %d numbers, and %d are right: all elements are taken for valid", a.name, len(all), len(a.to))}
		}
		for i, k := range a.to {
			if k == 0 {
				at[k] = max(at[k], all[i])
			} else {
				at[k] = min(at[k], all[i])
			}
		}
	}
	switch {
	case math.IsNaN(at[0]) || math.IsNaN(at[1]) || at[0] > at[1]:
		return nil, []problem.Problem{problem.Wrong(problem.BadHeader, "path", "", "elements from %v to %v are said to be valid, and none is: all are taken for it", at[0], at[1])}
	case !any:
		return nil, nil
	}
	return &at, nil
}

// Broken is what is wrong with a file.
func Broken(text string, of ...any) error {
	return &fileio.Error{Kind: fileio.BadHeader, Reason: "is damaged: " + fmt.Sprintf(text, of...), Help: "copy or write the file again"}
}
