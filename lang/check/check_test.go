package check

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/lang/diag"
	"weft/ops"
	arrays "weft/ops/array"
	"weft/ops/catalogue"
	"weft/ops/problem"
	"weft/ops/shape"
)

// use is an operator that does nothing, with outputs.
type use struct{ ops.Gives }

func (use) Lower(*ops.Lowering) []*ops.Stage { return nil }

// sink takes anything.
type sink struct {
	use
	path string
}

func (s sink) File() string { return s.path }

func (sink) Take(context.Context, []ops.HostArray, ops.Terminal) (ops.Note, error) {
	return ops.Note{}, nil
}

func array(t ops.Type) func(*ops.Call) (ops.Op, error) {
	return func(*ops.Call) (ops.Op, error) { return use{ops.One(t)}, nil }
}

func like(c *ops.Call) (ops.Op, error) { return use{ops.One(c.Type("input"))}, nil }

func noSink(*ops.Call) (ops.Op, error) { return sink{}, nil }

var line = ops.Type{Elem: ops.F32, Dims: []ops.Dim{{Name: "x", Size: 8}}, Unit: ops.MustUnit("m")}

type disc struct{ r float64 }

func (disc) Kind() ops.Kind   { return ops.KObject }
func (d disc) String() string { return "disc" }
func (disc) TypeName() string { return "disc" }

// words is a small catalogue of operators that do nothing, for mistakes of every kind.
func words() *catalogue.Catalogue {
	input := ops.Param{Name: "input", Accept: ops.KArray, Unit: "*"}
	two := 2.0
	stage := func(name string, params ...ops.Param) *ops.Spec {
		return &ops.Spec{Name: name, Params: append([]ops.Param{input}, params...), Bind: like}
	}
	return catalogue.New([]*ops.Spec{
		{Name: "data", Params: []ops.Param{{Name: "n", Accept: ops.KNumber, Default: ops.Number{V: 8, Int: true}, Integer: true, Positive: true}}, Bind: array(line)},
		{Name: "sim.noise", Bind: array(line)},
		stage("shift", ops.Param{Name: "dx", Accept: ops.KNumber, Unit: "m"}, ops.Param{Name: "times", Accept: ops.KNumber, Integer: true, Min: &two, Default: ops.Number{V: 2}}),
		stage("smooth", ops.Param{Name: "window", Accept: ops.KSymbol | ops.KObject, Choices: []string{"hann", "rect"}, Objects: []string{"disc"}, Default: ops.Symbol("rect")}),
		stage("total", ops.Param{Name: "over", Accept: ops.KSymbol | ops.KList, Optional: true}),
		stage("slice", ops.Param{Name: "at", Accept: ops.KList}),
		{Name: "column", Params: []ops.Param{{Name: "input", Accept: ops.KArray, Unit: "*", Dims: []string{"sample"}}}, Bind: like},
		stage("add", ops.Param{Name: "b", Accept: ops.KArray | ops.KNumber, Unit: "*"}),
		root(stage("sqrt")), stage("mul", ops.Param{Name: "b", Accept: ops.KArray | ops.KNumber, Unit: "*"}),
		{Name: "disc", Params: []ops.Param{{Name: "r", Accept: ops.KNumber, Unit: "m"}}, Bind: ops.Make(func(c *ops.Call) (ops.Value, error) { return disc{c.Number("r")}, nil })},
		{Name: "split", Params: []ops.Param{input}, Bind: func(c *ops.Call) (ops.Op, error) {
			return use{ops.Gives{{Name: "low", Type: line}, {Name: "high", Type: line}}}, nil
		}},
		{Name: "refuse", Params: []ops.Param{input, {Name: "why", Accept: ops.KText}}, Bind: func(c *ops.Call) (ops.Op, error) {
			return nil, problem.Wrong(problem.ExtentMismatch, "why", "ask nicely", "refused: %s", c.Text("why"))
		}},
		{Name: "out", Params: []ops.Param{input, {Name: "path", Accept: ops.KText, Optional: true}}, Bind: func(c *ops.Call) (ops.Op, error) { return sink{path: c.Text("path")}, nil }},
	})
}

