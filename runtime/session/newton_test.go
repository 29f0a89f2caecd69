package session

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"weft/kernels/cache/cachetest"
	"weft/lang/check"
	"weft/ops"
	"weft/planner"
	"weft/planner/bound"
	"weft/runtime"
)

// Newton's method gives what its definition in float64 gives: compiled and interpreted, fused and not, from numbers and arrays; what does not
// converge is said.
func TestNewton(t *testing.T) {
	const cubes = "y = axis(y, 0.1 .. 2 in 13)\nk = axis(k, 0 .. 3 in 4)\nx = axis(x, -3 .. 3 in 17)\n" +
		"c = y * 0 + where(k == 0, x * y, where(k == 1, y, where(k == 3, 1, 0)))\n"
	element := func(k int, y, x float64) float64 { return []float64{x * y, y, 0, 1}[k] }
	for _, c := range []struct {
		arguments string
		compiler  string
		fuse      int
		warns     bool
	}{
		{arguments: "from: 1", compiler: "cc", fuse: -1},
		{arguments: "from: 1", compiler: "cc", fuse: 0},
		{arguments: "from: cast(x, f64) * y", fuse: -1},
		{arguments: "from: 100, most: 5", compiler: "cc", fuse: -1, warns: true},
	} {
		cachetest.Use(t)
		if c.compiler == "" {
			t.Setenv("CC", "")
		}
		s, err := Open(Config{Device: HostOnly, Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		text := cubes + fmt.Sprintf("r = newton(c, over: k, %s)\nshow(r.root)\nshow(r.converged)\nshow(r.steps)\n", c.arguments)
		prog := CheckText("n.weft", []byte(text), check.Options{})
		p, err := s.Plan(t.Context(), prog, PlanOptions{Request: planner.Request{FuseLimit: &c.fuse}})
		if err != nil {
			t.Fatal(err, &prog.Found)
		}
		got := map[int]ops.Dense{}
		see := func(_ *bound.Step, in []ops.HostArray) error { got[in[0].Out] = in[0].Dense(); return nil }
		r, err := s.Run(t.Context(), prog, p, runtime.Options{Verify: true, Discard: true, See: see})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range r.Parity {
			if !p.OK {
				t.Errorf("%+v", p)
			}
		}
		if warned := strings.Contains(prog.Found.String(), "E0710"); warned != c.warns {
			t.Errorf("%s: %s", c.arguments, &prog.Found)
		}
		in := map[string]ops.Dense{}
		for i := range 13 * 4 * 17 {
			y, k, x := 0.1+1.9*float64(i/68)/12, i/17%4, -3+6*float64(i%17)/16
			values := in["input"]
			values.Re = append(values.Re, element(k, y, x))
			in["input"] = values
			if starts := in["from"]; k == 3 && strings.Contains(c.arguments, "x") {
				starts.Re = append(starts.Re, 0)
				in["from"] = starts
			}
		}
		if starts := in["from"].Re; starts != nil {
			for i := range starts {
				starts[i] = (-3 + 6*float64(i/13)/16) * (0.1 + 1.9*float64(i%13)/12)
			}
		}
		use := p.Steps[slices.IndexFunc(p.Steps, func(s bound.Step) bool { return s.Programs != nil })].Op
		want, err := use.Bound.(ops.Referencer).Reference(in)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range want[0].Re {
			root, converged, steps := got[0].Re[i], got[1].Re[i], got[2].Re[i]
			if math.Abs(root-v) > 1e-5*max(1, math.Abs(v)) || converged != want[1].Re[i] || math.Abs(steps-want[2].Re[i]) > 1 {
				t.Fatalf("%s: element %d: %v, %v, %v steps; want %v, %v, %v", c.arguments, i, root, converged, steps, v, want[1].Re[i], want[2].Re[i])
			}
		}
	}
}
