package session

import (
	"math"
	"testing"

	"weft/kernels/cache/cachetest"
	"weft/lang/check"
	"weft/planner/bound"
	"weft/planner/cost"
	"weft/runtime"
)

// How much there is of what is counted when it runs is foretold as the program says or, where it does not, by what there was in the last run: of the same
// computation alone, and in other sessions too. Nothing that is decided changes.
func TestCountsAreRecalled(t *testing.T) {
	cachetest.Use(t)
	kept := t.TempDir()
	t.Chdir(t.TempDir())
	open := func() *Session {
		s, err := Open(Config{Device: HostOnly, Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		s.Model.History = cost.OpenHistory(kept, s.Model.Profile)
		return s
	}
	plan := func(s *Session, above, likely string) (*Program, *bound.Plan) {
		prog := CheckText("a.weft", []byte(`param above = `+above+`
a = sum(axis(i, 0 .. 1 in 500) * axis(j, 0 .. 1 in 4000) * axis(k, 0 .. 2 in 2), over: k) @keep
s = a | scan((s, e) -> e, along: j, from: 0, keep: s -> s > above`+likely+`)
2 * s.value | write("twice.npy")
axis(i, 0 .. 1 in 500) | iterate(x -> 0.5 * x + sum(s.value * (1 + x), over: j in s.first .. s.first + s.count - 1), at_most: 3) | write("turns.npy")
`), check.Options{})
		p, err := s.Plan(t.Context(), prog, PlanOptions{})
		if err != nil {
			t.Fatal(err, prog.Found.String())
		}
		return prog, p
	}
	figures := func(p *bound.Plan) (bytes, flops float64) {
		for _, s := range p.Kernels() {
			bytes, flops = bytes+float64(s.Kernel.Bytes), flops+s.Kernel.Flops
		}
		return bytes, flops
	}
	run := func(s *Session, prog *Program, p *bound.Plan) (bytes, flops float64) {
		r, err := s.Run(t.Context(), prog, p, runtime.Options{})
		if err != nil {
			t.Fatal(err, prog.Found.String())
		}
		for _, k := range r.Kernels {
			calls := float64(max(1, k.Calls))
			bytes, flops = bytes+float64(k.Bytes)/calls, flops+k.Flops/calls
		}
		return bytes, flops
	}
	near := func(a, b float64) bool { return math.Abs(a-b) < 0.02*b }

	s := open()
	prog, first := plan(s, "1.9", "")
	was, _ := figures(first)
	bytes, flops := run(s, prog, first)
	if near(was, bytes) {
		t.Errorf("without a word or a run %g bytes are foretold, as there are: nothing is tested", was)
	}
	recalled := func(in string, s *Session) {
		_, second := plan(s, "1.9", "")
		if b, f := figures(second); !near(b, bytes) || !near(f, flops) {
			t.Errorf("after a run, in %s: %g bytes and %g flop, and there were %g and %g", in, b, f, bytes, flops)
		}
		if second.Hash != first.Hash {
			t.Error("what was counted changes what is computed")
		}
	}
	recalled("the same session", s)
	if err := s.Learn(t.Context()); err != nil {
		t.Fatal(err)
	}
	recalled("another", open())
	if _, other := plan(s, "1", ""); !near(func() float64 { b, _ := figures(other); return b }(), was) {
		t.Error("another bound is foretold by what there was of this one")
	}
	prog, told := plan(s, "1", ", likely: 15.3 percent") // x y > 1/2: (1 - ln 2) / 2
	b, f := figures(told)
	if bytes, flops := run(s, prog, told); !near(b, bytes) || !near(f, flops) {
		t.Errorf("as the program says: %g bytes and %g flop, and there were %g and %g", b, f, bytes, flops)
	}
}
