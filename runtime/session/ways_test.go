package session

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"weft/kernels/cache/cachetest"
	"weft/lang/check"
	"weft/planner/plan"
	"weft/runtime"
	"weft/runtime/report"
)

// inWays is a program that makes turns of an array in one of three ways: a slow one, a quick one and one that gives something else.
const inWays = `i = axis(i, 0 .. 1 in 20000)
k = axis(k, 0 .. 1 in 1024)
slow = (name: "slow", of: x -> mean(x * sin(k) ^ 2 + x * cos(k) ^ 2, over: k))
quick = (name: "quick", of: x -> x + 0)
wrong = (name: "wrong", of: x -> 0.9 * x)
ways = [slow, wrong, quick]
trials = each(ways, w -> i | iterate(w.of, at_most: 4))
best = x -> fastest(each(ways, w -> w.of(x)), trials, each(ways, w -> w.name))
`

func inTurns(t *testing.T, s *Session, text string, opt PlanOptions) (*Program, *plan.Ways, string) {
	t.Helper()
	prog := CheckText("a.weft", []byte(text), check.Options{})
	p, err := s.Plan(t.Context(), prog, opt)
	if err != nil {
		t.Fatal(err, prog.Found.String())
	}
	if len(p.Ways) != 1 {
		t.Fatalf("ways: %+v", p.Ways)
	}
	var told bytes.Buffer
	if err := report.Text(&told, p, report.Options{}); err != nil {
		t.Fatal(err)
	}
	return prog, p.Ways[0], told.String()
}

// TestWays: of several ways to an array of which many turns are made, the one is taken that is measured to be fastest and gives the same; that is
// remembered, told, and kept where decisions are. What is used once, or in short, is taken as it comes first.
func TestWays(t *testing.T) {
	cachetest.Use(t)
	t.Chdir(t.TempDir())
	s, err := Open(Config{Device: HostOnly, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	if s.CPU == nil {
		t.Skip("no C compiler")
	}
	const turns = "i | iterate(x -> 0.5 * best(x) + 0.25 * best(i), at_most: 100000) | show\n"
	_, w, told := inTurns(t, s, inWays+turns, PlanOptions{})
	if w.Chosen != "quick" || w.Turns != 100000 || w.Cached || w.Skipped != "" || len(w.Tried) != 3 {
		t.Fatalf("%+v", w)
	}
	if v := w.Tried[1]; !strings.Contains(v.Verdict, "differs by") || v.Error < 0.3 {
		t.Errorf("of the one that gives something else: %+v", v)
	}
	if v := w.Tried[0]; v.Turn < 2*w.Tried[2].Turn || !strings.Contains(v.Verdict, "times as long") {
		t.Errorf("of the slow one: %+v; the quick one: %+v", v, w.Tried[2])
	}
	for _, what := range []string{"line 7", ": quick (measured in", "slow: ", "wrong: ", "differs by"} {
		if !strings.Contains(told, what) {
			t.Errorf("%q is not told:\n%s", what, told)
		}
	}
	prog, w, _ := inTurns(t, s, inWays+turns, PlanOptions{})
	if w.Chosen != "quick" || !w.Cached {
		t.Errorf("planned again: %+v", w)
	}
	decided := &plan.Decisions{Ways: map[string]int{}}
	for key := range prog.Taken {
		decided.Ways[key] = 0
	}
	opt := PlanOptions{}
	opt.Decided = decided
	if _, w, _ = inTurns(t, s, inWays+turns, opt); w.Chosen != "slow" {
		t.Errorf("by a decision: %+v", w)
	}
	for text, why := range map[string]string{
		"best(i) | show\n": "no turns are made of it",
		"i | iterate(x -> 0.5 * best(x), at_most: 3) | show\n": "3 turns are predicted to take",
	} {
		prog, w, _ := inTurns(t, s, inWays+text, PlanOptions{})
		if w.Chosen != "slow" || !strings.Contains(w.Skipped, why) {
			t.Errorf("%s: %+v", text, w)
		}
		p, err := s.Plan(t.Context(), prog, PlanOptions{})
		if err != nil || len(p.Ways) != 1 {
			t.Fatalf("planned once more: %v, %+v", err, p.Ways)
		}
		if _, err := s.Run(t.Context(), prog, p, runtime.Options{Verify: true, Terminal: nil, Discard: true}); err != nil {
			t.Error(err)
		}
	}
}

// TestFormsOfMatrices: of the forms that a sparse matrix may lie in, those in f16, as roots in 8 and in 16 bits are as exact as they are known to be, and the
// tolerance leaves out what is not.
func TestFormsOfMatrices(t *testing.T) {
	cachetest.Use(t)
	t.Chdir(t.TempDir())
	s, err := Open(Config{Device: HostOnly, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	if s.CPU == nil {
		t.Skip("no C compiler")
	}
	text := func(least, tolerance string) string {
		return `use sparse
i = axis(i, 0 .. 499 in 500)
j = axis(j, 0 .. 299 in 300)
far = abs(i * 0.6 - j)
a = sparse.of(where(far < 40, exp(-far / 3) + 0.001 - ` + least + ` * exp(-far), 0), j) | sparse.store(j, tolerance: ` + tolerance + `)
1 + 0 * j | iterate(x -> a.transposed(a.apply(x) @keep) / 100, at_most: 200000) | show
`
	}
	for _, c := range []struct {
		least, tolerance, fits string
		fails                  []string
	}{
		{"0", "4e-5", "values as roots in 16 bits", []string{"values in f16", "values as roots in 8 bits", "values as signed roots"}},
		{"0", "1e-3", "values in f16", []string{"values as roots in 8 bits"}},
		{"1.5", "1e-4", "values as signed roots", []string{"values in f16", "values as roots in 16 bits", "values as roots in 8 bits"}},
	} {
		_, w, _ := inTurns(t, s, text(c.least, c.tolerance), PlanOptions{})
		if w.Skipped != "" {
			t.Fatalf("%+v", w)
		}
		for _, v := range w.Tried {
			t.Logf("%s: %.3g, %s", v.Name, v.Error, v.Verdict)
			fails := strings.Contains(v.Verdict, "differs by")
			if strings.HasSuffix(v.Name, c.fits) && fails || fails != slices.ContainsFunc(c.fails, func(name string) bool { return strings.HasSuffix(v.Name, name) }) {
				t.Errorf("at %s: %+v", c.tolerance, v)
			}
		}
	}
}
