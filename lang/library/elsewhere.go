package library

import (
	"slices"
	"strings"
)

// elsewhere is what is written here for names that people bring along from NumPy, MATLAB and the like.
var elsewhere = map[string]string{
	"arange": "axis(x, 0 .. 9)", "linspace": "axis(x, 0 mm .. 1 mm in 101)", "meshgrid": "axis(x, 0 .. 9) and axis(y, 0 .. 9), which join by name",
	"zeros": "fill(0, dims: [x, y], extents: [3, 4])", "ones": "fill(1, dims: [x, y], extents: [3, 4])", "full": "fill(7, dims: x, extents: 3)",
	"len": "size(a, x)", "length": "size(a, x)", "shape": "size(a, x)", "random": "simulate.uniform(indices(a, x), seed: 1)",
	"rand": "simulate.uniform(indices(a, x), seed: 1)", "randn": "simulate.normal(indices(a, x), seed: 1)", "average": "mean(a, over: x)",
	"variance": "var(a, over: x)", "stdev": "std(a, over: x)", "percentile": "quantile(a, 0.95, over: x)", "ln": "log(a)", "arcsin": "asin(a)",
	"arccos": "acos(a)", "arctan": "atan(a)", "arctan2": "atan2(y, x)", "angle": "phase(a)", "absolute": "abs(a)", "concatenate": "concat([a, b], x)",
	"flip": "reverse(a, x)", "clip": "clamp(a, 0, 1)", "interp": "a[x: places, interpolation: linear, outside: nearest]",
	"interp1d": "a[x: places, interpolation: linear, outside: nearest]", "interpolate": "a[x: places, interpolation: linear, outside: nearest]",
	"shift": "a[x: here - 1, outside: 0]", "matmul": "dot(a, b, over: k)", "einsum": "dot(a, b, over: k)", "inner": "dot(a, b, over: k)",
	"outer": "a * rename(a, from: x, to: z)", "gaussian_filter": "image.blur(a, sigma: 2)", "median_filter": "image.median(a)",
	"print": "show(a)", "display": "show(a)", "plot": `plot.line(a, "a.png")`, "hist": `plot.hist(a, "a.png")`, "imshow": `write(a, "a.png")`, "load": `read("a.npy", dims: [x, y])`,
	"loadtxt": `read("a.txt")`, "genfromtxt": `read("a.csv")`, "read_csv": `read("a.csv")`, "to_csv": `write((a: a, b: b), "a.csv")`,
	"open": `read("a.npy", dims: [x, y])`, "save": `write(a, "a.npy")`, "savefig": `write(a, "a.png")`, "int": "cast(a, i32)",
	"float": "cast(a, f32)", "nanmean": "sum(where(is_nan(a), 0, a)) / sum(not is_nan(a))", "isnan": "is_nan(a)", "ifelse": "where(condition, a, b)",
}

// Instead says what is written for a name that no operator has: what is usual here, or a function of a library; empty: nothing is known.
func Instead(name string) string {
	text, ok := elsewhere[name]
	for _, of := range Names() {
		if ok && strings.HasPrefix(text, of+".") {
			return "write `" + text + "`, behind `use " + of + "`"
		}
		all, _ := Text(of)
		parts, _ := Parts(all)
		if !ok && slices.ContainsFunc(parts, func(p Part) bool { return p.Name == name && !p.Use && !strings.HasPrefix(name, "_") }) {
			return "`use " + of + "` makes `" + of + "." + name + "` known"
		}
	}
	if !ok {
		return ""
	}
	return "write `" + text + "`"
}
