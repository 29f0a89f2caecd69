package zarr

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/format"
	"weft/ops/files/words"
	"weft/ops/problem"
)

// about is what is known of a store with these changes.
func about(t *testing.T, changes map[string]any) (format.About, error) {
	t.Helper()
	in, err := open(made(t, changes, nil), nil)
	if err != nil {
		return format.About{}, err
	}
	defer in.Close()
	return in.About(), nil
}

func messages(of []problem.Problem) (all []string) {
	for _, p := range of {
		all = append(all, p.Message)
	}
	return all
}

// What elements stand for is as xarray has it: of 3 rows of 5 elements 10 i + j, the last four of them 7.
func TestAttributes(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name          string
		dtype         string
		attributes    map[string]any
		scale, offset float64
		nans          []int // which elements are missing
		is            string
	}{
		{"none", "int16", map[string]any{"long_name": "depth"}, 0, 0, nil, "int16"},
		{"scaled", "int16", map[string]any{"scale_factor": 0.01, "add_offset": []float64{273.15}}, 0.01, 273.15, nil, "int16"},
		{"scaled by 1", "int16", map[string]any{"scale_factor": 1, "add_offset": 0.0}, 0, 0, nil, "int16"},
		{"moved", "int16", map[string]any{"add_offset": 5}, 1, 5, nil, "int16"},
		{"one missing value", "int16", map[string]any{"_FillValue": 3}, 0, 0, []int{3}, "int16"},
		{"as a float", "int16", map[string]any{"_FillValue": 3.0}, 0, 0, []int{3}, "int16"},
		{"several, and scaled", "int16", map[string]any{"missing_value": []int{3, 12}, "_FillValue": 7, "scale_factor": 2}, 2, 0, []int{3, 7, 10, 11, 12, 13}, "int16"},
		{"valid", "int16", map[string]any{"valid_range": []int{3, 21}}, 0, 0, []int{0, 1, 2, 14}, "int16"},
		{"valid, of floats", "float16", map[string]any{"valid_min": 2e-7, "valid_max": 6}, 0, 0, []int{0, 1, 2, 3, 10, 11, 12, 13}, "float16"},
		{"null", "int16", map[string]any{"_FillValue": nil}, 0, 0, nil, "int16"},
		{"unsigned", "int16", map[string]any{"_Unsigned": "true", "_FillValue": -1}, 0, 0, nil, "uint16"},
		{"signed", "uint16", map[string]any{"_Unsigned": "false"}, 0, 0, nil, "int16"},
		{"of floats", "float16", map[string]any{"_FillValue": 0.0}, 0, 0, []int{0}, "float16"},
		{"NaN", "float16", map[string]any{"_FillValue": "NaN"}, 0, 0, nil, "float16"},
		{"of floats, as xarray writes it", "float16", map[string]any{"_FillValue": "AAAAAAAA+H8="}, 0, 0, nil, "float16"},
		{"0 as xarray writes it", "float16", map[string]any{"_FillValue": "AAAAAAAAAAA="}, 0, 0, []int{0}, "float16"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := chunks(binary.LittleEndian, plain)
			delete(files, "c/1/0") // which the value 7 fills, rows 2 and, beyond the array, 3
			path := made(t, map[string]any{"data_type": c.dtype, "attributes": c.attributes}, files)
			in, err := open(path, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			a := in.About()
			if a.Scale != c.scale || a.Offset != c.offset || a.DType.String() != c.is || len(a.Doubts) != 1 || a.Doubts[0].Code != problem.TruncatedFile {
				t.Errorf("scale %v, offset %v of %v, doubts %v", a.Scale, a.Offset, a.DType, a.Doubts)
			}
			if c.nans != nil && !a.Gaps {
				t.Error("without gaps")
			}
			got, err := read(t, path, element.Float64, nil)
			if err != nil {
				t.Fatal(err)
			}
			var nans []int
			for i, v := range words.View[float64](got) {
				if v != v {
					nans = append(nans, i)
				}
			}
			if !slices.Equal(nans, c.nans) {
				t.Errorf("NaN are %v, want %v (%v of %v)", nans, c.nans, words.View[float64](got), nan)
			}
		})
	}
}

