package runtime

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"weft/kernels/region"
	"weft/ops/problem"
	"weft/planner/bound"
	"weft/runtime/carry"
	"weft/runtime/journal"
)

// carrying is what kernels of a pass carry from block to block, and when it was kept.
type carrying struct {
	carry.State
	path  string // of the checkpoint; empty: a run that goes on makes all of the pass anew
	saved time.Time
	wait  time.Duration // until the next
}

// carries finds the kernels of a pass that carry something, and from which row it can go on where sinks have what is before one.
func (p *pass) carries(from int) (int, error) {
	r, c := p.run, &p.carried
	c.Arrays, r.carried = r.arrays, c
	for _, s := range p.steps {
		if s.Kernel != nil && s.Kernel.Carry != nil {
			c.Steps = append(c.Steps, s)
		}
	}
	switch {
	case len(c.Steps) == 0:
		return from, nil
	case r.checkpoint == "" || r.program != nil || slices.ContainsFunc(p.Makes, func(id string) bool { return !r.arrays.Windowed[id] }):
		return 0, nil
	}
	first := c.Steps[0]
	c.path = journal.CheckpointOf(r.checkpoint, first.ID)
	c.saved, c.wait = time.Now(), leastBetween
	*r.checkpoints = append(*r.checkpoints, c.path)
	if from == 0 {
		return 0, journal.Forget(c.path)
	}
	was, err := journal.ReadCheckpoint(c.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	if why := was.Header.Foreign(r.header()); err == nil && why != "" {
		return 0, problem.Wrong(problem.JournalForeign, "", "run without --resume to start afresh", "the checkpoint of %s is of another run: %s", first.Name, why)
	}
	if err != nil || was.Calls > from || !c.Fits(p.layout, p.index, was) {
		r.opt.Progress.Log(fmt.Sprintf("%s begins again: what it carries from row to row was not kept", first.Name))
		return 0, nil
	}
	c.Was = was
	return was.Calls, nil
}

// due is a checkpoint behind block t, if the last one is some time ago; nil: there is none to make.
func (p *pass) due(t int) (*journal.Checkpoint, error) {
	if c := &p.carried; c.path == "" || t+1 == len(p.blocks) || time.Since(c.saved) < c.wait {
		return nil, nil
	}
	return p.carried.Checkpoint(p.run.header(), p.blocks[t])
}

// save makes a checkpoint, unless a sink has not yet recorded all before it.
func (p *pass) save(now *journal.Checkpoint) error {
	if now == nil || slices.ContainsFunc(p.sinks, func(s *tileSink) bool {
		t := p.run.arrays.ByID[s.step.Reads[0]].Layout
		return !s.left(t.Rows(region.Interval{Hi: now.Calls * t.RowCount() / p.Rows})).Empty()
	}) {
		return nil
	}
	start, c := time.Now(), &p.carried
	if err := now.Write(c.path); err != nil {
		return fmt.Errorf("cannot keep a checkpoint: %w", err)
	}
	c.saved = time.Now()
	c.wait = min(mostBetween, max(leastBetween, checkpointShare*c.saved.Sub(start)))
	return nil
}

// elementsOf are those that a step makes of a region of its axes, of a kernel that makes a few turns at a time those of these.
func (r *run) elementsOf(s *bound.Step, over region.Region) region.Region {
	at := s.Kernel.Elements(over)
	if c := s.Kernel.Carry; c != nil && c.Rows {
		at[0] = r.carried.Turns(s)
	}
	return at
}
