package choices

import (
	"bytes"
	"cmp"
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

// An array of tallRows x tallColumns takes 12 MiB, which is more than littleMemory: what is made of it comes by rows.
const (
	tallRows, tallColumns = 100000, 32
	littleMemory          = "6MiB"
)

// byRows are expressions of a, an array of numbers over [y, x], by the operator that they use, where it is not said by its name and a alone. What they give is made
// and written by rows of y, and of a only a few are there at a time.
var byRows = map[string]string{
	"cholesky":   "cholesky(reshape(a[x: 0 .. 15], [y, i, j], [100000, 4, 4]), rows: i, columns: j)",
	"solve":      "solve(reshape(a[x: 0 .. 15], [y, i, j], [100000, 4, 4]), rename(a[x: 0 .. 3], from: x, to: i), rows: i, columns: j)",
	"assume":     "assume(reshape(a[x: 0 .. 15], [y, i, j], [100000, 4, 4]), symmetric, rows: i, columns: j)",
	"verify":     "verify(reshape(a[x: 0 .. 15], [y, i, j], [100000, 4, 4]), symmetric, rows: i, columns: j)",
	"marginal":   "marginal(reshape(a[x: 0 .. 15], [y, i, j], [100000, 4, 4]), rename(a[x: 0 .. 3], from: x, to: i), rows: i, columns: j)",
	"evidence":   "evidence(a, a, fill(0.5, dims: x, extents: 32) ^ axis(term, 0 .. 2 in 3), along: x, term: term)",
	"demodulate": "demodulate(rename(a, from: x, to: sample), fc: 1 MHz, fs: 8 MHz)", "reshape": "reshape(a, [y, u, v], [100000, 4, 8])",
	"filled":  "filled(leading(a, sum(cast(fill(0.5, dims: k, extents: 9) > 0, i32)), along: x), with: 0, along: x)",
	"leading": "filled(leading(a, sum(cast(fill(0.5, dims: k, extents: 9) > 0, i32)), along: x), with: 0, along: x)", "pack": "pack(a, a > 0.5, at_most: 9, along: x).value",
	"scatter": "scatter(a, at: (bin: clamp(cast(a * 8, i32), 0, 8)), like: axis(bin, 0 .. 8 in 9))", "unique": "unique(a, along: x, at_most: 9).value",
	"require": "require(all(a > 0), \"some are not above 0\")\na", "transpose": "transpose(rename(a, from: x, to: z) + axis(x, 0 .. 1 in 4), [y, x, z])", "write": "a",
	"add": "a + 1", "div": "a / 3", "mul": "a * 3", "neg": "-a", "pow": "a ^ 1.5", "power": "power(a, 3)", "sub": "a - 1", "mod": "mod(a, 0.3)",
	"floor_div": "floor_div(a, 0.3)", "and": "where(a > 0.2 and a < 0.6, 1, 0)", "or": "where(a < 0.2 or a > 0.6, 1, 0)", "not": "where(not (a > 0.5), 1, 0)",
	"equal": "where(a == 0.5, 1, 0)", "not_equal": "where(a != 0.5, 1, 0)", "less": "where(a < 0.5, 1, 0)", "less_equal": "where(a <= 0.5, 1, 0)",
	"is_nan": "where(is_nan(sqrt(a - 0.5)), 1, 0)", "where": "where(a > 0.5, a, 0)", "cast": "cast(a, f64)",
	"complex": "abs(complex(a, a))", "conj": "abs(conj(complex(a, 1)))", "imag": "imag(complex(a, a))", "real": "real(complex(a, a))", "phase": "phase(complex(a, 1))", "cis": "abs(cis(a))",
	"clamp": "clamp(a, 0.2, 0.7)", "hypot": "hypot(a, 1)", "atan2": "atan2(a, 1)", "acosh": "acosh(a + 1)",
	"bit_and": "bit_and(cast(a * 100, i32), 7)", "bit_or": "bit_or(cast(a * 100, i32), 7)", "bit_xor": "bit_xor(cast(a * 100, i32), 7)",
	"shift_left": "shift_left(cast(a * 100, i32), 2)", "shift_right": "shift_right(cast(a * 100, i32), 2)",
	"all": "where(all(a > 0.1, over: x), 1, 0)", "any": "where(any(a > 0.8, over: x), 1, 0)", "argmax": "argmax(a, over: x)", "argmin": "argmin(a, over: x)",
	"argsort": "argsort(a, along: x)", "cumsum": "cumsum(a, along: y)",
	"max": "max(a, over: x)", "mean": "mean(a, over: x)", "median": "median(a, over: x)", "min": "min(a, over: x)", "norm": "norm(a, over: x)",
	"quantile": "quantile(a, 0.3, over: x)", "sort": "sort(a, along: x)", "std": "std(a, over: x)", "sum": "sum(a, over: x)", "var": "var(a, over: x)",
	"coordinates": "a * coordinates(a, y)", "indices": "a + indices(a, y)", "size": "a + size(a, y)", "spacing": "a * spacing(a, y)", "bounds": "a * bounds(a).high", "unit": "a / unit(a)",
	"each": "each([1, 2], k -> a * k)", "reduce": "reduce([1, 2], (s, k) -> s + a * k, from: 0)", "fold": "a | fold((s, v) -> s * 0.5 + v, along: x, from: 0)",
	"scan":   "a | scan((s, v) -> s * 0.5 + v, along: y, from: 0)",
	"concat": "concat([a, a], x)", "diff": "diff(a, along: y)", "pad": "pad(a, y, before: 2, after: 3)", "rename": "rename(a, from: x, to: z)", "repeat": "repeat(a, x, times: 2)",
	"reverse": "reverse(a, x)", "roll": "roll(a, x, steps: 3)", "slice": "a[y: 10 .. 3000]", "stack": "stack([a, a], z)[z: 1]", "take": "a[y: here + 1, outside: 0]",
	"with_coordinates": "with_coordinates(a, y, at: 0 .. 1)", "convolve": "convolve(a, array([1, 2, 1], dims: y), along: y)", "decibel": "decibel(a)",
	"fft": "abs(fft(a, along: x))", "ifft": "abs(ifft(a, along: x))", "rfft": "abs(rfft(a, along: x))", "envelope": "envelope(complex(a, 0))",
	"shadow": "(a * 1 m | shadow(azimuth: 120 deg, altitude: 50 deg)).building", "skyview": "(a * 20 m | skyview(patches: 145, reach: 30 m)).total", "walls": "(a * 20 m | walls).height",
}

// atOnce are expressions of operators that have to have more of a at once, and what is said of it.
var atOnce = map[string][2]string{
	"iterate":    {"a | iterate(s -> s * 0.5 + 0.1, at_most: 3)", "x"},
	"dot":        {"dot(a, rename(a, from: x, to: z), over: y)", "dot needs all of it for each of its rows"}, // whose sums are not of parts
	"histogram":  {"histogram(a, 0 .. 1 in 9, over: y)", "histogram needs all of it for each of its rows"},
	"show":       {"show(a)", "show takes it as a whole"},
	"plot.image": {"plot.image(a, path: \"o.png\")", "o.png is written as a whole"},
}

// downRows are expressions that go down the rows of a, and functions of libraries.
var downRows = []string{
	"sum(a, over: y)", "mean(a, over: y)", "std(a, over: y)", "norm(a, over: y)", "max(a, over: y)", "min(abs(a), over: y)", "argmax(a, over: y)", "where(any(a > 0.5, over: y), 1, 0)",
	"dot(a, fill(0.5, dims: x, extents: 32), over: x)", "histogram(a, 0 .. 1 in 9, over: x)",
	"sum(a)", "max(a)", "mean(a)", "histogram(a, 0 .. 1 in 9)", "cumsum(a, along: y)",
	"a | fold((s, v) -> max(0.5 * s, v), along: y, from: 0)", "a | scan((s, v) -> (mean: 0.9 * s.mean + v, n: s.n + 1), along: y, from: (mean: 0, n: 0)) | part(\"mean\")",
	"sum(a | scan((s, v) -> 0.9 * s + v, along: y, from: 0), over: y)",
	"stats.zscore(a, over: x)", "stats.zscore(a, over: y)", "stats.covariance(a, 2 * a, over: y)",
	"image.blur(a)", "image.median(a)", "image.erode(a)", "image.dilate(a)", "image.gradient(a).y", "image.resize(a, 50000, 16)",
	"signal.filter(a, signal.lowpass(y, 9, 0.2), y)", "signal.decimate(a, y, 4)", "signal.periodogram(a, x)",
	"urban.wall_height(a * 20 m)", "urban.view(a * 20 m, 145, reach: 30 m).south",
}

// others are operators that no array of rows is for, and why.
var others = map[string]string{
	"arrivals":  "a few delays of a transducer",
	"beamform":  "each place takes echoes of all elements, which one frame has",
	"eigen":     "a square matrix, which the kernels of its calls read by rows: see TestKilledDrivesResume",
	"inverse":   "a square matrix, of whose inverse each call stores a box: both are in memory",
	"newton":    "an iteration over elements that leave when they are done: its state is in memory",
	"svd":       "vectors over all rows are in memory, and take nearly as much of it as this array",
	"plot.bars": "a few numbers", "plot.hist": "numbers that are shown", "plot.line": "numbers that are shown", "plot.scatter": "numbers that are shown",
}

// What an operator, of the library or not, is made of decides whether arrays larger than the memory can be given to it.
func TestOperatorsTakeArraysByRows(t *testing.T) {
	cachetest.Use(t)
	t.Chdir(t.TempDir())
	if err := npy.Save("a.npy", []int{tallRows, tallColumns}, make([]float32, tallRows*tallColumns)); err != nil {
		t.Fatal(err)
	}
	explained := func(expression string) (said string, ok bool) {
		text := "use image\nuse signal\nuse stats\nuse urban\na = read(\"a.npy\", dims: [y, x], pixel: 1 m)\n" + expression
		if !strings.HasPrefix(expression, "show(") && !strings.HasPrefix(expression, "plot.") {
			text += " | write(\"o.npy\")"
		}
		if err := os.WriteFile("p.weft", []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		code := cli.Run(t.Context(), []string{"explain", "--verbose", "p.weft", "--isa", "avx2", "--memory", littleMemory}, nil, &out, &out)
		return out.String(), code == 0
	}
	streams := func(t *testing.T, expression string) {
		if said, ok := explained(expression); !ok || !strings.Contains(said, "in blocks of rows: ") {
			t.Errorf("%s: %s", expression, said)
		}
	}
	for _, expression := range downRows {
		streams(t, expression)
	}
	for _, name := range catalogue.Standard().Names() {
		spec := catalogue.Standard().Lookup(name)
		takes := slices.ContainsFunc(spec.Params, func(p ops.Param) bool { return p.Accept&ops.KArray != 0 })
		if _, other := others[name]; other || !takes {
			continue
		}
		t.Run(name, func(t *testing.T) {
			if refused, whole := atOnce[name]; whole {
				if said, ok := explained(refused[0]); ok || !strings.Contains(said, "E0601") || !strings.Contains(said, refused[1]) {
					t.Errorf("%s: %s", refused[0], said)
				}
				return
			}
			streams(t, cmp.Or(byRows[name], name+"(a)"))
		})
	}
}
