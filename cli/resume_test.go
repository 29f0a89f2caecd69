package cli

import (
	"cmp"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft/ops/files/element"
	"weft/ops/files/npy"
	"weft/ops/files/tiff"
)

var kills = flag.Int("kills", 3, "how often each pipeline is killed")

// interrupted is a pipeline that is killed and resumed.
type interrupted struct {
	name, text string
	rows       int
	outputs    []string
	needsCC    bool
	columns    int    // 0: 200
	budget     string // empty: a little above the least
	strips     string // what explain says of them
	carries    bool   // a state goes from block to block, which a checkpoint keeps
}

var interruptions = []interrupted{
	{name: "pointwise", rows: 5000, outputs: []string{"a.npy", "b.tif"}, text: `
a = read("in.npy", dims: [y, x], pixel: 1 m)
b = sqrt(abs(a)) + sin(a)
b | write("a.npy")
where(b > 0.5, b, 0) | write("b.tif", as: f64)
`},
	{name: "carried", rows: 20000, outputs: []string{"s.npy", "b.tif"}, carries: true, text: `
a = read("in.npy", dims: [y, x], pixel: 1 m)
s = a | scan((s, v) -> (mean: 0.9 * s.mean + 0.1 * v, high: s.high + cast(v > s.mean, i32)), along: y, from: (mean: 0, high: 0))
s.mean[y: here + 2, outside: 0] + s.high | write("s.npy")
sin(s.mean) | write("b.tif", as: f64)
`},
	{name: "views", rows: 2000, outputs: []string{"sky.tif", "south.npy"}, needsCC: true, text: `
a = read("in.npy", dims: [y, x], pixel: 1 m)
s = a | skyview(patches: 145)
s.total | write("sky.tif")
s.south | write("south.npy")
`},
	{name: "store", rows: 3000, columns: 1500, outputs: []string{"a.zarr", "b.npy"}, text: `
a = read("in.npy", dims: [y, x])
b = sqrt(abs(a)) + sin(a)
b | write("a.zarr")
where(b > 0.5, b, 0) | write("b.npy")
`},
	{name: "placed", rows: 3000, columns: 1500, outputs: []string{"a.zarr"}, text: `
a = read("in.npy", dims: [y, x], pixel: 1 m)
sqrt(abs(a)) + sin(a) | write("a.zarr")
`},
	{name: "records", rows: 3000, columns: 300, outputs: []string{"r.npz", "r.fits", "r.csv"}, text: `
a = read("in.npy", dims: [y, x])
b = sqrt(abs(a)) + sin(a)
(b: b, mean: mean(a, over: x), high: max(b, over: x) > 3, rest: a / max(a)) | write("r.npz")
(low: min(b, over: x), b: b) | write("r.fits")
(first: a[x: 0], mean: mean(b, over: x)) | write("r.csv")
`},
	{name: "product", rows: 900, columns: 900, outputs: []string{"p.npy"}, budget: "7MiB", text: `
a = read("in.npy", dims: [i, k])
b = read("in.npy", dims: [k, j])
sin(dot(a, b, over: k)) | write("p.npy")
`},
	{name: "product by parts of chunks", rows: 1200, columns: 1200, outputs: []string{"p.zarr"}, budget: "10MiB", strips: "rows x 608", text: `
a = read("in.npy", dims: [i, k])
b = read("in.npy", dims: [k, j])
dot(a, b, over: k) | write("p.zarr")
`},
	{name: "wide", rows: 300, columns: 6000, outputs: []string{"walls.tif", "b.npy"}, budget: "8MiB", strips: "rows x 512, 300 rows", text: `
a = read("in.tif")
w = a | walls
(w.height | write("walls.tif"))
sqrt(abs(a)) * 3 | write("b.npy")
`},
}

