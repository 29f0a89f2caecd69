package epw

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft/ops/files/fileio"
)

// made is a file of hours from a date on, whose air is so many tenths of degrees as there were hours before.
func made(from time.Time, hours int, change func(i int, fields []string)) string {
	var b strings.Builder
	b.WriteString("LOCATION,Athens,-,GRC,IWEC,167160,37.90,23.73,2.0,15.0\n")
	for _, line := range []string{"DESIGN CONDITIONS,0", "TYPICAL/EXTREME PERIODS,0", "GROUND TEMPERATURES,0", "HOLIDAYS/DAYLIGHT SAVINGS,No,0,0,0", "COMMENTS 1,made up", "COMMENTS 2,\"with, commas\"", "DATA PERIODS,1,1,Data,Sunday, 1/ 1,12/31"} {
		b.WriteString(line + "\n")
	}
	for i := range hours {
		t := from.Add(time.Duration(i) * time.Hour)
		fields := strings.Split(fmt.Sprintf("%d,%d,%d,%d,0,?9?9,%.1f,5.5,55,101325,0,0,310,%d,400,120,0,0,0,0,270,2.5,3,3,20,77777,9,999999999,20,0.1,0,88,0.2,0,1",
			t.Year(), t.Month(), t.Day(), t.Hour()+1, float64(i)/10, 100+i), ",")
		if change != nil {
			change(i, fields)
		}
		b.WriteString(strings.Join(fields, ",") + "\n")
	}
	return b.String()
}

func day(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }

func TestParse(t *testing.T) {
	w, err := parse(strings.NewReader(made(day(2005, 6, 21), 30, func(i int, fields []string) {
		if i == 3 {
			fields[21], fields[6] = "999", "99.9"
		}
	})))
	if err != nil {
		t.Fatal(err)
	}
	for i, at := range w.times { // an hour's line is of its end, and clocks are 2 h ahead
		if want := day(2005, 6, 21).Add(time.Duration(i+1-2) * time.Hour).Unix(); at != float64(want) {
			t.Fatalf("hour %d ends at %v, not %d", i, at, want)
		}
	}
	of := map[string][]float64{}
	for i, q := range quantities {
		of[q.name] = w.values[i]
	}
	if of["air"][29] != 2.9 || !math.IsNaN(of["air"][3]) || !math.IsNaN(of["wind"][3]) || of["wind"][4] != 2.5 || of["humidity"][0] != 0.55 || of["global"][7] != 107 ||
		of["direct"][0] != 400 || of["diffuse"][0] != 120 || of["infrared"][0] != 310 || of["pressure"][0] != 101325 || of["wind_direction"][0] != 270 || of["dew_point"][0] != 5.5 {
		t.Errorf("%v", of)
	}
	if fmt.Sprint(w.place) != "[37.9 23.73 2 15]" {
		t.Errorf("the place is %v", w.place)
	}
}

// Months of typical years come from several, and February has 28 days.
func TestTypicalYears(t *testing.T) {
	w, err := parse(strings.NewReader(made(day(2003, 1, 1), 8760, func(i int, fields []string) {
		if fields[1] >= "5" {
			fields[0] = "1984"
		} else {
			fields[0] = "1996"
		}
	})))
	if err != nil {
		t.Fatal(err)
	}
	if first, last := time.Unix(int64(w.times[0]), 0).UTC(), time.Unix(int64(w.times[8759]), 0).UTC(); first != day(1995, 1, 1).Add(-time.Hour) || last != day(1996, 1, 1).Add(-2*time.Hour) {
		t.Errorf("from %v to %v", first, last)
	}
}

// What is measured may go over the turn of a year, with a 29 February.
func TestYearsThatTurn(t *testing.T) {
	w, err := parse(strings.NewReader(made(day(2023, 12, 30), 24*70, nil)))
	if err != nil {
		t.Fatal(err)
	}
	if last := time.Unix(int64(w.times[24*70-1]), 0).UTC(); last != day(2024, 3, 9).Add(-2*time.Hour) {
		t.Errorf("up to %v", last)
	}
}

func TestWrongFiles(t *testing.T) {
	good := made(day(2005, 6, 21), 30, nil)
	change := func(at, column int, text string) string {
		return made(day(2005, 6, 21), 30, func(i int, fields []string) {
			if i == at {
				fields[column] = text
			}
		})
	}
	for text, want := range map[string]string{
		"":           "holds no hours",
		"a,b\n1,2\n": "LOCATION",
		"\n\n\n\n\n\n0\n\n" + good[strings.Index(good, "2005"):]: "LOCATION",
		good[:strings.Index(good, "2005")]:                       "holds no hours",
		good[:len(good)-80]:                                      "fields in line 38",
		change(5, 6, "warm"):                                     `has "warm" in line 14, field 7`,
		change(5, 3, "25"):                                       "has no date in line 14",
		change(5, 3, "9"):                                        "has a gap: line 14 is 4h0m0s after the line before, not 1h0m0s",
		change(5, 2, "31"):                                       "31.6.2005 in line 14, which is no day",
		strings.Replace(good, "37.90", "97.90", 1):               "latitude of 97.9",
		strings.Replace(good, "PERIODS,1,1", "PERIODS,1,7", 1):   "7 records an hour",
	} {
		_, err := parse(strings.NewReader(text))
		var wrong *fileio.Error
		if !errors.As(err, &wrong) || !strings.Contains(wrong.Reason, want) {
			t.Errorf("%v, not %q", err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(made(day(2005, 6, 21), 3, nil))
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "w.epw")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		parts, err := list(path, nil)
		if err != nil {
			return
		}
		for _, p := range parts {
			in, err := open(path, map[string]string{"member": p.Name})
			if err != nil {
				t.Fatal(err)
			}
			in.Close()
		}
	})
}
