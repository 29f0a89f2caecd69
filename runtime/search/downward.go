package search

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/planner"
	"weft/runtime"
)

// candidates are the types in memory that are tried, the more exact ones first.
var candidates = []struct {
	t    ir.DType
	most float64 // largest magnitude that may be stored, with room for other data of the kind; 0: any
}{
	{ir.I16, 0},
	{ir.F16, 65504 / 4},
	{ir.BF16, 0},
}

// headroom is how far beyond the measured peak integers of full scale reach.
const headroom = 1.25

// attempt is a candidate being measured.
type attempt struct {
	stage  *planner.Buffer
	choice planner.Choice
	trial  *trial
	said   *planner.Candidate
	time   time.Duration
	was    time.Duration // of the plan as it is, the same kernels in turns
}

// downward tries stored arrays in fewer bits and returns the best plan.
func (f *finder) downward(ctx context.Context, base *trial, stages []*planner.Buffer) (*planner.Plan, error) {
	tried, err := f.attempts(base, stages)
	if err != nil {
		return nil, err
	}
	var passed []*attempt
	for _, a := range tried {
		if err := a.trial.run(ctx); err != nil {
			return nil, err
		}
		a.said.Proofs = prove(a.trial, f.outputs)
		if !within(a.said.Proofs, safety) {
			a.said.Verdict = fmt.Sprintf("takes %.0f %% of the tolerance, more than %.0f %%", 100*strain(a.said.Proofs), 100*safety)
			continue
		}
		passed = append(passed, a)
	}
	if err := f.rank(base, passed); err != nil {
		return nil, err
	}
	best := f.best(stages, passed)
	p, err := f.together(ctx, base, best)
	for _, a := range tried {
		f.said.Candidates = append(f.said.Candidates, *a.said)
	}
	return p, err
}

// attempts plans and compiles every candidate; those that a bound rules out are not tried.
func (f *finder) attempts(base *trial, stages []*planner.Buffer) (out []*attempt, err error) {
	var trials []*trial
	for _, b := range stages {
		peak := runtime.Peak(base.host(b), f.opt.Threads)
		for _, c := range candidates {
			choice := planner.Choice{Storage: c.t}
			if c.t.Int() {
				choice.Scale = headroom * peak / math.MaxInt16
			}
			said := &planner.Candidate{Stage: b.Stage, Name: c.t.String(), Choice: choice, Bytes: b.Bytes * int64(c.t.Size()) / int64(b.Ir.Type.Size())}
			switch {
			case c.most > 0 && peak > c.most:
				said.Verdict = fmt.Sprintf("not tried: values reach %.3g", peak)
			case c.t.Int() && (peak == 0 || b.Ir.Pad.Value != 0):
				said.Verdict = "not tried: there is no scale for it"
			}
			if said.Verdict != "" {
				f.said.Candidates = append(f.said.Candidates, *said)
				continue
			}
			p, err := f.plan(planner.Choices{planner.StageKey(b.Array): choice})
			if err != nil {
				return nil, err
			}
			t := newTrial(p, f.base, base, f.ids(), f.opt)
			t.parts = base.parts
			trials = append(trials, t)
			out = append(out, &attempt{stage: b, choice: choice, trial: t, said: said})
		}
	}
	f.trials = append(f.trials, trials...)
	return out, f.compile(context.Background(), trials...)
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
			if s := step(a.trial.plan, b.ID); s.Kernel.Hash != b.Kernel.Hash {
				of, runs = append(of, a), append(runs, a.trial)
			}
		}
		if len(of) == 0 || adds(b.Kernel) {
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

// adds reports a kernel whose tiles must not run twice.
func adds(k *planner.Kernel) bool {
	return slices.ContainsFunc(k.Ir.Stores, func(s ir.Store) bool { return s.Combine != ir.Ordered })
}

// inTurns times one kernel of several trials over the same tiles and gives the processor time of all its tiles.
func inTurns(trials []*trial, id string) ([]time.Duration, error) {
	first := step(trials[0].plan, id).Kernel
	tiles := spread(first, rankTime)
	launches := make([]func(device.Tile) error, len(trials))
	for i, t := range trials {
		launch, err := step(t.plan, id).Kernel.Program.Bind(device.Bindings{Mem: t.mem})
		if err != nil {
			return nil, err
		}
		launches[i] = launch
	}
	taken := make([][]time.Duration, len(trials))
	for range rounds {
		for i, launch := range launches {
			d, err := stopwatch(func() error {
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
		out[i] = time.Duration(float64(taken[i][rounds/2]) * float64(first.Ir.Points()) / float64(max(1, points)))
	}
	return out, nil
}

func step(p *planner.Plan, id string) *planner.Step {
	i := slices.IndexFunc(p.Steps, func(s planner.Step) bool { return s.ID == id })
	return &p.Steps[i]
}

// best is the attempt to take for each stage, if any: one that is no slower, the fastest of these, and the more exact of those
// as fast.
func (f *finder) best(stages []*planner.Buffer, passed []*attempt) (out []*attempt) {
	for _, b := range stages {
		var best *attempt
		for _, a := range passed {
			switch {
			case a.stage != b:
				continue
			case float64(a.time) > (1+noise)*float64(a.was):
				a.said.Verdict = fmt.Sprintf("slower by %.0f %%", 100*(float64(a.time)/float64(a.was)-1))
			case best == nil || float64(a.time) < (1-noise)*float64(best.time) || float64(a.time) < (1+noise)*float64(best.time) && strain(a.said.Proofs) < strain(best.said.Proofs):
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
func (f *finder) together(ctx context.Context, base *trial, best []*attempt) (*planner.Plan, error) {
	for len(best) > 0 {
		choices := planner.Choices{}
		for _, a := range best {
			choices[planner.StageKey(a.stage.Array)] = a.choice
		}
		t, proofs := best[0].trial, best[0].said.Proofs
		if len(best) > 1 {
			p, err := f.plan(choices)
			if err != nil {
				return nil, err
			}
			if t, err = f.trial(ctx, p, base, base.parts); err != nil {
				return nil, err
			}
			proofs = prove(t, f.outputs)
		}
		if within(proofs, safety) {
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