// A run that is killed at any moment goes on with --resume, and writes the bytes of a run that was not.
func TestKilledRunsResume(t *testing.T) {
	if testing.Short() {
		t.Skip("kills a process many times")
	}
	cache := t.TempDir()
	for _, c := range interruptions {
		t.Run(c.name, func(t *testing.T) {
			if _, err := exec.LookPath("cc"); err != nil && c.needsCC {
				t.Skip("needs a C compiler")
			}
			folder := t.TempDir()
			r := &restarter{t: t, folder: folder, env: append(os.Environ(), "WEFT_CACHE="+cache, "CC=")}
			columns := cmp.Or(c.columns, 200)
			values := make([]float32, c.rows*columns)
			for i := range values {
				values[i] = float32(10 + 8*math.Sin(float64(i)*0.013)*math.Cos(float64(i/columns)*0.07))
			}
			must(t, npy.Save(filepath.Join(folder, "in.npy"), []int{c.rows, columns}, values))
			geo, err := tiff.NewGeo(tiff.Affine{0, 1, 0, 0, 0, -1}, tiff.CRS{})
			must(t, err)
			must(t, tiff.Save(filepath.Join(folder, "in.tif"), tiff.Header{DType: element.Float32, Height: c.rows, Width: columns, Geo: geo}, values))
			must(t, os.WriteFile(filepath.Join(folder, "p.weft"), []byte(c.text), 0o666))
			r.run("--memory", "2GiB") // as a whole
			want, pixels := r.outputs(c.outputs), r.pixels(c.outputs)
			budget := c.budget
			if budget == "" {
				budget = r.little()
			}
			explain := exec.Command("weft", "explain", "--verbose", "p.weft", "--memory", budget)
			explain.Dir, explain.Env = folder, r.env
			if said, err := explain.Output(); err != nil || !strings.Contains(string(said), c.strips) || strings.Contains(string(said), "  carries ") != c.carries {
				t.Fatalf("not in blocks of %q: %v\n%s", c.strips, err, said)
			}
			start := time.Now()
			r.run("--memory", budget)
			took := time.Since(start)
			if got := r.outputs(c.outputs); c.strips != "" { // in which tiles of a raster come in another order
				want = got
			} else if !same(got, want) {
				t.Fatal("blocks give other bytes than the whole")
			}
			if got := r.pixels(c.outputs); !same(got, pixels) {
				t.Fatal("blocks give other pixels than the whole")
			}
			random := rand.New(rand.NewPCG(1, uint64(c.rows)))
			resumed, again := 0, 0
			const patience = 4 // times as many kills, until one comes behind a checkpoint
			for kill := 0; kill < *kills || again == resumed && kill < patience**kills; kill++ {
				for _, name := range c.outputs {
					must(t, os.RemoveAll(filepath.Join(folder, name)))
				}
				args := []string{"--memory", budget}
				for range 1 + random.IntN(3) {
					after := time.Duration((0.1 + 0.9*random.Float64()) * float64(took))
					var begun func() bool
					if kill%2 == 0 { // once some rows are there, and a little later
						after, begun = time.Duration(0.2*random.Float64()*float64(took)), func() bool { return r.journalled(c.outputs) > 0 }
					}
					if r.killed(after, begun, args...) {
						break
					}
					args = []string{"--memory", budget, "--resume"}
				}
				from := r.journalled(c.outputs)
				said := r.run("--memory", budget, "--resume")
				if from > 0 {
					resumed++
					if strings.Contains(said, "begins again") {
						again++
					}
					if !strings.Contains(said, "goes on") {
						t.Errorf("rows before %d were there, and it says %q", from, said)
					}
				}
				if got := r.outputs(c.outputs); !same(got, want) {
					t.Fatalf("other bytes after going on from row %d", from)
				}
				r.clean(c.outputs)
			}
			if resumed == 0 && *kills > 2 || again > 0 && again == resumed {
				t.Error("no run had anything to go on with")
			}
			t.Logf("%d runs had something to go on with, of which %d began again; one takes %s in blocks, with %s", resumed, again, took, budget)
		})
	}
}

