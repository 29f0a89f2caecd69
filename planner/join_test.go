package planner_test

import (
	"slices"
	"strings"
	"testing"

	"weft/ops"
	"weft/planner"
)

// Kernels without loops that load the same at the same points are one, also where others are between them that have nothing to do with them, and so are those that
// find what is largest, smallest, or so of any or all, reading the same from end to end; those that wait for each other, load other elements, or add up, are not.
func TestKernelsThatLoadTheSameAreOne(t *testing.T) {
	const large = `a = sum(axis(x, 0 .. 1 in 5000) * axis(y, 0 .. 2 in 3000) + axis(k, 0 .. 1 in 40), over: k) @keep
`
	const begin = `a = sum(axis(x, 0 .. 1 in 500) * axis(y, 0 .. 2 in 300) + axis(k, 0 .. 1 in 40), over: k) @keep
`
	for _, c := range []struct {
		text string
		most int // arrays stored by one kernel
	}{
		{`a ^ 2 | write("p.npy")
sqrt(a) | write("q.npy")`, 2},
		{`a ^ 2 | write("p.npy")
sum(a, over: x) | write("s.npy")
sqrt(a) | write("q.npy")
exp(a) | write("r.npy")`, 3},
		{`b = a ^ 2 @keep
c = sum(b, over: x) @keep
sqrt(a) - c | write("q.npy")
b | write("b.npy")`, 1},
		{`a ^ 2 | write("p.npy")
transpose(sqrt(a), order: [y, x]) | write("q.npy")`, 1},
		{`transpose(a ^ 2, order: [y, x]) | write("p.npy")
transpose(sqrt(a), order: [y, x]) | write("q.npy")`, 2},
		{`a ^ 2 | write("p.npy")
sqrt(a[x: 0 .. 399]) | write("q.npy")`, 1},
		{`a ^ 2 | write("p.npy")
d = axis(d, -1 .. 1 in 3)
sum(a[x: here + d, outside: 0] * d, over: d) | write("q.npy")`, 1},
		{large + `show(max(a))
show(all(a > -3))
show(min(2 * a))
show(any(a > 3))`, 4},
		{large + `show(max(a))
show(sum(a))
show(max(transpose(a, order: [y, x])))`, 1},
		{large + `m = max(a)
show(m)
show(all(a < m))`, 1},
	} {
		text := c.text
		if !strings.HasPrefix(text, large) {
			text = begin + text
		}
		p, err := planner.Build(checked(t, text).Sinks, avx2(t).Info(), planner.Options{Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		most := 0
		for _, s := range p.Kernels() {
			most = max(most, len(s.Kernel.Roots))
			if twice := slices.ContainsFunc(s.Kernel.Roots, func(r *ops.Stage) bool { return len(s.Writes) != len(s.Kernel.Roots) || r == nil }); twice {
				t.Errorf("%s: %d arrays of %d roots", s.Name, len(s.Writes), len(s.Kernel.Roots))
			}
		}
		if most != c.most {
			t.Errorf("%s\na kernel stores %d arrays, want %d", c.text, most, c.most)
		}
	}
}