func TestAttributesThatCannotBeApplied(t *testing.T) {
	for _, c := range []struct {
		dtype      string
		attributes map[string]any
		want       string
	}{
		{"complex64", map[string]any{"scale_factor": 2}, "has the attribute scale_factor, which is not applied to elements that are complex64"},
		{"bool", map[string]any{"_FillValue": true}, "has the attribute _FillValue, which is not applied to elements that are bool"},
		{"int16", map[string]any{"scale_factor": 0}, "the attribute scale_factor is 0"},
		{"int16", map[string]any{"scale_factor": "2"}, `the attribute scale_factor is "2", and one number is right`},
		{"int16", map[string]any{"add_offset": []int{1, 2}}, "the attribute add_offset is [1,2], and one number is right"},
		{"int16", map[string]any{"_FillValue": "none"}, `the attribute _FillValue is "none"`},
		{"int16", map[string]any{"missing_value": make([]int, 1000)}, "the attribute missing_value is [0,0,0,"},
		{"float32", map[string]any{"missing_value": "none"}, `the attribute missing_value is "none"`},
		{"int16", map[string]any{"_Unsigned": "perhaps"}, `the attribute _Unsigned is "perhaps"`},
	} {
		changes := map[string]any{"data_type": c.dtype, "attributes": c.attributes}
		switch c.dtype {
		case "complex64":
			changes["fill_value"] = []float64{0, 0}
		case "bool":
			changes["fill_value"] = false
		}
		if _, err := about(t, changes); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v; want %s", err, c.want)
		}
	}
	a, err := about(t, map[string]any{"attributes": map[string]any{"_FillValue": -99999}})
	if want := []string{"the attribute _FillValue is -99999, which no int16 element is: none is missing"}; err != nil || !slices.Equal(messages(a.Doubts), want) || a.Gaps {
		t.Errorf("%v, %v, gaps %v", messages(a.Doubts), err, a.Gaps)
	}
	for _, at := range []any{[]int{1}, "1, 2", []int{3, 2}} {
		if a, err := about(t, map[string]any{"attributes": map[string]any{"valid_range": at}}); err != nil || len(a.Doubts) != 1 || !strings.Contains(a.Doubts[0].Error(), "valid") || a.Gaps {
			t.Errorf("%v: %v, %v, gaps %v", at, messages(a.Doubts), err, a.Gaps)
		}
	}
}

// Units are those of netCDF where they mean the same here, and told otherwise.
func TestUnitsOfAttributes(t *testing.T) {
	for text, want := range map[string]string{
		"m s-1": "m/s", "W m-2": "W/m^2", "kg m**-2 s**-1": "kg m^-2 s^-1", "K": "K", "degC": "degC", "degrees_Celsius": "degC", "degrees_north": "deg", "degrees_east": "deg", "mm": "mm",
		"m/s": "m/s", "meters": "m", "hPa": "hPa", "millibar": "mbar", "m2 s-2": "m^2/s^2", "g kg-1": "0.001", "%": "percent", "1e-3 m": "mm", "hours": "h", "µm": "um", "kg/(m2 s)": "kg m^-2 s^-1",
	} {
		a, err := about(t, map[string]any{"attributes": map[string]any{"units": text}})
		w := ops.MustUnit(want)
		if err != nil || len(a.Doubts) > 0 || !a.Unit.Same(w) || math.Abs(a.Unit.SI()/w.SI()-1) > 1e-12 || a.Unit.Offset != w.Offset {
			t.Errorf("%s is %v (%v), want %v: %v, %v", text, a.Unit, a.Unit.SI(), w, messages(a.Doubts), err)
		}
	}
	for _, plain := range []any{"1", "", 1, "count", nil} {
		if a, err := about(t, map[string]any{"attributes": map[string]any{"units": plain}}); err != nil || len(a.Doubts) > 0 || !a.Unit.Plain() || a.Unit.SI() != 1 {
			t.Errorf("%v is %v: %v, %v", plain, a.Unit, messages(a.Doubts), err)
		}
	}
	for _, text := range []string{"days since 2000-01-01", "furlong", "dBZ", "m s-"} {
		a, err := about(t, map[string]any{"attributes": map[string]any{"units": text}})
		if err != nil || len(a.Doubts) != 1 || a.Doubts[0].Code != problem.UnknownUnit || !strings.Contains(a.Doubts[0].Message, text) || !a.Unit.Plain() {
			t.Errorf("%s is %v: %v, %v", text, a.Unit, messages(a.Doubts), err)
		}
	}
}

// A unit that means harm takes no time, and is not shown in full.
func TestLongUnits(t *testing.T) {
	a, err := about(t, map[string]any{"attributes": map[string]any{"units": strings.Repeat("m ", 4<<20)}})
	if err != nil || len(a.Doubts) != 1 || len(a.Doubts[0].Message) > 300 {
		t.Errorf("%d doubts, %v", len(a.Doubts), err)
	}
}

func TestNamesOfDims(t *testing.T) {
	for _, c := range []struct {
		given  []any
		want   []string
		doubts string
	}{
		{nil, nil, ""},
		{[]any{"y", "x"}, []string{"y", "x"}, ""},
		{[]any{"y", nil}, []string{"y", "axis1"}, ""},
		{[]any{"time-bounds", "länge"}, []string{"axis0", "länge"}, `"time-bounds" is no name of a dimension that a program could use: it is axis0 here`},
		{[]any{"x", "x"}, []string{"x", "axis1"}, "two dimensions are named x: the second is axis1 here"},
		{[]any{"axis1", nil}, nil, "the names of dimensions [axis1 axis1] are not told apart from those of dimensions without one: they are axis0, axis1 and so on here"},
	} {
		a, err := about(t, map[string]any{"dimension_names": c.given})
		if err != nil || !slices.Equal(a.Names, c.want) || strings.Join(messages(a.Doubts), ";") != c.doubts {
			t.Errorf("%v are %v, %v, %v", c.given, a.Names, messages(a.Doubts), err)
		}
	}
	if _, err := about(t, map[string]any{"dimension_names": []string{"x"}}); err == nil || !strings.Contains(err.Error(), "1 names of dimensions, of an array of 2") {
		t.Errorf("%v", err)
	}
}