// A drive that is killed at any moment goes on with --resume, and writes the bytes of a run that was not; so does one that has the memory for
// a quarter of its matrix, which is read in every call.
func TestKilledDrivesResume(t *testing.T) {
	if testing.Short() {
		t.Skip("kills a process many times")
	}
	cache := t.TempDir()
	for name, c := range map[string]struct {
		memory, text string
		flags        []string
	}{
		"tiles":               {"", "l = cholesky(read(\"large.npy\", dims: [i, j]), rows: i, columns: j)\n(l | write(\"v.npy\"))\n(max(l) | write(\"value.npy\"))\n", []string{"--memory", "8MiB"}},
		"tiles made again":    {"", "l = cholesky(read(\"large.npy\", dims: [i, j]), order: right)\n(l | write(\"v.npy\"))\n(max(l) | write(\"value.npy\"))\n", []string{"--memory", "10MiB"}},
		"tiles of an inverse": {"", "l = inverse(read(\"large.npy\", dims: [i, j]), rows: i, columns: j, triangle: lower)\n(l | write(\"v.npy\"))\n(max(l) | write(\"value.npy\"))\n", []string{"--memory", "8MiB"}},
		"rows change places":  {"", "a = read(\"in.npy\", dims: [i, j]) + where(axis(i, 0 .. 999 in 1000) == mod(7 * axis(j, 0 .. 999 in 1000), 1000), 2000, 0)\nx = solve(cast(a, f64), read(\"in.npy\", dims: [i, k]), rows: i, columns: j)\n(x | write(\"v.npy\"))\n(max(x) | write(\"value.npy\"))\n", nil},
		"eigen":               {"1280KiB", "e = eigen(read(\"in.npy\", dims: [i, j]), method: power, most: 200, tolerance: 0)\n(e.vector | write(\"v.npy\"))\n(e.value | write(\"value.npy\"))\n", nil},
		"arnoldi":             {"5120KiB", "e = eigen(read(\"in.npy\", dims: [i, j]), count: 2, method: arnoldi, most: 250, tolerance: 0, block: 3)\n(e.vector | write(\"v.npy\"))\n(e.value | write(\"value.npy\"))\n", nil},
		"plan": {"", "use radiotherapy\nuse sparse\nchest = radiotherapy.phantom(8 mm)\nmatrix = sparse.of(radiotherapy.influence(chest).dose, beamlet)\n" +
			"plan = radiotherapy.optimize(matrix, radiotherapy.goals(chest), turns: 400)\n(plan.fluence | write(\"v.npy\"))\n(plan.history | write(\"value.npy\"))\n", nil},
		"iterate": {"", "u = read(\"in.npy\", dims: [i, j])\n" +
			"fn spread(u) = u + 0.2 * (u[i: here - 1, outside: 0] + u[i: here + 1, outside: 0] + u[j: here - 1, outside: 0] + u[j: here + 1, outside: 0] - 4 * u)\n" +
			"e = u | iterate(spread, at_most: 300, every: 20, until: (old, new) -> max(new) < 0, watch: (old, new) -> max(abs(new - old)))\n" +
			"(e.value | write(\"v.npy\"))\n(e.history | write(\"value.npy\"))\n", nil},
		"rounds": {"", "u = read(\"in.npy\", dims: [i, j])\nfn spread(u) = u + 0.2 * (u[j: here - 1, outside: 0] + u[j: here + 1, outside: 0] - 2 * u)\n" +
			"e = u * axis(i, 0 .. 1 in 1000) | iterate(spread, at_most: 1000, until: (old, new) -> max(abs(new - old), over: j) < 0.002)\n" +
			"(e.value | write(\"v.npy\"))\n(e.steps | write(\"value.npy\"))\n", nil},
		"rounds in parts": {"64MiB", "u = read(\"in.npy\", dims: [i, j])\nq = axis(q, 1 .. 2 in 4)\nzero = 0 * max(u, over: j) * q\n" +
			"fn halved(s) {\n    x = (s.low + s.high) / 2\n    more = sum(exp(-x * u), over: j) > 300 + 200 * s.goal\n" +
			"    (low: where(more, x, s.low), high: where(more, s.high, x), goal: s.goal)\n}\n" +
			"e = (low: zero, high: zero + 100, goal: min(u, over: j) * q) | iterate(halved, at_most: 60, until: (old, new) -> max(new.high - new.low, over: q) < 1e-5 * max(new.high, over: q))\n" +
			"(e.value.low | write(\"v.npy\"))\n(e.steps | write(\"value.npy\"))\n", []string{"--memory", "3300KiB"}},
	} {
		t.Run(name, func(t *testing.T) { killedDrive(t, cache, c.text, c.memory, c.flags) })
	}
}

