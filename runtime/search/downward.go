package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"weft/kernels/clock"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/kernels/retype"
	"weft/ops"
	"weft/planner/bound"
	"weft/planner/graph"
	"weft/planner/plan"
	"weft/runtime/audit"
)

// headroom is how far beyond the measured peak multiples of a unit reach; roots reach to the peak itself.
const headroom = 1.25

// f16Most is the largest magnitude that is tried in f16, with room for other data of the kind.
const f16Most = 65504 / 4

// leastRooted is the full scale from which roots are tried: one unit, squared, must be a normal f32, and so must its inverse.
const leastRooted = 0x1p-80

// Errors of rounding follow the digits: those of bf16 are so many times those of f16.
const coarser = 8

// attempt is a candidate being measured.
type attempt struct {
	stage  *bound.Buffer
	choice plan.Choice
	trial  *trial
	said   *plan.Candidate
	time   time.Duration
	was    time.Duration // of the plan as it is, the same kernels in turns
}

// attempt plans a candidate.
func (f *finder) attempt(b *bound.Buffer, c plan.Choice) (*attempt, error) {
	p, err := f.plan(plan.Choices{graph.Key(b.Array): c})
	if err != nil {
		return nil, err
	}
	return &attempt{stage: b, choice: c, said: f.candidate(b, c, ""), trial: newTrial(p, f.base, f.ids(), f.opt)}, nil
}

// candidate records one in the report.
func (f *finder) candidate(b *bound.Buffer, c plan.Choice, verdict string) *plan.Candidate {
	said := &plan.Candidate{Stage: b.Stage, Name: named(c), Choice: c, Verdict: verdict,
		Bytes: b.Bytes * int64(c.Storage.Size()) / int64(b.Storage().Size())}
	f.said.Candidates = append(f.said.Candidates, said)
	return said
}

// named is what a candidate is called.
func named(c plan.Choice) string {
	if c.Roots {
		return c.Storage.String() + " of roots"
	}
	return c.Storage.String()
}

// downward measures stored arrays in fewer bits, f16 first, which is compiled already; its error tells whether another type is
// worth trying. It returns the best plan.
func (f *finder) downward(ctx context.Context, base *trial, stages []*bound.Buffer, halves []*attempt) (*bound.Plan, error) {
	var passed, more []*attempt
	for _, b := range stages {
		next, err := f.others(ctx, base, b, halves, &passed)
		if err != nil {
			return nil, err
		}
		more = append(more, next...)
	}
	if err := f.compile(ctx, trialsOf(more)...); err != nil {
		return nil, err
	}
	for _, a := range more {
		ok, err := f.measure(ctx, base, a)
		if err != nil {
			return nil, err
		}
		if ok {
			passed = append(passed, a)
		}
	}
	if err := f.rank(base, passed); err != nil {
		return nil, err
	}
	return f.together(ctx, base, f.best(stages, passed))
}

func trialsOf(list []*attempt) (out []*trial) {
	for _, a := range list {
		out = append(out, a.trial)
	}
	return out
}

// others measures f16 for a stage and plans what else is worth trying: u16, which has more digits but one scale for all, and u16 of roots, which
// keep more of them for small numbers, where f16 is beyond the tolerance or its range; bf16 where an error so much larger would do.
func (f *finder) others(
	ctx context.Context, base *trial, b *bound.Buffer, halves []*attempt, passed *[]*attempt,
) (more []*attempt, err error) {
	half := halves[slices.IndexFunc(halves, func(a *attempt) bool { return a.stage == b })]
	peak := audit.Peak(b.In(base.Mem()), b.Layout.Whole(), f.opt.Threads)
	fits := peak <= f16Most
	if !fits {
		half.said.Verdict = fmt.Sprintf("not tried: values reach %.3g", peak)
	} else if fits, err = f.measure(ctx, base, half); err != nil {
		return nil, err
	} else if fits {
		*passed = append(*passed, half)
	}
	lost := strain(half.said.Proofs)
	try := func(t ir.DType, units retype.Units, why string) error {
		c := plan.Choice{Storage: t, Units: units}
		if why != "" {
			f.candidate(b, c, "not tried: "+why)
			return nil
		}
		a, err := f.attempt(b, c)
		if err == nil {
			more = append(more, a)
		}
		return err
	}
	whole, roots, brain := "", "", ""
	least, finite := lowest(b.In(base.Mem()))
	switch {
	case fits:
		whole = "f16 is exact enough"
	case peak == 0 || b.Bufs[0].Pad.Value != 0:
		whole = "there is no scale for it"
	case !finite:
		whole = "it has no NaN and no infinity"
	}
	switch {
	case whole != "":
		roots = whole
	case least < 0 || b.Array.Type.Elem.Complex:
		roots = "numbers below 0 have no root"
	case peak < leastRooted:
		roots = "the squares of its units are no f32"
	}
	if peak <= f16Most && coarser*lost > safety {
		brain = fmt.Sprintf("its error is about %d times that of f16, %.0f %% of the tolerance", coarser, 100*coarser*lost)
	}
	err = errors.Join(try(ir.U16, retype.FullScale(headroom*peak, false), whole), try(ir.U16, retype.FullScale(peak, true), roots), try(ir.BF16, retype.Units{}, brain))
	return more, err
}

// lowest is the least of the numbers of an array, and whether all are finite.
func lowest(h ops.HostArray) (least float64, finite bool) {
	for _, p := range h.Parts {
		for row := range p.Values() {
			for _, v := range row {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					return 0, false
				}
				least = min(least, v)
			}
		}
	}
	return least, true
}

