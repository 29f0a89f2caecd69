package session

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"weft/kernels/cache/cachetest"
	"weft/lang/check"
	"weft/planner"
	"weft/planner/plan"
	"weft/runtime"
)

// productsInSums has products in float64 that sums read, alone or with others: beside quotients, by loops, through slices, of complex numbers.
const productsInSums = `use simulate
i = indices(axis(b, 0 .. 1 in 40), b)
k = indices(axis(k, 0 .. 1 in 300), k)
u = s -> cast(simulate.uniform(i * 8000 + k, seed: s), f64) - 0.3  @keep
x = u(1)
y = u(2)
z = u(3)
w = cast(simulate.uniform(k, seed: 4), f64) + 0.1  @keep
p = x * y
q = p + z
r = p / (z + 2)
(q - r) | write("shared.npy")
(x * z + y) | write("alone.npy")
sum(x * w + p, over: k) | write("rows.npy")
m = x * w
s = sum(m * y, over: k)
n = s * s
(n - sum(m, over: k) * s) | write("spread.npy")
(n + 0.3) | write("square.npy")
t = (x * 1.7)[k: 3 .. 200]
(t + w[k: 3 .. 200]) | write("slices.npy")
(t - y[k: 3 .. 200]) | write("taken.npy")
(sum(x * sin(y), over: k) + sin(y) * z) | write("loops.npy")
c = complex(x, y) * 0.7
abs(c + complex(z, w)) | write("complex.npy")
real(c - complex(w, z)) | write("real.npy")
`

// What is stored and what is computed where it is read changes no bit of float64: an object has the same among thousands, where other verdicts are the
// quicker ones.
func TestVerdictsChangeNoBit(t *testing.T) {
	cachetest.Use(t)
	t.Chdir(t.TempDir())
	s, err := Open(Config{Device: HostOnly, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	run := func(fused map[string]bool) (map[string]bool, map[string][]byte) {
		opt := PlanOptions{AsWritten: true}
		if fused != nil {
			opt.Request = planner.Request{Decided: &plan.Decisions{Fused: fused}}
		}
		prog := CheckText("p.weft", []byte(productsInSums), check.Options{})
		p, err := s.Plan(t.Context(), prog, opt)
		if err != nil {
			t.Fatal(err, prog.Found.String())
		}
		if _, err := s.Run(t.Context(), prog, p, runtime.Options{Terminal: silent{}}); err != nil {
			t.Fatal(err)
		}
		names, err := filepath.Glob("*.npy")
		if err != nil {
			t.Fatal(err)
		}
		out := map[string][]byte{}
		for _, name := range names {
			if out[name], err = os.ReadFile(name); err != nil {
				t.Fatal(err)
			}
		}
		return p.Decided.Fused, out
	}
	decided, want := run(nil)
	edges := slices.Sorted(maps.Keys(decided))
	if len(edges) < 8 || len(want) != 10 {
		t.Fatalf("%d verdicts are weighed, %d files written", len(edges), len(want))
	}
	all := map[string]bool{}
	for _, edge := range edges {
		all[edge] = !decided[edge]
	}
	for _, edge := range append(edges, "") {
		forced := all
		if edge != "" {
			forced = maps.Clone(decided)
			forced[edge] = !forced[edge]
		}
		_, got := run(forced)
		for _, name := range slices.Sorted(maps.Keys(want)) {
			if !slices.Equal(got[name], want[name]) {
				t.Errorf("%s differs where %q (none: each) is decided the other way round, as fused %v", name, edge, forced[edge])
			}
		}
	}
}
