package runtime

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"weft/ops"
	"weft/ops/problem"
	"weft/planner/bound"
	"weft/planner/plan"
	"weft/runtime/journal"
	"weft/runtime/result"
)

// A run that is cut off loses no more of a drive than the most of these times, and the call under way; less where checkpoints are cheap, which
// take a share of the time.
var leastBetween, mostBetween = 100 * time.Millisecond, longBetween

// It is so many times longer than a checkpoint took to the next one, or, where that would be too long, still leastShare times.
const (
	longBetween     = 3 * time.Second
	checkpointShare = 50
	leastShare      = 20
)

// checkpoints keep how far a drive is: its state, and what its algorithm was told. A run that goes on tells that again in place of the calls
// that were made, and then has the state.
type checkpoints struct {
	path  string // empty: the program writes no file that one could be beside
	head  journal.Header
	calls int // that an earlier run made
	told  journal.Told
	doubt []result.Warning // of an earlier run
	saved time.Time
	wait  time.Duration // until the next
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
			return problem.Wrong(problem.JournalForeign, "", "run without --resume to start afresh", "what %s left is of another run: %s", r.checkpoint, why)
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
	c.saved, c.wait = time.Now(), leastBetween
	if r.checkpoint == "" || r.program != nil && !slices.Contains(r.program.Once, d.step.ID) { // or the checkpoint of the drive around it is enough
		return nil
	}
	c.path = journal.CheckpointOf(r.checkpoint, d.step.ID)
	c.head = r.header()
	*r.checkpoints = append(*r.checkpoints, c.path) // to be removed when all outputs are there
	was, err := journal.ReadCheckpoint(c.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	if why := was.Header.Foreign(c.head); why != "" {
		return problem.Wrong(problem.JournalForeign, "", "run without --resume to start afresh", "the checkpoint of %s is of another run: %s", d.step.Name, why)
	}
	parts, err := d.state.Kept()
	if err != nil {
		return err
	}
	fits := slices.EqualFunc(parts, was.State, func(part ops.HostPart, bytes []byte) bool { return len(part.Data) == len(bytes) })
	for i := 0; fits && i < len(parts); i++ {
		copy(parts[i].Data, was.State[i])
	}
	if !fits {
		return problem.Wrong(problem.JournalForeign, "", "run without --resume to start afresh", "the checkpoint of %s is of another run: its arrays are others", d.step.Name)
	}
	c.calls, c.told.Bits, c.doubt = was.Calls, was.Told, was.Doubts
	r.result.Warnings = append(r.result.Warnings, was.Doubts...)
	r.opt.Progress.Log(fmt.Sprintf("%s goes on from call %d", d.step.Name, was.Calls))
	return nil
}

// save makes a checkpoint, if the last one is some time ago, or at the end, so that what comes after may fail.
func (c *checkpoints) save(d *drive, end bool) error {
	if !c.due(d, end) {
		return nil
	}
	start := time.Now()
	now := journal.Checkpoint{Header: c.head, Calls: d.calls, Told: c.told.Bits, Doubts: slices.Clone(c.doubt)}
	if slices.ContainsFunc(d.step.Reads, func(id string) bool { return d.run.doubt[id] }) {
		now.Doubts = slices.Clone(d.run.result.Warnings) // those of an earlier run are among them
	}
	for _, p := range d.programs {
		if len(p.doubt) > 0 {
			now.Doubts = append(now.Doubts, p.result.Warnings...)
		}
	}
	parts, err := d.state.Kept()
	if err != nil {
		return err
	}
	for _, part := range parts {
		now.State = append(now.State, part.Data)
	}
	if err := now.Write(c.path); err != nil {
		return fmt.Errorf("cannot keep a checkpoint: %w", err)
	}
	c.saved = time.Now()
	took := c.saved.Sub(start)
	c.wait = min(mostBetween, max(leastBetween, checkpointShare*took))
	if large := leastShare * took; large > longBetween {
		c.wait = large
	}
	return nil
}

// due reports whether one is to be made.
func (c *checkpoints) due(d *drive, end bool) bool {
	now := time.Now()
	return c.path != "" && d.calls > c.calls && (now.Sub(c.saved) >= c.wait || end && now.Sub(d.began) > mostBetween)
}

// header is what a journal or checkpoint says of the run.
func (r *run) header() journal.Header {
	return journal.Header{Format: journal.Format, Weft: r.plan.Weft, Plan: r.plan.Hash, Inputs: r.inputs, Decisions: &r.plan.Decided,
		Device: Described(r.opt.Devices[0].Info()), Accelerators: r.accelerators()}
}

var _ ops.Host = (*drive)(nil)
