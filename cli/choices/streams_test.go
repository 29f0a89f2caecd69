package choices

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"weft/cli"
	"weft/kernels/cache/cachetest"
	"weft/ops"
	"weft/ops/catalogue"
	"weft/ops/files/npy"
)

// An array of tallRows x tallColumns takes 512 KiB, which is more than littleMemory: what is made of it comes by rows.
const (
	tallRows, tallColumns = 4000, 32
	littleMemory          = "320KiB"
)

// byRows are expressions of a, an array of numbers between 0.1 and 0.9 over [y, x], by the operator or function of a library that they use. What
// they give is made and written by rows of y, and of a only a few are there at a time.
var byRows = map[string]string{
	"add": "a + 1", "div": "a / 3", "mul": "a * 3", "neg": "-a", "pow": "a ^ 1.5", "power": "power(a, 3)", "sub": "a - 1", "mod": "mod(a, 0.3)",
	"floor_div": "floor_div(a, 0.3)", "and": "where(a > 0.2 and a < 0.6, 1, 0)", "or": "where(a < 0.2 or a > 0.6, 1, 0)", "not": "where(not (a > 0.5), 1, 0)",
	"equal": "where(a == 0.5, 1, 0)", "not_equal": "where(a != 0.5, 1, 0)", "less": "where(a < 0.5, 1, 0)", "less_equal": "where(a <= 0.5, 1, 0)",
	"filled": "filled(sqrt(a - 0.5), with: 0)", "is_nan": "where(is_nan(sqrt(a - 0.5)), 1, 0)", "where": "where(a > 0.5, a, 0)", "cast": "cast(a, f64)",
	"complex": "abs(complex(a, a))", "conj": "abs(conj(complex(a, 1)))", "imag": "imag(complex(a, a))", "real": "real(complex(a, a))", "phase": "phase(complex(a, 1))", "cis": "abs(cis(a))",
	"require": "require(a, a > 0)", "clamp": "clamp(a, 0.2, 0.7)", "hypot": "hypot(a, 1)", "atan2": "atan2(a, 1)", "acosh": "acosh(a + 1)",
	"bit_and": "bit_and(cast(a * 100, i32), 7)", "bit_or": "bit_or(cast(a * 100, i32), 7)", "bit_xor": "bit_xor(cast(a * 100, i32), 7)",
	"shift_left": "shift_left(cast(a * 100, i32), 2)", "shift_right": "shift_right(cast(a * 100, i32), 2)",
	"all": "where(all(a > 0.1, over: x), 1, 0)", "any": "where(any(a > 0.8, over: x), 1, 0)", "argmax": "argmax(a, over: x)", "argmin": "argmin(a, over: x)",
	"argsort": "argsort(a, along: x)", "cumsum": "cumsum(a, along: y)", "dot": "dot(a, a[y: 3], over: x)", "histogram": "histogram(a, 0 .. 1 in 9, over: x)",
	"max": "max(a, over: x)", "mean": "mean(a, over: x)", "median": "median(a, over: x)", "min": "min(a, over: x)", "norm": "norm(a, over: x)",
	"quantile": "quantile(a, 0.3, over: x)", "sort": "sort(a, along: x)", "std": "std(a, over: x)", "sum": "sum(a, over: x)", "var": "var(a, over: x)",
	"coordinates": "a + coordinates(a, y)", "indices": "a + indices(a, y)", "size": "a + size(a, y)", "spacing": "a + spacing(a, y)", "bounds": "a + bounds(a, y)",
	"each": "each([1, 2], k -> a * k)", "reduce": "reduce([1, 2], (s, k) -> s + a * k, from: 0)", "fold": "a | fold((s, v) -> s * 0.5 + v, along: x, from: 0)",
	"scan": "a | scan((s, v) -> s * 0.5 + v, along: y, from: 0)", "iterate": "a | iterate(s -> s * 0.5 + 0.1, turns: 3)",
	"concat": "concat([a, a], along: x)", "diff": "diff(a, along: y)", "pad": "pad(a, y: [2, 3], value: 0)", "rename": "rename(a, from: x, to: z)", "repeat": "repeat(a, along: z, n: 2)",
	"reverse": "reverse(a, along: x)", "roll": "roll(a, x: 3)", "slice": "a[y: 10 .. 3000]", "part": "part(a, along: y, of: 3)", "stack": "stack([a, a], along: z)", "take": "a[y: here + 1, outside: 0]",
	"with_coordinates": "with_coordinates(a, y: 0 .. 1)", "convolve": "convolve(a, array([1, 2, 1], dims: y), along: y)", "decibel": "decibel(a)",
	"fft": "abs(fft(a, along: x))", "ifft": "abs(ifft(a, along: x))", "rfft": "abs(rfft(a, along: x))", "envelope": "envelope(complex(a, 0))",
	"shadow": "a * 1 m | shadow(sun: (azimuth: 120 deg, altitude: 50 deg))", "skyview": "(a * 20 m | skyview(patches: 145)).total", "walls": "(a * 20 m | walls).height",
}

