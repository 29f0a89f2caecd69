package runtime

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"weft/kernels/device"
	"weft/kernels/region"
	"weft/ops/problem"
	"weft/planner/bound"
	"weft/planner/plan"
	"weft/runtime/journal"
)

// carrying is what kernels of a pass carry from block to block, and the checkpoint that keeps it for a run that goes on.
type carrying struct {
	steps []*bound.Step
	path  string // of the checkpoint; empty: a run that goes on makes all of the pass anew
	head  journal.Header
	was   journal.Checkpoint // that the run goes on from
	saved time.Time
	wait  time.Duration // until the next
}

// carries finds the kernels of a pass that carry something, and from which row it can go on where sinks have what is before one.
func (p *pass) carries(from int) (int, error) {
	r, c := p.run, &p.carried
	for _, s := range p.steps {
		if s.Kernel != nil && s.Kernel.Carry != nil {
			c.steps = append(c.steps, s)
		}
	}
	whole := slices.ContainsFunc(p.Makes, func(id string) bool { return !r.arrays.Windowed[id] })
	if len(c.steps) == 0 || r.checkpoint == "" || r.program != nil || whole {
		if len(c.steps) > 0 {
			from = 0
		}
		return from, nil
	}
	c.path, c.head = journal.CheckpointOf(r.checkpoint, c.steps[0].ID), r.header()
	c.saved, c.wait = time.Now(), leastBetween
	*r.checkpoints = append(*r.checkpoints, c.path)
	if from == 0 {
		return 0, journal.Forget(c.path)
	}
	was, err := journal.ReadCheckpoint(c.path)
	if errors.Is(err, fs.ErrNotExist) {
		r.opt.Progress.Log(fmt.Sprintf("%s begins again: what it carries from row to row was not kept", c.steps[0].Name))
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if why := was.Header.Foreign(c.head); why != "" {
		return 0, problem.Wrong(problem.JournalForeign, "", "run without --resume to start afresh", "the checkpoint of %s is of another run: %s", c.steps[0].Name, why)
	}
	if was.Calls > from || !c.fits(p, was) {
		return 0, nil
	}
	c.was = was
	return was.Calls, nil
}

// fits reports whether a checkpoint has all that blocks need which begin where it was made, and has them begin there.
func (c *carrying) fits(p *pass, was journal.Checkpoint) bool {
	told, turns := was.Told, map[string]int{}
	rows := map[string]region.Interval{}
	for _, s := range c.steps {
		arrays := c.rows(s)
		if len(told) < 1+len(arrays) {
			return false
		}
		turns[s.ID] = int(told[0])
		for i, id := range arrays {
			rows[id] = region.Interval{Lo: int(told[1+i]), Hi: int(told[0])}
		}
		told = told[1+len(arrays):]
	}
	p.layout.Begin(turns)
	first := p.layout.Blocks(p.index, nil, was.Calls)[0]
	for id, at := range rows {
		if lo, needed := first.From[id]; needed && lo < at.Lo {
			p.layout.Begin(nil)
			return false
		}
	}
	return len(told) == 0
}

// rows are the arrays of which a step makes a row a turn.
func (c *carrying) rows(s *bound.Step) []string {
	if s.Kernel.Carry.Rows {
		return s.Writes
	}
	return nil
}

// hold gives what a kernel carries its memory, and what it was where the run goes on.
func (c *carrying) hold(p *pass) error {
	r := p.run
	for _, s := range c.steps {
		r.turns[s.ID] = region.Interval{}
		for _, b := range s.Kernel.Carry.Buffers() {
			m, err := r.opt.Devices[0].Alloc(b)
			if err != nil {
				return problem.Wrong(problem.OutOfMemory, "", "stop other programs, or use a smaller grid", "no memory for what %s carries from block to block (%s): %s",
					s.Name, plan.FormatBytes(b.Bytes()), err)
			}
			r.arrays.Memory[b] = m
			r.arrays.Count(b.Bytes())
		}
	}
	if c.was.Calls == 0 {
		return nil
	}
	told := c.was.Told
	for _, s := range c.steps {
		r.turns[s.ID] = region.Interval{Lo: int(told[0]), Hi: int(told[0])}
		arrays := c.rows(s)
		for i, id := range arrays {
			at := r.arrays.ByID[id].Layout.Whole()
			at[0] = region.Interval{Lo: int(told[1+i]), Hi: int(told[0])}
			r.arrays.Extend(id, at)
		}
		told = told[1+len(arrays):]
	}
	state, fits := c.was.State, true
	err := c.visit(p, c.was.Told, func(bytes []byte) {
		if fits = fits && len(state) > 0 && len(state[0]) == len(bytes); fits {
			copy(bytes, state[0])
			state = state[1:]
		}
	})
	if err == nil && !fits {
		err = problem.Wrong(problem.JournalForeign, "", "run without --resume to start afresh", "the checkpoint of %s is of another run: its arrays are others", c.steps[0].Name)
	}
	c.was.State = nil
	return err
}

// visit goes through all that makes a checkpoint: what is carried, and rows that were made and are still needed, of which told has the numbers.
func (c *carrying) visit(p *pass, told []uint64, visit func(bytes []byte)) error {
	r := p.run
	for _, s := range c.steps {
		for _, b := range s.Kernel.Carry.Before {
			visit(r.arrays.Memory[b].Host())
		}
		arrays := c.rows(s)
		for i, id := range arrays {
			h, err := r.arrays.Host(id)
			if err != nil {
				return err
			}
			at := h.Type.Whole()
			if at[0] = (region.Interval{Lo: int(told[1+i]), Hi: int(told[0])}); at.Empty() {
				continue
			}
			for _, part := range h.Sub(at).Parts {
				for row := range part.Rows() {
					visit(part.Row(row))
				}
			}
		}
		told = told[1+len(arrays):]
	}
	return nil
}

// next has a kernel make the turns of a block.
func (p *pass) next(s *bound.Step, turns region.Interval) {
	c := s.Kernel.Carry
	device.SetFloats(c.Bounds, p.run.arrays.Memory[c.Bounds].Host(), []float64{float64(turns.Lo), float64(turns.Hi)})
	p.run.turns[s.ID] = turns
}

// on takes what a kernel carried out of a block into the next one.
func (p *pass) on(s *bound.Step) {
	c, mem := s.Kernel.Carry, p.run.arrays.Memory
	for i, b := range c.Before {
		mem[b], mem[c.After[i]] = mem[c.After[i]], mem[b]
	}
}

// due is a checkpoint behind block t, if the last one is some time ago; nil: there is none to make.
func (c *carrying) due(p *pass, t int) (*journal.Checkpoint, error) {
	if c.path == "" || t+1 == len(p.blocks) || time.Since(c.saved) < c.wait {
		return nil, nil
	}
	now := &journal.Checkpoint{Header: c.head, Calls: p.blocks[t].Hi}
	for _, s := range c.steps {
		done := p.run.turns[s.ID].Hi
		now.Told = append(now.Told, uint64(done))
		for _, id := range c.rows(s) {
			now.Told = append(now.Told, uint64(min(p.blocks[t].Keep[id], done)))
		}
	}
	err := c.visit(p, now.Told, func(bytes []byte) { now.State = append(now.State, slices.Clone(bytes)) })
	return now, err
}

// save makes a checkpoint, unless a sink has not yet recorded all before it.
func (c *carrying) save(p *pass, now *journal.Checkpoint) error {
	if now == nil || slices.ContainsFunc(p.sinks, func(s *tileSink) bool {
		t := p.run.arrays.ByID[s.step.Reads[0]].Layout
		at := t.Whole()
		at[0].Hi = now.Calls * t.RowCount() / p.Rows
		return !s.left(at).Empty()
	}) {
		return nil
	}
	start := time.Now()
	if err := now.Write(c.path); err != nil {
		return fmt.Errorf("cannot keep a checkpoint: %w", err)
	}
	c.saved = time.Now()
	c.wait = min(mostBetween, max(leastBetween, checkpointShare*c.saved.Sub(start)))
	return nil
}

// free gives the memory of what is carried back.
func (c *carrying) free(r *run) {
	for _, s := range c.steps {
		for _, b := range s.Kernel.Carry.Buffers() {
			if m := r.arrays.Memory[b]; m != nil {
				m.Free()
				r.arrays.Count(-b.Bytes())
				delete(r.arrays.Memory, b)
			}
		}
	}
}

// elementsOf are those that a step makes of a region of its axes, of a kernel that makes a few turns at a time those of these.
func (r *run) elementsOf(s *bound.Step, over region.Region) region.Region {
	at := s.Kernel.Elements(over)
	if c := s.Kernel.Carry; c != nil && c.Rows {
		at[0] = r.turns[s.ID]
	}
	return at
}
