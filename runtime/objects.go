package runtime

import (
	"context"
	"fmt"
	"slices"
	"time"

	"weft/kernels/region"
	"weft/ops"
	"weft/planner/blocks"
	"weft/planner/bound"
	"weft/planner/plan"
	"weft/runtime/journal"
	"weft/runtime/result"
	"weft/runtime/state"
)

// objects is a drive in rounds that goes on with some of its objects at a time, in blocks of a pass.
type objects struct {
	drive
	notes []ops.Note
	done  int
	kept  checkpoints // of the outputs behind a part
}

// most is how many objects a drive goes on with at a time; 0: it is none that does.
func (p *pass) most(s *bound.Step) (n int) {
	for _, b := range slices.Concat(p.strips...) {
		if over := b.Run[s.ID]; s.Kind == plan.DriveStep && over != nil {
			n = max(n, over[0].Len())
		}
	}
	return n
}

// byObjects makes a drive ready for so many objects at a time.
func (r *run) byObjects(ctx context.Context, step *bound.Step, most int) (*objects, error) {
	d := &objects{drive: drive{ctx: ctx, run: r, step: step, began: time.Now()}}
	d.rounds.Rounds = step.Drive.Rounds
	var err error
	if d.state, err = state.BeginFew(step, r.arrays, most); err != nil {
		return d, err
	}
	for i, p := range step.Programs {
		about := d.program(p, step.Drive.Programs[i])
		d.programs = append(d.programs, about)
		if err := about.arrays.Few(blocks.Between(p, d.rounds.Dim, about.Next), most); err != nil {
			return d, err
		}
	}
	return d, d.takeUp()
}

// takeUp finds the checkpoint of an earlier run, and fills the outputs from it.
func (d *objects) takeUp() error {
	r, c := d.run, &d.kept
	if r.checkpoint == "" || r.program != nil {
		return nil
	}
	was, err := c.takeUp(r, d.step, d.state, d.state.Outputs)
	if err != nil || was == nil {
		return err
	}
	d.done = was.Calls
	r.opt.Progress.Log(fmt.Sprintf("%s goes on from %s %d", d.step.Name, d.rounds.Dim, d.done))
	return nil
}

// save makes a checkpoint behind a part, if the last one is some time ago.
func (d *objects) save() error {
	c := &d.kept
	if !c.Late() {
		return nil
	}
	start := time.Now()
	parts, err := d.state.Outputs()
	if err != nil {
		return err
	}
	now := journal.Checkpoint{Header: c.Head, Calls: d.done, State: parts, Doubts: append(slices.Clone(c.doubt), d.doubts()...)}
	for _, n := range d.notes {
		now.Doubts = append(now.Doubts, result.WarningsOf(n, d.step)...)
	}
	return c.Write(now, start)
}

// next goes on with some objects, until these are done.
func (d *objects) next(over region.Interval) error {
	if over.Lo = max(over.Lo, d.done); over.Empty() {
		return nil
	}
	if err := d.state.Take(over); err != nil {
		return err
	}
	d.rounds.there, d.rounds.left = over.Len(), over.Len()
	note, err := d.step.Op.Bound.(ops.Driver).Drive(d)
	if err != nil {
		return err
	}
	if d.done = over.Hi; d.done == d.state.Objects() {
		if err := d.verifyLast(); err != nil {
			return err
		}
	}
	d.notes = append(d.notes, note)
	if err := d.state.HandOutObjects(d.rounds.there, func(int) bool { return true }); err != nil {
		return err
	}
	return d.save()
}

// end says what was done: of warnings that several parts have, once.
func (d *objects) end() error {
	var note ops.Note
	said := map[string]int{}
	for i, n := range d.notes {
		if i == 0 {
			note.Text = fmt.Sprintf("in %d parts, the first of them: %s", len(d.notes), n.Text)
		}
		for _, w := range n.Warnings {
			if said[w.Code]++; said[w.Code] == 1 {
				note.Warnings = append(note.Warnings, w)
			}
		}
	}
	for i, w := range note.Warnings {
		if n := said[w.Code]; n > 1 {
			note.Warnings[i].Message += fmt.Sprintf(", and for some in %d other parts", n-1)
		}
	}
	return d.told(note, d.began)
}
