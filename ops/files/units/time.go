package units

import (
	"strconv"
	"strings"
	"time"

	"weft/ops"
	"weft/ops/files/format"
)

// since parts a unit of times from the instant they count from, in the units of CF: hours since 1970-01-01.
const since = " since "

// epoch is the instant that times count from here.
const epoch = "seconds since 1970-01-01 00:00:00"

// dates are how people write instants; zones and parts of seconds may follow.
var dates = []string{"2006-1-2 15:4:5Z07:00", "2006-1-2 15:4:5 Z07:00", "2006-1-2 15:4:5", "2006-1-2 15:4Z07:00", "2006-1-2 15:4", "2006-1-2 15", "2006-1-2"}

// firstInstant is where times count as instants, not as what has gone by: it is in 1973, and three years long.
const firstInstant = 1e8

// Instants reports a dim of instants: what is named time and lies long after 1970.
func Instants(d ops.Dim) bool {
	return d.Name == "time" && d.Unit.Same(ops.MustUnit("s")) && len(d.Coords) > 0 && min(d.Coords[0], d.Coords[len(d.Coords)-1]) >= firstInstant
}

// Time is the instant of a coordinate, in UTC and to the microsecond.
func Time(seconds float64) time.Time { return time.UnixMicro(int64(seconds * 1e6)).UTC() }

// Coordinates are those of a dim as files have them, with the unit as CF writes it: of instants, seconds since 1970.
func Coordinates(d ops.Dim) (numbers []float64, unit string) {
	if Instants(d) {
		return d.Coords, epoch
	}
	numbers = make([]float64, len(d.Coords))
	for i, v := range d.Coords {
		numbers[i] = format.Shown(v, d.Unit)
		if short, err := strconv.ParseFloat(strconv.FormatFloat(numbers[i], 'g', 15, 64), 64); err == nil && short*d.Unit.SI()+d.Unit.Offset == v { // not 59.99999999999999
			numbers[i] = short
		}
	}
	return numbers, d.Unit.String()
}

// OfCoordinates reads the unit of coordinates: SI units are from + v unit.SI() + unit.Offset. ok is false for those that have no meaning here.
func OfCoordinates(text string) (unit ops.Unit, from float64, ok bool) {
	name, when, instant := strings.Cut(text, since)
	if !instant {
		unit, ok = Read(text)
		return unit, 0, ok || text == ""
	}
	if unit, ok = Read(name); !ok || !unit.Same(ops.MustUnit("s")) {
		return ops.Unit{}, 0, false
	}
	when = strings.TrimSpace(strings.NewReplacer("T", " ", "UTC", "", "Z", "").Replace(strings.TrimSpace(when)))
	for _, layout := range dates {
		if t, err := time.Parse(layout, when); err == nil {
			return unit, float64(t.Unix()) + float64(t.Nanosecond())/1e9, true
		}
	}
	return ops.Unit{}, 0, false
}

// Place is where an index of a dim is, in words: an instant, or a coordinate with its unit behind the name of the dim.
func Place(d ops.Dim, i int) string {
	if Instants(d) {
		return Time(d.Coords[i]).Format("2006-01-02T15:04:05.999999Z")
	}
	return d.Name + " " + format.Place(d, i)
}
