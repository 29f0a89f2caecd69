package choices

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"weft/cli"
	"weft/kernels/cache/cachetest"
	"weft/ops/files/npy"
)

// rowsDrawn writes rows of numbers, one row for each object, and what is the same for all.
const rowsDrawn = `param n = 20
param objects = 1000
use simulate
k = indices(axis(k, 0 .. 1 in n), k)
j = indices(axis(j, 0 .. 1 in 40), j)
i = indices(axis(b, 0 .. 1 in objects), b) * 8000
(cast(simulate.uniform(i + k, seed: 1), f64) - 0.3) | write("a.npy")
(cast(simulate.uniform(k + i, seed: 2), f64) - 0.3) | write("t.npy")
(cast(simulate.uniform(k, seed: 3), f64) - 0.6) | write("w.npy")
(cast(simulate.uniform(k * 40 + j, seed: 4), f64) - 0.6) | write("m.npy")
`

// batched reduces the rows of some objects; arrays lie either way.
const batched = `param objects = 1
a = read("a.npy", dims: [b, k])[b: 0 .. objects - 1] @keep
t = read("t.npy", dims: [k, b])[b: 0 .. objects - 1] @keep
w = read("w.npy", dims: [k])
m = read("m.npy", dims: [k, j])
sum(a, over: k) | write("o_sum.npy")
mean(t * 1.7, over: k) | write("o_mean.npy")
norm(t, over: k) TILE(b: %d) | write("o_norm.npy")
(a / norm(a, over: k))[k: 3] | write("o_unit.npy")
var(a, over: k) TILE(b: %d) | write("o_var.npy")
dot(a, w, over: k) | write("o_dot.npy")
dot(t, m, over: k)[j: 7] | write("o_product.npy")
dot(cast(t, f32), cast(m, f32), over: k)[j: 31] TILE(b: %d) | write("o_narrow.npy")
sum(exp(a) * w, over: k) | write("o_exp.npy")
cumsum(t, along: k)[k: -1] | write("o_last.npy")
histogram(a, -1 .. 1 in 3, weights: a, over: k)[bin: 1] | write("o_bin.npy")
`

var outputs = []string{"sum", "mean", "norm", "unit", "var", "dot", "product", "narrow", "exp", "last", "bin"}

// An object has the same bits by itself and among any number of others, with any tiles and threads: how sums are added up follows from what is
// summed.
func TestResultsDoNotDependOnTheBatch(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles dozens of kernels")
	}
	withDevices(t)
	rng := rand.New(rand.NewPCG(3, 11))
	for _, isa := range []string{"", "portable"} {
		t.Setenv("WEFT_ISA", isa)
		for n, batches := range map[int][]int{20: {1, 7, 64, 1000}, 5000: {1, 7, 64, 1000}, 33000: {1, 2, 20}} {
			ranQuietly(t, rowsDrawn, "-p", fmt.Sprint("n=", n), "-p", fmt.Sprint("objects=", batches[len(batches)-1]))
			first := map[string]float64{} // of the first object, by output
			seventh := map[string]float64{}
			for _, objects := range batches {
				tile := func() int { return 1 + rng.IntN(40) }
				text := fmt.Sprintf(batched, tile(), tile(), tile())
				if objects == 7 {
					text = tileNote.ReplaceAllString(text, "")
				}
				text = strings.ReplaceAll(text, "TILE", "@tile")
				ranQuietly(t, text, "-p", fmt.Sprint("objects=", objects), "--threads", fmt.Sprint(1+rng.IntN(5)))
				for _, name := range outputs {
					got := loaded(t, "o_"+name+".npy")
					for at, want := range []map[string]float64{first, seventh} {
						if at = 6 * at; at >= len(got) {
							continue
						}
						if was, ok := want[name]; ok && got[at] != was {
							t.Errorf("isa %q, %d terms: %s of object %d is %v among %d, and was %v\n%s", isa, n, name, at, got[at], objects, was, text)
						}
						want[name] = got[at]
					}
				}
			}
			if values := []float64{first["sum"], first["dot"], first["exp"], first["product"]}; slices.Contains(values, 0) {
				t.Errorf("sums are %v: nothing is tested", values)
			}
		}
	}
}

