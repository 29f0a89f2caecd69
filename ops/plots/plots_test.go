package plots

import (
	"bytes"
	"image/png"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/ops"
	"weft/ops/problem"
)

func array(name string, d ops.Dense, unit string, dims ...ops.Dim) (ops.Array, ops.HostArray) {
	t := ops.Type{Elem: ops.F64, Dims: dims, Unit: ops.MustUnit(unit)}
	h := ops.NewHostArray(t)
	if err := h.SetDense(d); err != nil {
		panic(err)
	}
	return ops.Array{Of: &ops.Instance{Label: name, Out: ops.One(t)}}, h
}

var (
	second = ops.Dim{Name: "t", Size: 3, Coords: []float64{0, 1e-3, 2e-3}, Unit: ops.MustUnit("ms")}
	two    = ops.Dim{Name: "k", Size: 2, Coords: []float64{1, 5}}
)

// use binds an operator.
func use(t *testing.T, name string, args map[string]ops.Value) (*plotting, error) {
	t.Helper()
	i := slices.IndexFunc(Specs(), func(s *ops.Spec) bool { return s.Name == name })
	spec := Specs()[i]
	for _, p := range spec.Params {
		if args[p.Name] == nil && p.Default != nil {
			args[p.Name] = p.Default
		}
	}
	op, err := spec.Bind(&ops.Call{Spec: spec, Args: args})
	if err != nil {
		return nil, err
	}
	return op.(*plotting), nil
}

func TestSeries(t *testing.T) {
	t.Chdir(t.TempDir())
	a, ah := array("a", ops.Dense{Re: []float64{0, 1e-2, 2e-2, 3e-2, math.NaN(), 5e-2}}, "cm", two, second)
	x, xh := array("x", ops.Dense{Re: []float64{7, 8, 9}}, "", second)
	p, err := use(t, "plot.line", map[string]ops.Value{"y": a, "path": ops.Text("a.svg"), "x": x})
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.figure([]ops.HostArray{ah, xh})
	if err != nil || len(f.series) != 2 || f.upward != "a (cm)" || f.across != "x" {
		t.Fatalf("%+v, %v", f, err)
	}
	if s := f.series[1]; s.name != "a, k 5" || s.y[0] != 3 || s.x[2] != 9 || len(s.runs()) != 2 {
		t.Errorf("%+v in %v", s, s.runs())
	}
	p, err = use(t, "plot.line", map[string]ops.Value{"y": a, "path": ops.Text("a.svg"), "along": ops.Symbol("k"), "log": ops.Symbol("y"),
		"names": ops.List{ops.Text("first"), ops.Text("a, t 1 ms"), ops.Text("a, t 2 ms")}})
	if err != nil {
		t.Fatal(err)
	}
	if f, err = p.figure([]ops.HostArray{ah}); err != nil || len(f.series) != 3 || f.across != "k" || f.series[0].name != "first" || f.series[2].name != "a, t 2 ms" {
		t.Fatalf("%+v, %v", f, err)
	}
	if s := f.series[2]; !slices.Equal(s.y, []float64{2, 5}) || !slices.Equal(s.x, []float64{1, 5}) {
		t.Errorf("%+v", s)
	}
	if r := f.series[0].above(false, true).runs(); len(r) != 1 || len(r[0]) != 1 { // 0 has no logarithm
		t.Errorf("%v", r)
	}
}