// atOnce are expressions of operators that have to have all of a at once, and what weft says of it.
var atOnce = map[string][2]string{
	"transpose": {"transpose(a)", "needed at once"},
	"unique":    {"unique(a)", ""},
}

// apart are operators that take arrays of which there is no row to go by, and why.
var apart = map[string]string{}

func TestOperatorsTakeArraysByRows(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a program an operator, twice")
	}
	cachetest.Use(t)
	t.Chdir(t.TempDir())
	t.Setenv("CC", "")
	values := make([]float32, tallRows*tallColumns)
	for i := range values {
		values[i] = float32(0.5 + 0.4*math.Sin(float64(i)*0.37)*math.Cos(float64(i/tallColumns)*0.05))
	}
	if err := npy.Save("a.npy", []int{tallRows, tallColumns}, values); err != nil {
		t.Fatal(err)
	}
	ran := func(expression string, flags ...string) (output []byte, said string) {
		text := "a = read(\"a.npy\", dims: [y, x], pixel: 1 m)\n" + expression + " | write(\"o.npy\")\n"
		if err := os.WriteFile("p.weft", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		os.Remove("o.npy")
		var out bytes.Buffer
		if cli.Run(t.Context(), append([]string{"run", "--no-verify", "p.weft"}, flags...), nil, &out, &out) != 0 {
			return nil, out.String()
		}
		output, err := os.ReadFile("o.npy")
		if err != nil {
			t.Fatal(err)
		}
		return output, out.String()
	}
	for _, name := range catalogue.Standard().Names() {
		spec := catalogue.Standard().Lookup(name)
		takes := slices.ContainsFunc(spec.Params, func(p ops.Param) bool { return p.Accept&ops.KArray != 0 })
		expression, rows := byRows[spec.Name]
		refused, whole := atOnce[spec.Name]
		if _, none := apart[spec.Name]; !takes || none {
			continue
		}
		if !rows && !whole {
			expression, rows = fmt.Sprintf("%s(a)", spec.Name), true
		}
		t.Run(spec.Name, func(t *testing.T) {
			if whole {
				if out, said := ran(refused[0], "--memory", littleMemory); out != nil || !strings.Contains(said, "E0601") || !strings.Contains(said, refused[1]) {
					t.Errorf("%s: %s", refused[0], said)
				}
				return
			}
			want, said := ran(expression)
			if want == nil {
				t.Fatalf("%s: %s", expression, said)
			}
			if got, said := ran(expression, "--memory", littleMemory); got == nil {
				t.Errorf("%s: %s", expression, said)
			} else if !bytes.Equal(got, want) {
				t.Errorf("%s: other bytes by rows", expression)
			}
		})
	}
}
