// Package epw reads files of weather hour by hour as simulations of buildings take it: EnergyPlus weather files.
package epw

import (
	"os"

	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/format"
	"weft/ops/files/tile"
	"weft/ops/files/words"
)

// Weather is the format of EPW files.
var Weather = &format.Format{
	Name: "EPW", Endings: []string{".epw"}, Choices: []string{"member"}, Open: open, List: list,
	Reads: "An EPW file gives a record over time of `air` and `dew_point` (degC), `humidity` (of 0 to 1), `pressure` (Pa), radiation, the means of the hours that end then: `global`, `direct` (upright to the rays), `diffuse` and " +
		"`infrared` from the sky (W/m^2), `wind` (m/s) and `wind_direction` (deg), NaN where the file says that nothing is known, and of where that is: `latitude`, `longitude` (deg), `zone`, how far clocks are ahead of " +
		"UTC (h), and `elevation` (m). Coordinates of time are since the beginning of 1970 in UTC; months of several years, as typical years have them, follow each other in the year of the first, or in the one before it where the file has no 29 February of that.",
}

// latest is the file that was read last.
var latest fileio.Latest[weather]

func weatherOf(path string) (*weather, error) {
	return latest.Open(path, func(f *os.File, _ int64) (*weather, error) { return parse(f) })
}

func list(path string, _ format.Choice) ([]format.Part, error) {
	if _, err := weatherOf(path); err != nil {
		return nil, err
	}
	var parts []format.Part
	for _, q := range quantities {
		parts = append(parts, format.Part{Name: q.name, Dims: []string{"time"}})
	}
	for _, p := range place {
		parts = append(parts, format.Part{Name: p.name})
	}
	return parts, nil
}

// array is a quantity at all times, or one of the place.
type array struct {
	tile.Memory
	of   *weather
	unit ops.Unit
}

func open(path string, c format.Choice) (format.Input, error) {
	w, err := weatherOf(path)
	if err != nil {
		return nil, err
	}
	name := c["member"]
	var known []string
	for i, q := range quantities {
		if known = append(known, q.name); q.name == name {
			return w.array(path, []int{len(w.times)}, w.values[i], q.unit)
		}
	}
	for i, p := range place {
		if known = append(known, p.name); p.name == name {
			return w.array(path, nil, w.place[i:i+1], p.unit)
		}
	}
	return nil, &fileio.Error{Path: path, Kind: fileio.NoMember, Reason: "holds no quantity " + name, Known: known}
}

func (w *weather) array(path string, shape []int, values []float64, unit string) (format.Input, error) {
	raw := func() ([]byte, error) { return words.Raw(values), nil }
	return &array{Memory: tile.Memory{Path: path, Shape: shape, DType: element.Float64, Raw: raw}, of: w, unit: ops.MustUnit(unit)}, nil
}

// About is what is known of the array.
func (a *array) About() format.About {
	about := format.About{DType: a.DType, Shape: a.Shape, Names: []string{}, Unit: a.unit, NaNIsMissing: true, Band: 1}
	if len(a.Shape) > 0 {
		about.Names, about.Band = []string{"time"}, a.Shape[0]
	}
	return about
}

// Place gives the times.
func (a *array) Place(_ *ops.Call, dims []ops.Dim) (warnings, err error) {
	if len(dims) > 0 {
		dims[0].Unit, dims[0].Coords = ops.MustUnit("h"), a.of.times
	}
	return nil, nil
}

// Close ends reading.
func (a *array) Close() error { return nil }
