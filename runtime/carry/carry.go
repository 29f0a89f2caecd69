// Package carry has kernels of a run in blocks go on in each block from what they carried out of the one before, and keeps that for a run that goes on.
package carry

import (
	"slices"

	"weft/kernels/device"
	"weft/kernels/region"
	"weft/ops/amount"
	"weft/ops/problem"
	"weft/planner/blocks"
	"weft/planner/bound"
	"weft/runtime/arrays"
	"weft/runtime/journal"
)

// State is what kernels of a pass carry.
type State struct {
	Steps  []*bound.Step
	Arrays *arrays.Arrays
	Was    journal.Checkpoint         // that the run goes on from; the zero value: from the first row
	turns  map[string]region.Interval // of the block under way, by step
}

// rows are the arrays of which a step makes a row a turn.
func rows(s *bound.Step) []string {
	if s.Kernel.Carry.Rows {
		return s.Writes
	}
	return nil
}

// Fits reports whether a checkpoint has all that the blocks of a pass need which begin where it was made, and has them begin there.
func (c *State) Fits(layout *blocks.Stream, pass int, was journal.Checkpoint) bool {
	turns, there := map[string]int{}, map[string]int{}
	told := was.Told
	for _, s := range c.Steps {
		made := rows(s)
		if len(told) < 1+len(made) {
			return false
		}
		turns[s.ID] = int(told[0])
		for i, id := range made {
			there[id] = int(told[1+i])
		}
		told = told[1+len(made):]
	}
	layout.Begin(turns)
	first := layout.Blocks(pass, nil, was.Calls)[0]
	for id, lo := range there {
		if need, needed := first.From[id]; needed && need < lo {
			layout.Begin(nil)
			return false
		}
	}
	return len(told) == 0
}

// Hold gives what is carried its memory, and what it was where the run goes on.
func (c *State) Hold(dev device.Device) error {
	c.turns = map[string]region.Interval{}
	for _, s := range c.Steps {
		for _, b := range s.Kernel.Carry.Buffers() {
			m, err := dev.Alloc(b)
			if err != nil {
				return problem.Wrong(problem.OutOfMemory, "", "stop other programs, or use a smaller grid", "no memory for what %s carries from block to block (%s): %s",
					s.Name, amount.Bytes(b.Bytes()), err)
			}
			c.Arrays.Memory[b] = m
			c.Arrays.Count(b.Bytes())
		}
	}
	if c.Was.Calls == 0 {
		return nil
	}
	told := c.Was.Told
	for _, s := range c.Steps {
		made := rows(s)
		c.turns[s.ID] = region.Interval{Lo: int(told[0]), Hi: int(told[0])}
		for i, id := range made {
			c.Arrays.Extend(id, c.Arrays.ByID[id].Layout.Rows(region.Interval{Lo: int(told[1+i]), Hi: int(told[0])}))
		}
		told = told[1+len(made):]
	}
	state, fits := c.Was.State, true
	err := c.visit(c.Was.Told, func(bytes []byte) {
		if fits = fits && len(state) > 0 && len(state[0]) == len(bytes); fits {
			copy(bytes, state[0])
			state = state[1:]
		}
	})
	if err == nil && !fits {
		err = problem.Wrong(problem.JournalForeign, "", "run without --resume to start afresh", "the checkpoint of %s is of another run: its arrays are others", c.Steps[0].Name)
	}
	c.Was.State = nil
	return err
}

// visit goes through all that makes a checkpoint: what is carried, and rows that were made and are still needed, of which told has the numbers.
func (c *State) visit(told []uint64, visit func(bytes []byte)) error {
	for _, s := range c.Steps {
		for _, b := range s.Kernel.Carry.Before {
			visit(c.Arrays.Memory[b].Host())
		}
		made := rows(s)
		for i, id := range made {
			h, err := c.Arrays.Host(id)
			if err != nil {
				return err
			}
			at := h.Type.Rows(region.Interval{Lo: int(told[1+i]), Hi: int(told[0])})
			if at.Empty() {
				continue
			}
			for _, part := range h.Sub(at).Parts {
				for row := range part.Rows() {
					visit(part.Row(row))
				}
			}
		}
		told = told[1+len(made):]
	}
	return nil
}

// Turns are those that a kernel makes in the block under way.
func (c *State) Turns(s *bound.Step) region.Interval { return c.turns[s.ID] }

// Next has a kernel make some turns.
func (c *State) Next(s *bound.Step, turns region.Interval) {
	b := s.Kernel.Carry.Bounds
	device.SetFloats(b, c.Arrays.Memory[b].Host(), []float64{float64(turns.Lo), float64(turns.Hi)})
	c.turns[s.ID] = turns
}

// On takes what a kernel carried out of a block into the next one.
func (c *State) On(s *bound.Step) {
	k := s.Kernel.Carry
	for i, b := range k.Before {
		c.Arrays.Swap(b, k.After[i])
	}
}

// Checkpoint is what a run needs to go on behind a block.
func (c *State) Checkpoint(h journal.Header, behind blocks.Block) (*journal.Checkpoint, error) {
	now := &journal.Checkpoint{Header: h, Calls: behind.Hi}
	for _, s := range c.Steps {
		done := c.turns[s.ID].Hi
		now.Told = append(now.Told, uint64(done))
		for _, id := range rows(s) {
			now.Told = append(now.Told, uint64(min(behind.Keep[id], done)))
		}
	}
	err := c.visit(now.Told, func(bytes []byte) { now.State = append(now.State, slices.Clone(bytes)) })
	return now, err
}

// Free gives the memory back.
func (c *State) Free() {
	for _, s := range c.Steps {
		for _, b := range s.Kernel.Carry.Buffers() {
			if m := c.Arrays.Memory[b]; m != nil {
				m.Free()
				c.Arrays.Count(-b.Bytes())
				delete(c.Arrays.Memory, b)
			}
		}
	}
}
