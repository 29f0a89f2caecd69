package epw

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"weft/ops/files/fileio"
)

// weather is what a file holds.
type weather struct {
	times  []float64   // in seconds
	values [][]float64 // of quantities, in their units
	place  []float64   // as in place
}

// quantity is a column: its place in a line, the unit, by what it is multiplied, and from which number on it says that nothing is known (Auxiliary
// Programs of EnergyPlus, "EnergyPlus Weather File (EPW) Data Dictionary").
type quantity struct {
	name    string
	column  int
	unit    string
	scale   float64
	missing float64
}

var quantities = []quantity{
	{"air", 6, "degC", 1, 99.9},
	{"dew_point", 7, "degC", 1, 99.9},
	{"humidity", 8, "1", 0.01, 999},
	{"pressure", 9, "Pa", 1, 999999},
	{"infrared", 12, "W/m^2", 1, 9999},
	{"global", 13, "W/m^2", 1, 9999},
	{"direct", 14, "W/m^2", 1, 9999},
	{"diffuse", 15, "W/m^2", 1, 9999},
	{"wind_direction", 20, "deg", 1, 999},
	{"wind", 21, "m/s", 1, 999},
}

// place is what the first line says, by the column.
var place = []struct {
	name   string
	column int
	unit   string
	most   float64
}{
	{"latitude", 6, "deg", 90}, {"longitude", 7, "deg", 180}, {"zone", 8, "h", 14}, {"elevation", 9, "m", 9999},
}

// header is how many lines come before the hours.
const header = 8

func foreign(format string, of ...any) error {
	return &fileio.Error{Kind: fileio.Foreign, Reason: fmt.Sprintf(format, of...)}
}

// parse reads a file.
func parse(r io.Reader) (*weather, error) {
	lines := csv.NewReader(r)
	lines.FieldsPerRecord, lines.LazyQuotes, lines.ReuseRecord = -1, true, true
	w := &weather{values: make([][]float64, len(quantities))}
	var clocks []clock
	step := time.Hour
	for {
		fields, err := lines.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, foreign("is no weather file: %v", err)
		}
		line, _ := lines.FieldPos(0)
		switch {
		case w.place == nil: // empty lines before it are none
			err = w.located(fields)
		case fields[0] == "DATA PERIODS":
			step, err = stepOf(fields, line)
		case line > header:
			var c clock
			if c, err = clockOf(fields, line); err == nil {
				clocks = append(clocks, c)
				err = w.add(fields, line)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	if len(clocks) == 0 {
		return nil, &fileio.Error{Kind: fileio.Empty, Reason: "holds no hours of weather"}
	}
	return w, w.date(clocks, step)
}

// located reads the first line.
func (w *weather) located(fields []string) error {
	if fields[0] != "LOCATION" || len(fields) < 10 {
		return foreign("is no weather file: its first line is not of LOCATION with 10 fields")
	}
	for _, p := range place {
		v, err := number(fields, p.column, 1)
		if err != nil {
			return err
		}
		if !(math.Abs(v) <= p.most) {
			return foreign("has a %s of %v in line 1", p.name, v)
		}
		w.place = append(w.place, v)
	}
	return nil
}

// stepOf is the time from one line to the next.
func stepOf(fields []string, line int) (time.Duration, error) {
	n, err := number(fields, 2, line)
	if err == nil && (n < 1 || n > 60 || 60/n != math.Trunc(60/n)) {
		err = foreign("has %v records an hour in line %d, which part no hour", n, line)
	}
	return time.Duration(float64(time.Hour) / max(n, 1)), err
}

// number is a field of a line.
func number(fields []string, column, line int) (float64, error) {
	if column >= len(fields) {
		return 0, foreign("has %d fields in line %d, and %d are needed", len(fields), line, column+1)
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(fields[column]), 64)
	if err != nil || v-v != 0 {
		return 0, foreign("has %q in line %d, field %d, where a number should be", fields[column], line, column+1)
	}
	return v, nil
}

// clock is the end of the time that a line is of.
type clock struct {
	year, month, day, hour, minute int
	line                           int
}

func clockOf(fields []string, line int) (c clock, err error) {
	c.line = line
	for i, to := range []*int{&c.year, &c.month, &c.day, &c.hour, &c.minute} {
		v, wrong := number(fields, i, line)
		*to = int(v)
		err = errors.Join(err, wrong)
	}
	if err == nil && (c.year < 1800 || c.year > 2500 || c.month < 1 || c.month > 12 || c.day < 1 || c.day > 31 || c.hour < 1 || c.hour > 24 || c.minute < 0 || c.minute > 60) {
		err = foreign("has no date in line %d: year %d, month %d, day %d, hour %d (1 to 24), minute %d", line, c.year, c.month, c.day, c.hour, c.minute)
	}
	return c, err
}

// add takes up the values of a line.
func (w *weather) add(fields []string, line int) error {
	for i, q := range quantities {
		v, err := number(fields, q.column, line)
		if err != nil {
			return err
		}
		if v >= q.missing {
			v = math.NaN()
		}
		w.values[i] = append(w.values[i], v*q.scale)
	}
	return nil
}

// date gives each line its time. Lines follow each other at one distance, whatever their years.
func (w *weather) date(clocks []clock, step time.Duration) error {
	year := clocks[0].year
	leap := func(y int) bool { return time.Date(y, 2, 29, 0, 0, 0, 0, time.UTC).Day() == 29 }
	for i, c := range clocks {
		if i > 0 && leap(year) && clocks[i-1].month == 2 && clocks[i-1].day == 28 && c.month == 3 {
			year-- // which has no day between the two
		}
	}
	var before time.Time
	for i, c := range clocks {
		minute := c.minute
		if step == time.Hour {
			minute = 60 // some files say 0 of the hour that ends, some 60, some 30
		}
		day := time.Date(year, time.Month(c.month), c.day, 0, 0, 0, 0, time.UTC)
		if day.Day() != c.day {
			return foreign("has %d.%d.%d in line %d, which is no day", c.day, c.month, year, c.line)
		}
		at := day.Add(time.Duration(c.hour-1)*time.Hour + time.Duration(minute)*time.Minute)
		if i > 0 && at.Before(before) && c.month == 1 && clocks[i-1].month == 12 { // the turn of a year
			year++
			at = at.AddDate(1, 0, 0)
		}
		if i > 0 && at.Sub(before) != step {
			return foreign("has a gap: line %d is %v after the line before, not %v", c.line, at.Sub(before), step)
		}
		before = at
		w.times = append(w.times, float64(at.Unix())-3600*w.place[2])
	}
	return nil
}
