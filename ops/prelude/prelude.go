// Package prelude holds the operators that are written in the language itself: their declarations are like those of any other, and their
// bodies are functions of the other operators.
package prelude

import "weft/ops"

// Specs lists the operators of this package.
func Specs() []*ops.Spec {
	return []*ops.Spec{variance, deviation, diff, roll, pad, repeat, convolve, unique}
}

var (
	array = ops.In("a", "array")
	over  = ops.Names("over", "a dimension or a list of dimensions; all when left out; k in first .. last goes, for each element of the ends, through that part of k alone").
		Also(ops.KSegment).Or(ops.Symbol("all"))
	ddof  = few("ddof", "how many of the elements the mean has used up: 1 for a sample of a whole")
	along = ops.Param{Name: "along", Doc: "one of its dimensions", Accept: ops.KSymbol}
	ends  = []string{"nearest", "wrap", "mirror"}
)

// few is a whole number from 0, which is the default.
func few(name, doc string) ops.Param {
	return ops.Num(name, "", doc).Whole().AtLeast(0).Or(ops.Integer(0))
}

const (
	remaining = "an array over the remaining dimensions, in order; a single value when none remains."
	reduces   = "reductions"
	shapes    = "shape and selection"
)

var variance = &ops.Spec{
	Name: "var", Doc: "Mean of the squared distances from the mean.", Group: reduces, Returns: remaining,
	Long: "The squares of magnitudes where the array is complex. A NaN among the elements gives NaN, and so do no more elements than ddof. Sums accumulate in f64; " +
		"what the rounding of the mean leaves is taken off, so that a large mean costs no digits.",
	Params: []ops.Param{array, over, ddof},
	Body: `n = size(a, over)
d = a - mean(a, over: over)
all = sum(abs(d) ^ 2, over: over)
rest = all - abs(sum(d, over: over)) ^ 2 / n
where(is_nan(rest), all, rest) / (if n > ddof then n - ddof else nan)`,
	Examples: []ops.Example{{Title: "Along one dimension", Code: "x = axis(x, -1 mm .. 1 mm in 5)\ny = axis(y, 0 mm .. 2 mm in 3)\nshow(var(x * y, over: x))"}},
}

var deviation = &ops.Spec{
	Name: "std", Doc: "Standard deviation: the root of var.", Group: reduces, Returns: remaining,
	Params:   []ops.Param{array, over, ddof},
	Body:     `sqrt(var(a, over: over, ddof: ddof))`,
	Examples: []ops.Example{{Title: "Of a sample", Code: "x = axis(x, -1 mm .. 1 mm in 5)\nshow(std(x, ddof: 1))"}},
}

var diff = &ops.Spec{
	Name: "diff", Doc: "Differences of neighbours along a dimension.", Group: shapes,
	Long:    "Each element is the one behind it less itself, with its coordinate.",
	Returns: "an array that is shorter by one along the dimension.",
	Params:  []ops.Param{array, along},
	Body: `n = size(a, along)
require(n > 1, "a difference needs two elements along the dimension")
(a[along: here + 1, outside: nearest] - a)[along: 0 .. n - 2]`,
	Examples: []ops.Example{{Title: "Of squares", Code: "x = axis(x, 0 .. 5 in 6)\nshow(diff(x ^ 2, x))"}},
}

var roll = &ops.Spec{
	Name: "roll", Doc: "Elements moved along a dimension; what leaves it at one end comes in at the other.", Group: shapes,
	Long: "The dimension keeps its coordinates.", Returns: "an array like a.",
	Params:   []ops.Param{array, along, ops.Num("steps", "", "by how many places, towards the end").Whole()},
	Body:     `a[along: here - steps, outside: wrap]`,
	Examples: []ops.Example{{Title: "By two", Code: "x = axis(x, 0 .. 5 in 6)\nshow(roll(x ^ 2, x, 2))"}},
}