var expectation = regexp.MustCompile(`#! (.*)$`)

// expected reads the comments "#! E0202 part of the message; E0203 ..." of a text: what must be reported on each line.
func expected(text string) map[int][]string {
	out := map[int][]string{}
	sc := bufio.NewScanner(strings.NewReader(text))
	for n := 1; sc.Scan(); n++ {
		if m := expectation.FindStringSubmatch(sc.Text()); m != nil {
			for _, e := range strings.Split(m[1], ";") {
				out[n] = append(out[n], strings.TrimSpace(e))
			}
		}
	}
	return out
}

func TestMistakes(t *testing.T) {
	files, err := filepath.Glob("testdata/*.weft")
	if err != nil || len(files) == 0 {
		t.Fatal("no test files", err)
	}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			_, list := File(f, text, words(), Options{})
			want := expected(string(text))
			for _, d := range list.Sorted() {
				n := d.Span.Position().Line
				got := d.Code + " " + d.Message
				if d.Help != "" {
					got += " help: " + d.Help
				}
				i := slices.IndexFunc(want[n], func(w string) bool { return matches(got, w) })
				if i < 0 {
					t.Errorf("%s:%d: unexpected %s", f, n, got)
					continue
				}
				want[n] = slices.Delete(want[n], i, i+1)
			}
			for n, w := range want {
				for _, m := range w {
					t.Errorf("%s:%d: not reported: %s", f, n, m)
				}
			}
		})
	}
}

// matches reports that got begins with the code of want and contains its text.
func matches(got, want string) bool {
	code, text, _ := strings.Cut(want, " ")
	return strings.HasPrefix(got, code+" ") && strings.Contains(got, text)
}

func TestOverrides(t *testing.T) {
	text := []byte("param c = 1540 m/s\nparam path = \"a.npy\"\nshift(data(), dx: c * 1 s) | out(path: path)\n")
	p, list := File("f", text, words(), Options{Params: map[string]string{"c": "2 km/s", "path": "b.npy"}})
	if list.HasErrors() {
		t.Fatal(list.Sorted())
	}
	if got := p.Sinks[0].Call.Text("path"); got != "b.npy" {
		t.Errorf("path is %q", got)
	}
	shift := p.Sinks[0].Call.Args["input"].(ops.Array).Of
	if got := shift.Call.Number("dx"); got != 2000 {
		t.Errorf("dx is %g m, want 2000", got)
	}
	for over, code := range map[string]string{"q=1": problem.UnknownOverride, "c=3 +": problem.BadOverride, "c=5 kg": problem.BadOverride, "c=fast": problem.BadOverride, "path=\"a\" + 3": problem.BadOverride, "path=\xff.npy": problem.BadOverride} {
		name, value, _ := strings.Cut(over, "=")
		_, list := File("f", text, words(), Options{Params: map[string]string{name: value}})
		if !slices.ContainsFunc(list.Sorted(), func(d *diag.Diagnostic) bool { return d.Code == code }) {
			t.Errorf("-p %s: want %s, got %v", over, code, list.Sorted())
		}
	}
}