// rounded are sums of products in kernels whose code differs with the number of objects: peeled ends of axes, guards, hoisted and unrolled
// turns. Objects come last in what is written. What is known is a table where it is read often, and stands in the kernel where it is not.
const rounded = `param objects = 1
f = read("f.npy", dims: [b, k])[b: 0 .. objects - 1]
g = read("g.npy", dims: [b, k])[b: 0 .. objects - 1]
h = read("f.npy", dims: [k, b])[b: 0 .. objects - 1]
s = axis(s, 0 .. 290 in 40)
t = cast(indices(axis(k, 0 .. 1 in 64), k), f64)
u = sqrt(t * t + 2.3) / (t + 0.7) + sqrt(t / (t + 3.1)) / (t * t + 1.7) + sqrt(t + 0.1)
cast(h, f64) + u * (sqrt(t + 7.1) / (t + 50)) | write("o_known.npy")
sum(h[k: here + 1, outside: 0] * h, over: k) | write("o_lag.npy")
sum(f[k: here + 1, outside: 0] * f, over: k) TILE(b: %d) | write("o_row.npy")
abs(sum(g[k: s + f * 3, interpolation: linear, outside: 0] * cis(f * 9 + s), over: k)) | write("o_turned.npy")
abs(sum(g[k: s + f[k: 3] * 2, interpolation: linear, outside: 0] * cis((s + f[k: 5]) * 0.7), over: s)) TILE(b: %d) | write("o_delayed.npy")
(f[k: here + 2, outside: 0] * 0.3 + f * 0.7 - f[k: here - 1, outside: 0] * g)[k: 4] | write("o_filter.npy")
sum((f * 1.7 - g * 0.3) ^ 2 * f, over: k) TILE(b: %d) | write("o_square.npy")
var(f * g + f, over: k) | write("o_spread.npy")
`

// Which products are rounded with the sums they are in follows from the kernel: an object has the same bits among any number of others.
func TestRoundingDoesNotDependOnTheBatch(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles dozens of kernels")
	}
	withDevices(t)
	t.Setenv("CC", strings.TrimSuffix(os.Getenv("CC"), cachetest.Little)) // what compilers optimise is what could differ
	rng := rand.New(rand.NewPCG(5, 3))
	const most = 64
	ranQuietly(t, `use simulate
k = indices(axis(k, 0 .. 1 in 300), k)
i = indices(axis(b, 0 .. 1 in 64), b) * 8000
(cast(simulate.uniform(i + k, seed: 1), f32) - 0.3) | write("f.npy")
(cast(simulate.uniform(i + k, seed: 5), f32) - 0.6) | write("g.npy")
`)
	want := map[string][]float64{}
	for _, objects := range []int{most, 17, 16, 3, 1} {
		text := fmt.Sprintf(rounded, 1+rng.IntN(40), 1+rng.IntN(40), 1+rng.IntN(40))
		if objects == most || objects == 16 {
			text = tileNote.ReplaceAllString(text, "")
		}
		text = strings.ReplaceAll(text, "TILE", "@tile")
		ranQuietly(t, text, "-p", fmt.Sprint("objects=", objects), "--threads", fmt.Sprint(1+rng.IntN(5)))
		for _, name := range []string{"lag", "row", "turned", "delayed", "filter", "square", "spread", "known"} {
			got := loaded(t, "o_"+name+".npy")
			if want[name] == nil {
				want[name] = got
			}
			differ := 0
			for i, x := range got {
				if x != want[name][i/objects*most+i%objects] {
					differ++
				}
			}
			if len(got)*most != len(want[name])*objects || differ > 0 {
				t.Errorf("%d of %d elements of %s differ for %d objects from those of %d", differ, len(got), name, objects, most)
			}
		}
	}
	if slices.Max(want["lag"]) == slices.Min(want["lag"]) {
		t.Error("all objects are alike: nothing is tested")
	}
}

// Which of several devices takes a part of a kernel, as it comes, changes no bit of a sum, though one allows fewer threads in a block than sums
// are else shared by.
func TestDevicesAddUpAlike(t *testing.T) {
	withDevices(t)
	want := map[string][]float64{}
	for _, device := range []string{"large", "odd", "large,odd"} {
		ranQuietly(t, `b = indices(axis(b, 0 .. 1 in 24), b)
k = indices(axis(k, 0 .. 1 in 4096), k)
x = mod(b * 3 + k * 7 + 2, 31) @keep
sum(sqrt(cast(x, f64)), over: k) | write("sum.npy")
norm(x * 0.3, over: k) | write("norm.npy")
`, "--devices", "devices.yaml", "--device", device)
		for _, name := range []string{"sum.npy", "norm.npy"} {
			got := loaded(t, name)
			if want[name] != nil && !slices.Equal(got, want[name]) {
				t.Errorf("%s on %s is %v, and was %v", name, device, got, want[name])
			}
			want[name] = got
		}
	}
}

// ranQuietly runs a program without checks.
func ranQuietly(t *testing.T, text string, flags ...string) {
	t.Helper()
	if err := os.WriteFile("p.weft", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if code := cli.Run(t.Context(), append([]string{"run", "--no-verify", "p.weft"}, flags...), nil, &out, &out); code != 0 {
		t.Fatalf("%v: exit %d\n%s\n%s", flags, code, text, out.String())
	}
}

// loaded are the elements of a file of either type of floats.
func loaded(t *testing.T, path string) []float64 {
	t.Helper()
	if v, _, err := npy.Load[float64](path); err == nil {
		return v
	}
	narrow, _, err := npy.Load[float32](path)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]float64, len(narrow))
	for i, x := range narrow {
		out[i] = float64(x)
	}
	return out
}
