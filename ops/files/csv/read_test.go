package csv

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/kernels/region"
	"weft/ops/files/element"
	"weft/ops/files/format"
	"weft/ops/files/words"
)

func file(t testing.TB, name, text string) string {
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// said is all of a file: the columns with unit, type and values, or why they are not read.
func said(path string) string {
	parts, err := list(path, nil)
	if err != nil {
		return "error: " + strings.TrimPrefix(strings.SplitN(err.Error(), "\n", 2)[0], path+": ")
	}
	if parts == nil {
		parts = []format.Part{{}}
	}
	var out []string
	for _, p := range parts {
		in, err := openColumn(path, format.Choice{"member": p.Name})
		if err != nil {
			out = append(out, fmt.Sprintf("%s: not: %s", p.Name, p.Not))
			continue
		}
		about := in.About()
		values := make([]float64, region.Whole(about.Shape...).Points())
		if err := in.Read(words.Raw(values), element.Float64, 0, region.Whole(about.Shape...)); err != nil {
			return err.Error()
		}
		text := fmt.Sprintf("%s %s %v %v", p.Name, about.Unit, about.DType, values)
		for _, d := range about.Doubts {
			text += " (" + d.Message + ")"
		}
		out = append(out, strings.TrimSpace(text))
	}
	return strings.Join(out, "; ")
}

func TestRead(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a.csv", "a,b\n1,2.5\n3,4\n", "a  int64 [1 3]; b  float64 [2.5 4]"},
		{"a.csv", "\ufeffa,b\r\n1,2.5\r\n\r\n3,4", "a  int64 [1 3]; b  float64 [2.5 4]"},
		{"a.csv", `"wind, mean (m/s)",t [degC]` + "\n-1, 2\n", "wind_mean m/s int64 [-1]; t degC int64 [2]"},
		{"a.csv", "q (W/m2),r [%],t (°C),v (m s-1),w (W m⁻²)\n1,2,3,4,5\n", "q W m^-2 int64 [1]; r percent int64 [2]; t degC int64 [3]; v m s^-1 int64 [4]; w W m^-2 int64 [5]"},
		{"a.csv", "a (furlong)\n1\n", `a  int64 [1] (the unit "furlong" of column a is none that is known here: plain numbers are read; give it one by a product, such as ` + "`x * 1 m`)"},
		{"a.csv", ",a,a\n0,1,2\n", "column1  int64 [0]; a  int64 [1] (there are several columns a: the first is read, the others are left out); " +
			"a  int64 [1] (there are several columns a: the first is read, the others are left out)"},
		{"a.csv", "a,b,c,d\n,1,NA,true\n2,,nan,false\n3,4,-,TRUE\n", "a  float64 [NaN 2 3]; b  float64 [1 NaN 4]; c  float64 [NaN NaN NaN]; d  bool [1 0 1]"},
		{"a.csv", "a,b,c\n1,,x\n2,,3\n", `a  int64 [1 2]; b: not: holds nothing; c: not: holds texts, such as "x" in line 2`},
		{"a.csv", "a,b\ntrue,1\n2,false\n", `a: not: holds texts, such as "2" in line 3; b: not: holds texts, such as "false" in line 3`},
		{"a.csv", "a,b\ntrue,\n,true\n", `a: not: holds texts, such as "nothing" in line 3; b: not: holds texts, such as "true" in line 3`},
		{"a.csv", "a;b\n1,5;2\n2;3.5\n", "a  float64 [1.5 2]; b  float64 [2 3.5]"},
		{"a.tsv", "a\tb c\n1\t2\n", "a  int64 [1]; b_c  int64 [2]"},
		{"a.csv", "1,2\n3,4.5\n", "float64 [1 2 3 4.5]"},
		{"a.csv", "1,\n3,\n", "float64 [1 NaN 3 NaN]"},
		{"a.txt", "1.0e+00 2\n 3   4\n", "float64 [1 2 3 4]"},
		{"a.txt", "# made\n# a b\n1 2\n3 4 # last\n", "a  int64 [1 3]; b  int64 [2 4]"},
		{"a.csv", "# a,b\n1,2\n", "a  int64 [1]; b  int64 [2]"},
		{"a.csv", "# 2001,2002\n1,2\n", "float64 [1 2]"},
		{"a.csv", "air temp\n1\n", "air_temp  int64 [1]"},
		{"a.csv", "n\n9223372036854775807\n", "n  int64 [9.223372036854776e+18]"},
		{"a.csv", "n\n9223372036854775808\n", "n  float64 [9.223372036854776e+18]"},
		{"a.csv", "# note\n\na,b\n1\n", "error: has 2 fields in its first line, and 1 in line 4"},
		{"a.txt", "# note\na b\n1 2\n1 2 3\n", "error: has 2 fields in its first line, and 3 in line 4"},
		{"a.csv", "# note\na,b\n1,\"2\n", `error: is no table: line 3, column 6: extraneous or missing " in quoted-field`},
		{"a.csv", "", "error: holds no lines with numbers"},
		{"a.csv", "# a\n", "error: holds no lines with numbers"},
		{"a.csv", "a,b\n", "error: holds no lines with numbers"},
		{"a.csv", "1,2\n3,x\n", ": not: "},
		{"a.csv", "1,true\n2,false\n", "error: holds true and false in column 2, and has no names for its columns"},
	} {
		if got := said(file(t, c.name, c.text)); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

// A file that is another under its name is read anew.
func TestChangedFile(t *testing.T) {
	path := file(t, "a.csv", "a\n1\n")
	before := said(path)
	if err := os.WriteFile(path, []byte("a\n12\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if after := said(path); before != "a  int64 [1]" || after != "a  int64 [12]" {
		t.Errorf("%s, then %s", before, after)
	}
}

// Parts of a matrix are the same as of the whole.
func TestParts(t *testing.T) {
	in, err := openColumn(file(t, "a.csv", "1,2,3\n4,5,6\n7,8,9\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]float32, 4)
	if err := in.Read(words.Raw(got), element.Float32, 0, region.Region{{Lo: 1, Hi: 3}, {Lo: 0, Hi: 2}}); err != nil || fmt.Sprint(got) != "[4 5 7 8]" {
		t.Errorf("%v, %v", got, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"a,b\n1,2\n", "# a b\n1 2\n", "a;b (m)\n1,5;true\n", "\ufeff1\t2\n", "\"a\nb\",c\n1,\"x\"\"y\"\n"} {
		f.Add(text, ".csv")
		f.Add(text, ".txt")
	}
	f.Fuzz(func(t *testing.T, text, ending string) {
		table, err := parse(strings.NewReader(text), "a"+ending)
		if err != nil {
			return
		}
		if !table.named {
			if in, err := matrix("a", "", table); err == nil {
				if raw, err := in.(*array).Raw(); err != nil || len(raw) != 8*table.rows*len(table.columns) {
					t.Errorf("%d bytes of %d rows: %v", len(raw), table.rows, err)
				}
			}
		}
		for _, c := range table.columns {
			if !table.named && c.kind != texts && len(c.reals) != table.rows {
				t.Errorf("%d numbers of %d rows", len(c.reals), table.rows)
			}
			if n := max(len(c.truths), len(c.wholes), len(c.reals)); c.kind != texts && c.kind != nothing && n != table.rows {
				t.Errorf("%d values of %d rows", n, table.rows)
			}
		}
	})
}