// What is drawn on one axis is drawn in one unit, that of the first array, and so are its errors.
func TestUnitsOfAnAxis(t *testing.T) {
	t.Chdir(t.TempDir())
	a, ah := array("a", ops.Dense{Re: []float64{1e3, 2e3, 3e3}}, "km/s", second)
	b, bh := array("b", ops.Dense{Re: []float64{1e3, 2e3, 3e3}}, "m/s", ops.Dim{Name: "t", Size: 3, Coords: []float64{0, 1e-3, 2e-3}, Unit: ops.MustUnit("s")})
	e, eh := array("e", ops.Dense{Re: []float64{100, 200, 300}}, "m/s", second)
	p, err := use(t, "plot.line", map[string]ops.Value{"y": ops.List{a, b}, "path": ops.Text("a.svg")})
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.figure([]ops.HostArray{ah, bh})
	if err != nil || !slices.Equal(f.series[0].y, f.series[1].y) || !slices.Equal(f.series[0].x, f.series[1].x) || f.series[1].y[2] != 3 || f.series[1].x[2] != 2 {
		t.Errorf("%+v, %v", f, err)
	}
	if p, err = use(t, "plot.scatter", map[string]ops.Value{"y": a, "path": ops.Text("a.svg"), "error": e}); err != nil {
		t.Fatal(err)
	}
	if f, err = p.figure([]ops.HostArray{ah, eh}); err != nil || f.series[0].e[2] != 0.3 {
		t.Errorf("%+v, %v", f, err)
	}
	if p, err = use(t, "plot.hist", map[string]ops.Value{"y": ops.List{a, b}, "path": ops.Text("a.svg"), "bins": ops.Integer(2)}); err != nil {
		t.Fatal(err)
	}
	if f, err = p.figure([]ops.HostArray{ah, bh}); err != nil || !slices.Equal(f.series[0].y, f.series[1].y) {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestCounts(t *testing.T) {
	t.Chdir(t.TempDir())
	a, ah := array("a", ops.Dense{Re: []float64{1, 2, 3, 3, math.NaN(), 5}}, "m", two, second)
	p, err := use(t, "plot.hist", map[string]ops.Value{"y": a, "path": ops.Text("a.png"), "bins": ops.Integer(4)})
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.figure([]ops.HostArray{ah})
	if err != nil || !slices.Equal(f.series[0].y, []float64{1, 1, 2, 1}) || !slices.Equal(f.series[0].x, []float64{1.5, 2.5, 3.5, 4.5}) || f.across != "a (m)" {
		t.Errorf("%+v, %v", f, err)
	}
}

// TestHardScales: equal values, errors down to 0 and below, signs, and numbers at the ends of their range.
func TestHardScales(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, values := range [][]float64{{0.5, 0.5, 0.5}, {1, 2, 3}, {-1, 0, 4}, {-1, -2, 0}, {math.NaN(), math.Inf(1), math.Inf(-1)}, {1e17, 1e17, 1e17}, {-1.7e308, 0, 1.7e308}} {
		for _, op := range []string{"plot.line", "plot.scatter", "plot.hist", "plot.bars"} {
			for _, log := range []string{"none", "x", "y", "both"} {
				if log != "none" && (op == "plot.hist" || op == "plot.bars") {
					continue // they have no such axes
				}
				a, h := array("a", ops.Dense{Re: values}, "", second)
				args, list := map[string]ops.Value{"y": a, "path": ops.Text("a.png"), "log": ops.Symbol(log)}, []ops.HostArray{h}
				if op == "plot.scatter" {
					e, eh := array("e", ops.Dense{Re: []float64{1, 2, 3}}, "", second)
					args["error"], list = e, append(list, eh)
				}
				if op == "plot.line" {
					args["below"], list = a, append(list, h)
				}
				p, err := use(t, op, args)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := p.Take(t.Context(), list, nil); err != nil {
					t.Errorf("%s of %v, log %s: %v", op, values, log, err)
				}
			}
		}
	}
}

// TestFiles: every kind makes a file of each form, the same each time, and labels are in it.
func TestFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, s := range Specs() {
		for _, path := range []string{"out.svg", "out.png"} {
			var before []byte
			var want []string
			for range 2 {
				a, ah := array("speed", ops.Dense{Re: []float64{1, 2, 4}}, "m/s", second)
				list, labels := []ops.HostArray{ah}, []string{"a title", "speed (m/s)"}
				args := map[string]ops.Value{"y": a, "path": ops.Text(path), "title": ops.Text("a title")}
				if slices.ContainsFunc(s.Params, func(p ops.Param) bool { return p.Name == "below" }) {
					b, bh := array("rest", ops.Dense{Re: []float64{0, -1, 2}}, "", second)
					args["below"], list, labels = b, append(list, bh), append(labels, "rest", "t (ms)")
				}
				p, err := use(t, s.Name, args)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := p.Take(t.Context(), list, nil); err != nil {
					t.Fatal(err)
				}
				want = labels
				got, err := os.ReadFile(path)
				if err != nil || before != nil && !bytes.Equal(got, before) {
					t.Errorf("%s %s: %v, or another file than before", s.Name, path, err)
				}
				before = got
			}
			if path == "out.svg" {
				for _, text := range want {
					if !strings.Contains(string(before), text) {
						t.Errorf("%s: %q is not in it", s.Name, text)
					}
				}
			} else if _, err := png.Decode(bytes.NewReader(before)); err != nil {
				t.Errorf("%s: %v", s.Name, err)
			}
		}
	}
}

func TestMistakes(t *testing.T) {
	t.Chdir(t.TempDir())
	line, _ := array("a", ops.Dense{Re: []float64{1, 2, 3}}, "m", second)
	other, _ := array("b", ops.Dense{Re: []float64{1, 2, 3}}, "s", second)
	many, _ := array("c", ops.Dense{Re: make([]float64, 63)}, "m", ops.Dim{Name: "n", Size: 21}, second)
	elsewhere, _ := array("e", ops.Dense{Re: []float64{1, 2, 3}}, "m", ops.Dim{Name: "t", Size: 3})
	single, _ := array("d", ops.Dense{Re: []float64{1}}, "m")
	for _, c := range []struct {
		op   string
		code string
		args map[string]ops.Value
	}{
		{"plot.line", problem.UnknownFormat, map[string]ops.Value{"y": line, "path": ops.Text("a.pdf")}},
		{"plot.line", problem.MissingFolder, map[string]ops.Value{"y": line, "path": ops.Text("none/a.png")}},
		{"plot.line", problem.UnitMismatch, map[string]ops.Value{"y": ops.List{line, other}, "path": ops.Text("a.png")}},
		{"plot.line", problem.MixedList, map[string]ops.Value{"y": ops.List{ops.Text("a")}, "path": ops.Text("a.png")}},
		{"plot.line", problem.EmptyArray, map[string]ops.Value{"y": ops.List{}, "path": ops.Text("a.png")}},
		{"plot.line", problem.WrongDims, map[string]ops.Value{"y": many, "path": ops.Text("a.png")}},
		{"plot.line", problem.WrongDims, map[string]ops.Value{"y": single, "path": ops.Text("a.png")}},
		{"plot.line", problem.UnknownDim, map[string]ops.Value{"y": line, "path": ops.Text("a.png"), "along": ops.Symbol("z")}},
		{"plot.line", problem.WrongDims, map[string]ops.Value{"y": line, "path": ops.Text("a.png"), "x": single}},
		{"plot.line", problem.WrongDims, map[string]ops.Value{"y": line, "path": ops.Text("a.png"), "below": many}},
		{"plot.line", problem.UnitMismatch, map[string]ops.Value{"y": line, "path": ops.Text("a.png"), "below": ops.List{line, other}}},
		{"plot.scatter", problem.UnitMismatch, map[string]ops.Value{"y": line, "path": ops.Text("a.png"), "error": other}},
		{"plot.bars", problem.WrongDims, map[string]ops.Value{"y": many, "path": ops.Text("a.png")}},
		{"plot.line", problem.ContradictArguments, map[string]ops.Value{"y": line, "path": ops.Text("a.png"), "names": ops.List{ops.Text("a"), ops.Text("b")}}},
		{"plot.line", problem.CoordinateMismatch, map[string]ops.Value{"y": ops.List{line, elsewhere}, "path": ops.Text("a.png")}},
		{"plot.line", problem.NotANameList, map[string]ops.Value{"y": line, "path": ops.Text("a.png"), "names": ops.List{ops.Integer(1)}}},
	} {
		if _, err := use(t, c.op, c.args); err == nil || err.(problem.Problem).Code != c.code {
			t.Errorf("%s %v: %v, want %s", c.op, c.args, err, c.code)
		}
	}
}

func TestInstants(t *testing.T) {
	noon := float64(time.Date(2018, 6, 30, 12, 0, 0, 0, time.UTC).Unix())
	for _, tt := range []struct {
		from, to float64 // hours from that noon
		want     string
	}{
		{-11.5, 11.5, "03:00 06:00 09:00 12:00 15:00 18:00 21:00"},
		{0, 24, "12:00 18:00 1 Jul 06:00 12:00"},
		{0, 0.05, "12:00:00 12:00:30 12:01:00 12:01:30 12:02:00 12:02:30 12:03:00"},
		{-24 * 180, 24 * 184, "Mar 2018 May 2018 Jul 2018 Sep 2018 Nov 2018"},
		{-24 * 365 * 50, 0, "1970 1980 1990 2000 2010"},
	} {
		var got []string
		for _, m := range (instants{8}).Ticks(noon+3600*tt.from, noon+3600*tt.to) {
			got = append(got, m.Label)
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%v to %v: %q, want %s", tt.from, tt.to, got, tt.want)
		}
	}
	hours := ops.Dim{Name: "time", Size: 3, Unit: ops.MustUnit("h"), Coords: []float64{noon, noon + 3600, noon + 7200}}
	a, ah := array("a", ops.Dense{Re: []float64{1, 2, 3}}, "K", hours)
	p, err := use(t, "plot.line", map[string]ops.Value{"y": a, "path": ops.Text("a.svg")})
	if err != nil {
		t.Fatal(err)
	}
	if f, err := p.figure([]ops.HostArray{ah}); err != nil || f.across != "time, 2018-06-30 (UTC)" || f.series[0].x[1] != noon+3600 {
		t.Errorf("%v, %+v", err, f)
	}
}