func TestConstants(t *testing.T) {
	for text, want := range map[string]string{
		"2 + 3 * 4":                              "14",
		"-2 ^ 2":                                 "-4",
		"2 ^ 3 ^ 2":                              "512",
		"1 mm + 1 cm":                            "11 mm",
		"5 m/s":                                  "5 m/s",
		"1540 m/s / 3 MHz":                       "0.00051333333 m",
		"(3 mm) * (2 mm)":                        "6e-06 m^2",
		"20 degC - 5 K":                          "15 degC",
		"5 K + 20 degC":                          "25 degC",
		"25 degC - 20 degC":                      "5 K",
		"-20 degC":                               "-20 degC",
		"-5 degC < 0 degC":                       "true",
		"20 degC - -5 degC":                      "25 K",
		"2^60 - 2^10":                            "1.1529215e+18",
		"round(9 / 2)":                           "4",
		"6 / 3":                                  "2",
		"axis(x, 0 .. 9 in 10)[x: 0 .. -1 by 2]": "f32 [x: 5]",
		"axis(x, 0 .. 9 in 10)[x: round(9 / 2)]": "f32 []",
		"sqrt(16)":                               "4",
		"max(2 mm, 1 cm)":                        "10 mm",
		"36 km/h == 10 m/s":                      "true",
		"\"a\" + \"b\"":                          "\"ab\"",
		"not (1 < 2)":                            "false",
		"1 mm .. 3 mm in 3":                      "1 mm .. 3 mm in 3",
		"[1 mm, 2 mm]":                           "[1 mm, 2 mm]",
		"(2 m)^2":                                "4 m^2",
		"60 dB - 6 dB":                           "54 dB",
		"cos(60 deg)":                            "0.5",
		"9.81 m/s^2 * 2 s":                       "19.62 m s^-1",
		"10 / 4":                                 "2.5",
	} {
		cat := catalogue.New(arrays.Specs(), shape.Specs(), []*ops.Spec{{Name: "see", Params: []ops.Param{{Name: "v", Accept: 1<<10 - 1, Unit: "*"}}, Bind: noSink}})
		p, list := File("f", []byte("see("+text+")"), cat, Options{})
		if list.HasErrors() || len(p.Sinks) != 1 {
			t.Errorf("%s: %v", text, list.Sorted())
			continue
		}
		if got := p.Sinks[0].Call.Args["v"].String(); got != want {
			t.Errorf("%s = %s, want %s", text, got, want)
		}
	}
}

// TestWholeNumbers checks which constants count as whole: an index must not become a coordinate by the parity of a number.
func TestWholeNumbers(t *testing.T) {
	for text, want := range map[string]bool{"3": true, "2 * 3": true, "6 / 2": false, "5 / 2": false, "round(6 / 2)": true, "floor(2.5)": true, "2^3": true, "2^-1": false, "-3": true, "3.0": false} {
		cat := catalogue.New(arrays.Specs(), shape.Specs(), []*ops.Spec{{Name: "see", Params: []ops.Param{{Name: "v", Accept: ops.KNumber, Unit: "*"}}, Bind: noSink}})
		p, list := File("f", []byte("see("+text+")"), cat, Options{})
		if list.HasErrors() {
			t.Errorf("%s: %v", text, list.Sorted())
			continue
		}
		if got := p.Sinks[0].Call.Args["v"].(ops.Number).Int; got != want {
			t.Errorf("%s: whole is %v, want %v", text, got, want)
		}
	}
}

