package runtime

import (
	"fmt"
	"slices"
	"time"

	"weft/kernels/region"
	"weft/planner/bound"
	"weft/runtime/carry"
	"weft/runtime/journal"
)

// carrying is what kernels of a pass carry from block to block, and when it was kept.
type carrying struct {
	carry.State
	journal.Keeper // of none: a run that goes on makes all of the pass anew
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
	case r.checkpoint == "" || r.program != nil || slices.ContainsFunc(p.Makes, p.anew):
		return 0, nil
	}
	first := c.Steps[0]
	c.Keeper = journal.NewKeeper(r.checkpoint, first.ID, r.header())
	*r.checkpoints = append(*r.checkpoints, c.Path)
	if from == 0 {
		return 0, journal.Forget(c.Path)
	}
	was, err := c.Left(first.Name)
	if err != nil {
		return 0, err
	}
	if was == nil || was.Calls > from || !c.Fits(p.layout, p.index, *was) {
		r.opt.Progress.Log(fmt.Sprintf("%s begins again: what it carries from row to row was not kept", first.Name))
		return 0, nil
	}
	c.Was = *was
	return was.Calls, nil
}

// due is a checkpoint behind block t, if the last one is some time ago; nil: there is none to make.
func (p *pass) due(t int) (*journal.Checkpoint, error) {
	if c := &p.carried; t+1 == len(p.blocks) || !c.Late() {
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
	return p.carried.Write(*now, time.Now())
}

// elementsOf are those that a step makes of a region of its axes, of a kernel that makes a few turns at a time those of these.
func (r *run) elementsOf(s *bound.Step, over region.Region) region.Region {
	at := s.Kernel.Elements(over)
	if c := s.Kernel.Carry; c != nil && c.Rows {
		at[0] = r.carried.Turns(s)
	}
	return at
}