func killedDrive(t *testing.T, cache, text, memory string, flags []string) {
	folder := t.TempDir()
	r := &restarter{t: t, folder: folder, env: append(os.Environ(), "WEFT_CACHE="+cache, "CC=")}
	const n = 1000
	values := make([]float32, n*n)
	for i := range values {
		values[i] = float32(1 + math.Sin(float64(i/n)*0.7+float64(i%n)*1.3+float64(i)*0.01))
	}
	must(t, npy.Save(filepath.Join(folder, "in.npy"), []int{n, n}, values))
	for i := range n {
		values[i*n+i] += 2 * n // positive definite
	}
	must(t, npy.Save(filepath.Join(folder, "large.npy"), []int{n, n}, values))
	must(t, os.WriteFile(filepath.Join(folder, "p.weft"), []byte(text), 0o666))
	outputs := []string{"v.npy", "value.npy"}
	r.run(flags...)
	start := time.Now()
	var first time.Time
	r.killed(time.Hour, func() bool {
		first = time.Now()
		return r.checkpointed()
	}, flags...)
	took, drives := time.Since(start), time.Since(first) // with and without what is before the first checkpoint
	want := r.outputs(outputs)
	if memory != "" {
		r.run("--memory", memory)
		if got := r.outputs(outputs); !same(got, want) {
			t.Fatal("a matrix that is read in every call gives other bytes")
		}
	}
	random := rand.New(rand.NewPCG(1, n))
	resumed := 0
	for kill := range *kills {
		for _, name := range outputs {
			must(t, os.Remove(filepath.Join(folder, name)))
		}
		after, begun := time.Duration(0.5*random.Float64()*float64(drives)), r.checkpointed
		if kill%3 == 0 {
			after, begun = time.Duration((0.2+0.7*random.Float64())*float64(took)), nil // at any time
		}
		ended := r.killed(after, begun, flags...)
		if kill%2 == 1 { // as when the machine had been off: checkpoints that waited for the disk are what there is
			notes, _ := filepath.Glob(filepath.Join(folder, ".*.since-*"))
			for _, note := range notes {
				must(t, os.Remove(note))
			}
		}
		left := !ended && r.checkpointed()
		made, _ := filepath.Glob(filepath.Join(folder, "v*.npy"))
		if said := r.run(append([]string{"--resume"}, flags...)...); strings.Contains(said, " goes on from ") {
			resumed++
		} else if left && made == nil {
			t.Errorf("a checkpoint was there, and it says %q", said)
		}
		if got := r.outputs(outputs); !same(got, want) {
			t.Fatal("other bytes after going on")
		}
		if left, err := filepath.Glob(filepath.Join(folder, ".*")); err != nil || len(left) > 0 {
			t.Errorf("left %v: %v", left, err)
		}
	}
	if resumed == 0 && drives > time.Second && *kills > 2 {
		t.Error("no run had anything to go on with")
	}
	t.Logf("%d of %d runs went on from a checkpoint; one takes %s, %s of it behind its first", resumed, *kills, took, drives)
}