// TestRefused has programs with the code and a part of the message of their only error.
func TestRefused(t *testing.T) {
	doubling := "fn f0(x) = x + x\n"
	for i := range 40 {
		doubling += fmt.Sprintf("fn f%d(x) = f%d(x) + f%d(x)\n", i+1, i, i)
	}
	many := make([]string, 65)
	for i := range many {
		many[i] = fmt.Sprintf("d%d", i)
	}
	for text, want := range map[string]string{
		"t = axis(x, 0 degC .. 9 degC in 4)\nsee(-t)": "E0314 `-` of degC",
		"see(-(5 degC))": "E0314 a sign belongs to the number",
		"t = axis(x, 0 degC .. 9 degC in 4)\nsee(abs(t))": "E0314 `abs` of degC",
		"see(axis(x, 0 degC .. 9 degC by 3 degC))":        "E0314 a step is a difference",
		"see(axis(x, 0 .. 1 in 3) @tolerance(0.1 degC))":  "E0314 an error is a difference",
		"see(fill(1, dims: x, extents: 9)[x: 8 / 2])":     "E0307 round it",
		"see(9007199254740993)":                           "E0104 cannot be held exactly",
		"see(2^53 + 1)":                                   "E0306 beyond 2^53",
		"see(pow(3, 40))":                                 "E0306 beyond 2^53",
		"a = axis(x, 0 .. 1 in 16777216)\nsee(a + rename(a, from: x, to: y) + rename(a, from: x, to: z))":       "E0610 too large",
		"see(fill(1, dims: x, extents: 3000000000))":                                                            "E0610 at most 2147483647 points",
		"see(fill(1, dims: [" + strings.Join(many, ", ") + "], extents: [1" + strings.Repeat(", 1", 64) + "]))": "E0610 65 dimensions",
		doubling + "see(f40(axis(x, 0 .. 1 in 3)))":                                                             "E0121 more than 20000 calls",
		"a = axis(x, 0 .. 1 in 3)\nb = a @tile(x: 1)\nc = a @tile(x: 2)\nsee(b)\nsee(c)":                        "E0222 asks of a stage",
		doubling + "see(f40(1))": "E0121 more than 20000 calls",
	} {
		cat := catalogue.New(arrays.Specs(), shape.Specs(), []*ops.Spec{{Name: "see", Params: []ops.Param{{Name: "v", Accept: 1<<10 - 1, Unit: "*"}}, Bind: noSink}})
		_, list := File("f", []byte(text), cat, Options{})
		got := ""
		for _, d := range list.Sorted() {
			if d.Severity == diag.Error {
				got += d.Code + " " + d.Message + " help: " + d.Help
			}
		}
		if list.Count(diag.Error) != 1 || !matches(got, want) {
			t.Errorf("%s: got %s, want %s", text[max(0, len(text)-60):], got, want)
		}
	}
}

func TestNothingPanics(t *testing.T) {
	for _, text := range []string{"", "x", "x | y", "a.b.c", "[1, x][y: 2]", "fn f(x) = f(x)\nf(1) | out", "a = b\nb = a\nout(a)", "data() @keep @keep(1)", "a = data()\na @keep", "out(data())[x: 1]", "(1 | 2)", "param p = data()\nout(p)"} {
		File("f", []byte(text), words(), Options{})
	}
}

func TestHundredLinesAreQuick(t *testing.T) {
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, "v%d = data(n: %d) | shift(dx: %d mm) | smooth(window: hann)\n", i, i+1, i)
	}
	b.WriteString("out(v99)\n")
	File("warm", []byte("out(data())"), words(), Options{})
	best := time.Hour // of a few: the machine may be busy with something else
	for range 5 {
		start := time.Now()
		File("f", []byte(b.String()), words(), Options{})
		best = min(best, time.Since(start))
	}
	if best > 50*time.Millisecond {
		t.Errorf("checking 100 lines took %v at best, want at most 50 ms", best)
	}
}

// root lets an operator be made of a number, too.
func root(s *ops.Spec) *ops.Spec {
	s.Params[0].Accept |= ops.KNumber
	s.Bind = func(c *ops.Call) (ops.Op, error) {
		if _, ok := c.Array("input"); ok {
			return like(c)
		}
		return ops.Known{Value: ops.Number{V: math.Sqrt(c.Number("input"))}}, nil
	}
	return s
}

func TestThousandsOfMistakesAreQuick(t *testing.T) {
	var b strings.Builder
	for i := range 2500 {
		fmt.Fprintf(&b, "alpha%d = data() | shfit(dx: 1 kg)\nout(alpah%d)\n", i, i)
	}
	start := time.Now()
	_, list := File("f", []byte(b.String()), words(), Options{})
	if d := time.Since(start); d > 20*time.Second { // a few on a busy machine
		t.Errorf("checking 5000 lines took %v", d)
	}
	if n := list.Count(diag.Error); n != 5000 {
		t.Errorf("%d errors, want 5000", n)
	}
	for i, d := range list.Sorted()[:2] {
		if d.Help == "" {
			t.Errorf("mistake %d has no help", i)
		}
	}
}
