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

// Each method gives what the definition in float64 gives, for matrices of several kinds: the power method its own, the others all eigenvalues at once.
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
		"springs by lanczos":           {text: "a = where(i == j, 2 + i, where(abs(i - j) < 0.012, -1, 0))\n", how: "method: lanczos"},
		"double by lanczos":            {text: "a = exp(-abs(i - j)) + cast(i * j, f64)\n", how: "method: lanczos, count: 2"},
		"waves by lanczos":             {text: "a = sin(i * 7 + j * 7) + 2\n", how: "method: lanczos, count: 3"},
		"nothing by lanczos":           {text: "a = i * j * 0\n", how: "method: lanczos, count: 2"},
		"cut by lanczos":               {text: "a = where(i == j, 2 + i, where(abs(i - j) < 0.012, -1, 0))\n", how: "method: lanczos, most: 21", warns: true},
		"springs by lanczos of blocks": {text: "a = where(i == j, 2 + i, where(abs(i - j) < 0.012, -1, 0))\n", how: "method: lanczos, count: 3, block: 5"},
		"springs by lanczos of lowest": {text: "a = where(i == j, 2 + i, where(abs(i - j) < 0.012, -1, 0))\n", how: "method: lanczos, which: lowest, count: 2, block: 2"},
		"waves by lanczos of blocks":   {text: "a = sin(i * 7 + j * 7) + 2\n", how: "method: lanczos, count: 3, block: 32"},
		"springs by arnoldi":           {text: "a = where(i == j, 2 + i, where(abs(i - j) < 0.012, -1, 0))\n", how: "method: arnoldi, which: highest, count: 3"},
		"turns by arnoldi":             {text: "a = where(i == j, 1 + i, where(abs(i - j) < 0.012, (j - i) * 300, 0))\n", how: "method: arnoldi, count: 7"},
		"turns by arnoldi of blocks":   {text: "a = where(i == j, 1 + i, where(abs(i - j) < 0.012, (j - i) * 300, 0))\n", how: "method: arnoldi, count: 4, block: 3"},
		"turns by dense":               {text: "a = where(i == j, 1 + i, where(abs(i - j) < 0.012, (j - i) * 300, 0))\n", how: "method: dense, count: 6"},
		"rounds by lanczos":            {text: "a = complex(where(i == j, 1 + i, 0), where(abs(i - j) < 0.012, (j - i) * 300, 0))\n", how: "method: lanczos, count: 3"},
		"rounds by lanczos of blocks":  {text: "a = complex(where(i == j, 1 + i, 0), where(abs(i - j) < 0.012, (j - i) * 300, 0))\n", how: "method: lanczos, which: lowest, count: 3, block: 4"},
		"rounds by dense":              {text: "a = complex(where(i == j, 1 + i, 0), where(abs(i - j) < 0.012, (j - i) * 300, 0))\n", how: "method: dense, count: 3"},
		"springs by what is chosen":    {text: "a = where(i == j, 2 + i, where(abs(i - j) < 0.012, -1, 0)) | assume(symmetric)\n", how: "count: 3"},
		"turns by what is chosen":      {text: "a = where(i == j, 1 + i, where(abs(i - j) < 0.012, (j - i) * 300, 0))\n", how: "count: 1"},
	} {
		s, err := Open(Config{Device: HostOnly, Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		text := axes + c.text + "e = eigen(a, " + cmp.Or(c.how, "method: power, most: 300") + ")\nshow(e.value)\nshow(e.vector)\n"
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
				v := element(name, float64(i)/119, float64(j)/119)
				if matrix.Re = append(matrix.Re, real(v)); strings.HasPrefix(name, "rounds") {
					matrix.Im = append(matrix.Im, imag(v))
				}
			}
		}
		use := p.Steps[slices.IndexFunc(p.Steps, func(s bound.Step) bool { return s.Programs != nil })].Op
		want, err := use.Bound.(ops.Referencer).Reference(map[string]ops.Dense{"input": matrix})
		if err != nil {
			t.Fatal(err)
		}
		for out, w := range want[:2] {
			if (w.Im == nil) != (got[out].Im == nil) {
				t.Fatalf("%s: output %d is %v", name, out, got[out])
			}
			for i, v := range w.Re {
				if name == "nothing by lanczos" && out == 1 || strings.HasPrefix(name, "cut") { // any vector is one, or none is found
					continue
				}
				off := math.Abs(got[out].Re[i] - v)
				if w.Im != nil {
					off = math.Hypot(off, got[out].Im[i]-w.Im[i])
				}
				if off > 1e-3*max(1, math.Abs(want[0].Re[0])) {
					t.Fatalf("%s: output %d is %v, want %v", name, out, got[out], w)
				}
			}
		}
	}
}

// element is a matrix of TestEigen, once more.
func element(name string, i, j float64) complex128 {
	near, same := math.Abs(i-j) < 0.012, math.Abs(i-j) < 1e-9
	switch kind, _, known := strings.Cut(name, " by "); kind {
	case "cut":
		return element("springs", i, j)
	case "springs":
		if same {
			return complex(2+i, 0)
		} else if near {
			return -1
		}
	case "double":
		return complex(math.Exp(-math.Abs(i-j))+i*j, 0)
	case "waves":
		if known {
			return complex(math.Sin(7*i+7*j)+2, 0)
		}
		return complex(math.Sin(i*7+j*3)+2, 0)
	case "negative":
		return complex(-math.Exp(-math.Abs(i-j)), 0)
	case "one way":
		switch {
		case same:
			return complex(1+i, 0)
		case i < j:
			return 1
		}
	case "turns", "rounds":
		switch {
		case same:
			return complex(1+i, 0)
		case near && kind == "turns":
			return complex(300*(j-i), 0)
		case near:
			return complex(0, 300*(j-i))
		}
	case "slow":
		if same {
			return complex(1+i*0.001, 0)
		}
	}
	return 0
}