var pad = &ops.Spec{
	Name: "pad", Doc: "Elements added at the ends of a dimension.", Group: shapes,
	Returns: "a longer array; the dimension has no coordinates.",
	Params: []ops.Param{array, along, few("before", "elements in front"), few("after", "elements behind"),
		{Name: "with", Doc: "their value, or nearest, the value at the end; wrap, the array over and over; mirror, the array turned round at its end points",
			Accept: ops.KNumber | ops.KBool | ops.KSymbol, Unit: "*", Choices: ends, Default: ops.Integer(0)}},
	Body: `n = size(a, along)
k = indices(fill(0, dims: along, extents: n + before + after), along)
a[along: k - before, outside: with]`,
	Examples: []ops.Example{{Title: "Two zeros in front", Code: "x = axis(x, 1 .. 3 in 3)\nshow(pad(x, x, before: 2))"},
		{Title: "Turned round", Code: "x = axis(x, 1 .. 3 in 3)\nshow(pad(x, x, before: 2, after: 1, with: mirror))"}},
}

var repeat = &ops.Spec{
	Name: "repeat", Doc: "Each element several times, one after the other, along a dimension.", Group: shapes,
	Returns: "a longer array; the dimension has no coordinates.",
	Params:  []ops.Param{array, along, ops.Count("times", "how often")},
	Body: `k = indices(fill(0, dims: along, extents: times * size(a, along)), along)
a[along: floor_div(k, times)]`,
	Examples: []ops.Example{{Title: "Larger pixels", Code: "x = axis(x, 1 .. 3 in 3)\nshow(repeat(x, x, 2))"}},
}

var convolve = &ops.Spec{
	Name: "convolve", Doc: "Sums of an array along a dimension, weighed by a few numbers that go along with each element.", Group: "signals",
	Long: "The k-th element of the result is the sum of weights[j] a[k + c - j], where c is the middle of the weights, the first of two: the discrete " +
		"convolution, as long as a. Weights may have other dimensions too, which join those of a by name.",
	Returns: "an array like a.",
	Params: []ops.Param{array, ops.In("weights", "array over the same dimension, shorter"), along,
		{Name: "outside", Doc: "what lies beyond the ends: a value, nearest, wrap or mirror", Accept: ops.KNumber | ops.KSymbol, Unit: "*", Choices: ends, Default: ops.Integer(0)}},
	Body: `n = size(weights, along)
w = rename(weights, from: along, to: convolve_tap)
k = indices(w, convolve_tap)
sum(w * a[along: here + (floor((n - 1) / 2) - k), outside: outside], over: convolve_tap)`,
	Examples: []ops.Example{{Title: "A triangle of a pulse", Code: "x = axis(x, 0 .. 8 in 9)\nw = array([0.25, 0.5, 0.25], dims: x)\nshow(convolve(where(x == 4, 1, 0), w, x))"}},
}

var unique = &ops.Spec{
	Name: "unique", Doc: "The different elements along a dimension, in rising order, and how often each is there.", Group: shapes,
	Long: "How many there are is known when the program runs, so at_most says for how many there is room: count tells how many there are, and behind them are zeros. " +
		"All NaN are one element, the last.",
	Returns: "record of value and times, over the dimension, and count.",
	Params:  []ops.Param{array, along, ops.Count("at_most", "elements that there is room for")},
	Body: `n = size(a, along)
s = sort(a, along)
k = indices(s, along)
before = s[along: here - 1, outside: nearest]
first = not (s == before or is_nan(s) and is_nan(before)) or k == 0
start = pack(0 * cast(is_nan(s), i32) + k, first, along: along, at_most: at_most + 1, fill: n).value
found = pack(s, first, along: along, at_most: at_most, fill: 0)
times = start[along: here + 1, outside: nearest] - start
(value: found.value, times: times[along: 0 .. at_most - 1], count: found.count)`,
	Examples: []ops.Example{{Title: "Of six numbers", Code: "a = array([2, 7, 2, 1, 7, 7], dims: x)\nu = unique(a, x, at_most: 4)\nshow(u.value)\nshow(u.times)\nshow(u.count)"}},
}
