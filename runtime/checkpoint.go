package runtime

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"weft/ops"
	"weft/planner/bound"
	"weft/planner/plan"
	"weft/runtime/journal"
	"weft/runtime/result"
	"weft/runtime/state"
)

// checkpoints keep how far a drive is: its state, and what its algorithm was told. A run that goes on tells that again in place of the calls
// that were made, and then has the state.
type checkpoints struct {
	journal.Keeper
	calls int // that an earlier run made
	told  journal.Told
	doubt []result.Warning   // of an earlier run
	copy  journal.Checkpoint // memory of the one that is made beside a task
}

// begin leaves beside an output by what decisions a run with drives was planned, so that it goes on by these wherever it is cut off.
func (r *run) begin() error {
	if r.checkpoint == "" || !slices.ContainsFunc(r.plan.Steps, func(s bound.Step) bool { return s.Kind == plan.DriveStep }) {
		return nil
	}
	*r.checkpoints = append(*r.checkpoints, journal.BegunOf(r.checkpoint))
	was, err := journal.Unfinished(r.checkpoint)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err == nil && r.opt.Resume:
		if why := was.Foreign(r.header()); why != "" {
			return journal.Strange("checkpoint beside "+r.checkpoint, why)
		}
		return nil
	}
	for i := range r.plan.Steps {
		s := &r.plan.Steps[i]
		if was, err := journal.ReadCheckpoint(journal.CheckpointOf(r.checkpoint, s.ID)); err == nil && s.Kind == plan.DriveStep {
			r.opt.Progress.Log(fmt.Sprintf("%s: an unfinished run is replaced; --resume would have gone on from call %d", s.Name, was.Calls))
		}
	}
	if err := journal.Begin(r.checkpoint, r.header()); err != nil {
		return fmt.Errorf("cannot keep by what a run goes on: %w", err)
	}
	return nil
}

// resume finds the checkpoint of a drive, and fills the state from it.
func (d *drive) resume() error {
	r, c := d.run, &d.log
	if r.checkpoint == "" || r.program != nil && !slices.Contains(r.program.Once, d.step.ID) { // or the checkpoint of the drive around it is enough
		return nil
	}
	was, err := c.takeUp(r, d.step, d.state, d.state.Kept)
	if err != nil || was == nil {
		return err
	}
	c.calls, c.told.Bits = was.Calls, was.Told
	r.opt.Progress.Log(fmt.Sprintf("%s goes on from call %d", d.step.Name, was.Calls))
	return nil
}

// takeUp finds the checkpoint that an earlier run left of a step, fills parts from it, and has what was in doubt then; nil: there is none.
func (c *checkpoints) takeUp(r *run, step *bound.Step, s *state.State, parts func() ([][]byte, error)) (*journal.Checkpoint, error) {
	c.Keeper = journal.NewKeeper(r.checkpoint, step.ID, r.header())
	*r.checkpoints = append(*r.checkpoints, c.Path) // to be removed when all outputs are there
	was, err := c.Last(step.Name, s.Whole)
	if err != nil {
		return nil, err
	}
	into, err := parts()
	if err != nil {
		return nil, err
	}
	bytes := 0
	for _, part := range into {
		bytes += len(part)
	}
	c.Noted = s.Disk != nil
	if c.Expect(bytes); was == nil {
		return nil, nil
	}
	if err := was.Fill(into, step.Name); err != nil {
		return nil, err
	}
	c.doubt = was.Doubts
	r.result.Warnings = append(r.result.Warnings, was.Doubts...)
	return was, nil
}

// save makes a checkpoint, if the last one is some time ago, or at the end, so that what comes after may fail.
func (c *checkpoints) save(d *drive, end bool) error {
	if d.state.Disk != nil {
		return d.tasksDone()
	}
	if !c.due(d, end) {
		return nil
	}
	start := time.Now()
	if err := d.bring(false); err != nil {
		return err
	}
	now, err := c.now(d)
	if err != nil {
		return err
	}
	return c.Write(now, start)
}

// now is how far a drive is.
func (c *checkpoints) now(d *drive) (now journal.Checkpoint, err error) {
	now = journal.Checkpoint{Header: c.Head, Calls: d.calls, Told: c.told.Bits, Doubts: slices.Clone(c.doubt)}
	if slices.ContainsFunc(d.step.Reads, func(id string) bool { return d.run.doubt[id] }) {
		now.Doubts = slices.Clone(d.run.result.Warnings) // those of an earlier run are among them
	}
	now.Doubts = append(now.Doubts, d.doubts()...)
	now.State, err = d.state.Kept()
	return now, err
}

// doubts are what was said of programs whose results are in doubt.
func (d *drive) doubts() (out []result.Warning) {
	for _, p := range d.programs {
		if len(p.doubt) > 0 {
			out = append(out, p.result.Warnings...)
		}
	}
	return out
}

// due reports whether one is to be made.
func (c *checkpoints) due(d *drive, end bool) bool {
	return c.Path != "" && d.calls > c.calls && (c.Late() || end && time.Since(d.began) > journal.MostBetween)
}

// header is what a journal or checkpoint says of the run.
func (r *run) header() journal.Header {
	return journal.Header{Format: journal.Format, Weft: r.plan.Weft, Plan: r.plan.Hash, Inputs: r.inputs, Decisions: &r.plan.Decided,
		Device: r.opt.Devices[0].Info().Text(), Accelerators: r.accelerators()}
}

var _ ops.Host = (*drive)(nil)