// measure runs a candidate and compares; ok is false where its errors are too large.
func (f *finder) measure(ctx context.Context, base *trial, a *attempt) (ok bool, err error) {
	f.trials = append(f.trials, a.trial)
	a.trial.parts = base.parts
	a.trial.share(base)
	if err := a.trial.run(ctx); err != nil {
		return false, err
	}
	a.said.Proofs = f.narrowed(a.trial, base)
	if ok = f.safe(a.said.Proofs); !ok {
		a.said.Verdict = fmt.Sprintf("beyond what is safe: it takes %.0f %% of the tolerance, more than %.0f %%",
			100*strain(a.said.Proofs), 100*safety)
		if strain(a.said.Proofs) <= safety {
			a.said.Verdict = "beyond the tolerance at elements that are no samples"
		}
	}
	return ok, nil
}

// Tiles of each kernel are timed for so long altogether, in so many rounds.
const (
	rankTime = 20 * time.Millisecond
	rounds   = 5
)

// rank times what the attempts change, tile by tile in turns with the plan as it is, and takes medians.
func (f *finder) rank(base *trial, attempts []*attempt) error {
	for _, b := range f.base.Steps {
		if b.Kernel == nil {
			continue
		}
		runs := []*trial{base}
		var of []*attempt
		for _, a := range attempts {
			if s := a.trial.step(b.ID); s != nil && s.Kernel.Hash != b.Kernel.Hash {
				of, runs = append(of, a), append(runs, a.trial)
			}
		}
		if len(of) == 0 {
			continue
		}
		medians, err := inTurns(runs, b.ID)
		if err != nil {
			return err
		}
		for i, a := range of {
			a.was += medians[0]
			a.time += medians[i+1]
		}
	}
	for _, a := range attempts {
		a.said.Millis, a.said.Was = millis(a.time), millis(a.was)
	}
	return nil
}

func millis(d time.Duration) float64 { return d.Seconds() * 1e3 }

// stopwatch measures; tests put another in its place.
var stopwatch = clock.Stopwatch

// inTurns times one kernel of several trials over the same tiles and gives the processor time of all its tiles.
func inTurns(trials []*trial, id string) ([]time.Duration, error) {
	first := trials[0].step(id).Kernel
	tiles := spread(first, rankTime)
	launches := make([]func(region.Region) error, len(trials))
	for i, t := range trials {
		launch, err := t.Launch(t.step(id))
		if err != nil {
			return nil, err
		}
		launches[i] = launch
	}
	taken := make([][]time.Duration, len(trials))
	for range rounds {
		for i, launch := range launches {
			_, d, err := stopwatch(func() error {
				for _, tile := range tiles {
					if err := launch(tile); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return nil, err
			}
			taken[i] = append(taken[i], d)
		}
	}
	points := int64(0)
	for _, t := range tiles {
		points += t.Points()
	}
	out := make([]time.Duration, len(trials))
	for i := range out {
		slices.Sort(taken[i])
		out[i] = time.Duration(float64(taken[i][rounds/2]) * float64(first.IR.Points()) / float64(max(1, points)))
	}
	return out, nil
}

// step is one that the trial runs; nil for others.
func (t *trial) step(id string) *bound.Step {
	i := slices.IndexFunc(t.steps, func(s *bound.Step) bool { return s.ID == id })
	if i < 0 {
		return nil
	}
	return t.steps[i]
}

// best is the attempt to take for each stage, if any: one that is no slower, the fastest of these, and the more exact of those
// as fast.
func (f *finder) best(stages []*bound.Buffer, passed []*attempt) (out []*attempt) {
	for _, b := range stages {
		var best *attempt
		for _, a := range passed {
			switch {
			case a.stage != b:
				continue
			case float64(a.time) > (1+noise)*float64(a.was):
				a.said.Verdict = fmt.Sprintf("slower by %.0f %%", 100*(float64(a.time)/float64(a.was)-1))
			case best == nil || float64(a.time) < (1-noise)*float64(best.time) ||
				float64(a.time) < (1+noise)*float64(best.time) && strain(a.said.Proofs) < strain(best.said.Proofs):
				if best != nil {
					best.said.Verdict = "another is faster or as fast and more exact"
				}
				best = a
			default:
				a.said.Verdict = "another is faster or as fast and more exact"
			}
		}
		if best != nil {
			out = append(out, best)
		}
	}
	return out
}

// together takes several choices at once, without those that cost most where their errors add up to too much.
func (f *finder) together(ctx context.Context, base *trial, best []*attempt) (*bound.Plan, error) {
	for len(best) > 0 {
		choices := plan.Choices{}
		for _, a := range best {
			choices[graph.Key(a.stage.Array)] = a.choice
		}
		t, proofs := best[0].trial, best[0].said.Proofs
		if len(best) > 1 {
			p, err := f.plan(choices)
			if err != nil {
				return nil, err
			}
			if t, err = f.trial(ctx, p, base); err != nil {
				return nil, err
			}
			proofs = f.narrowed(t, base)
		}
		if f.safe(proofs) {
			for _, a := range best {
				a.said.Verdict = "chosen"
			}
			f.said.Proofs, f.said.Choices = proofs, choices
			return t.plan, nil
		}
		worst := slices.MaxFunc(best, func(a, b *attempt) int { return int(math.Copysign(1, strain(a.said.Proofs)-strain(b.said.Proofs))) })
		worst.said.Verdict = "beyond the tolerance together with the others"
		best = slices.DeleteFunc(best, func(a *attempt) bool { return a == worst })
	}
	return f.base, nil
}
