package session

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"weft/kernels/cache/cachetest"
	"weft/lang/check"
	"weft/ops"
	"weft/planner/bound"
	"weft/runtime"
)

// The power method gives what its definition in float64 gives, for matrices of several kinds.
func TestEigen(t *testing.T) {
	cachetest.Use(t)
	const axes = "i = axis(i, 0 .. 1 in 120)\nj = axis(j, 0 .. 1 in 120)\n"
	for name, c := range map[string]struct {
		text  string
		how   string // method and count; the power method if empty
		warns bool
	}{
		"springs":  {text: "a = where(i == j, 2 + i, where(abs(i - j) < 0.012, -1, 0))\n", warns: true},
		"double":   {text: "a = exp(-abs(i - j)) + cast(i * j, f64)\n"},
		"waves":    {text: "a = sin(i * 7 + j * 3) + 2\n"},
		"negative": {text: "a = 0 - exp(-abs(i - j))\n"},
		"one way":  {text: "a = where(i < j, 1, 0) + where(i == j, 1 + i, 0)\n", warns: true},
		"nothing":  {text: "a = i * j * 0\n"},
		"slow":     {text: "a = where(i == j, 1 + i * 0.001, 0)\n", warns: true},
		// Those of lanczos are symmetric; one finds what power does not.
		"springs by lanczos": {text: "a = where(i == j, 2 + i, where(abs(i - j) < 0.012, -1, 0))\n", how: "method: lanczos"},
		"double by lanczos":  {text: "a = exp(-abs(i - j)) + cast(i * j, f64)\n", how: "method: lanczos, count: 2"},
		"waves by lanczos":   {text: "a = sin(i * 7 + j * 7) + 2\n", how: "method: lanczos, count: 3"},
		"nothing by lanczos": {text: "a = i * j * 0\n", how: "method: lanczos, count: 2"},
		"cut by lanczos":     {text: "a = where(i == j, 2 + i, where(abs(i - j) < 0.012, -1, 0))\n", how: "method: lanczos, most: 21", warns: true},
	} {
		s, err := Open(Config{Device: HostOnly, Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		text := axes + c.text + "e = eigen(a, " + cmp.Or(c.how, "most: 300") + ")\nshow(e.value)\nshow(e.vector)\n"
		prog := CheckText("e.weft", []byte(text), check.Options{})
		p, err := s.Plan(t.Context(), prog, PlanOptions{})
		if err != nil {
			t.Fatal(name, err, &prog.Found)
		}
		got := map[int]ops.Dense{}
		see := func(_ *bound.Step, in []ops.HostArray) error { got[in[0].Out] = in[0].Dense(); return nil }
		r, err := s.Run(t.Context(), prog, p, runtime.Options{Verify: true, Discard: true, See: see})
		if err != nil {
			t.Fatal(name, err)
		}
		for _, c := range r.Parity {
			if !c.OK {
				t.Errorf("%s: %+v", name, c)
			}
		}
		if warned := strings.Contains(prog.Found.String(), "E0710"); warned != c.warns {
			t.Errorf("%s: %s", name, &prog.Found)
		}
		matrix := ops.Dense{Shape: []int{120, 120}}
		for i := range 120 {
			for j := range 120 {
				matrix.Re = append(matrix.Re, element(name, float64(i)/119, float64(j)/119))
			}
		}
		use := p.Steps[slices.IndexFunc(p.Steps, func(s bound.Step) bool { return s.Programs != nil })].Op
		want, err := use.Bound.(ops.Referencer).Reference(map[string]ops.Dense{"input": matrix})
		if err != nil {
			t.Fatal(err)
		}
		for out, w := range want {
			for i, v := range w.Re {
				if name == "nothing by lanczos" && out == 1 || strings.HasPrefix(name, "cut") { // any vector is one, or none is found
					continue
				}
				if math.Abs(got[out].Re[i]-v) > 1e-3*max(1, math.Abs(want[0].Re[0])) {
					t.Fatalf("%s: output %d is %v, want %v", name, out, got[out].Re, w.Re)
				}
			}
		}
	}
}

// element is a matrix of TestEigen, once more.
func element(name string, i, j float64) float64 {
	same := math.Abs(i-j) < 1e-9
	switch kind, _, lanczos := strings.Cut(name, " by "); kind {
	case "cut":
		return element("springs", i, j)
	case "springs":
		if same {
			return 2 + i
		} else if math.Abs(i-j) < 0.012 {
			return -1
		}
		return 0
	case "double":
		return math.Exp(-math.Abs(i-j)) + i*j
	case "waves":
		if lanczos {
			return math.Sin(7*i+7*j) + 2
		}
		return math.Sin(i*7+j*3) + 2
	case "negative":
		return -math.Exp(-math.Abs(i - j))
	case "one way":
		switch {
		case same:
			return 1 + i
		case i < j:
			return 1
		}
		return 0
	case "slow":
		if same {
			return 1 + i*0.001
		}
	}
	return 0
}
