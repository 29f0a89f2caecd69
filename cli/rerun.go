package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"weft/lang/check"
	"weft/ops"
	"weft/planner"
	"weft/planner/bound"
	"weft/planner/plan"
	weft "weft/runtime"
	"weft/runtime/journal"
	"weft/runtime/session"
)

// rerun runs the pipeline of a file again, from the text, the params and the decisions recorded in it, and compares or keeps
// what it gives in place of the file.
func (c provenanceCommand) rerun(ctx context.Context, s *streams, p *ops.Provenance) error {
	if err := c.unchanged(p); err != nil {
		return err
	}
	decided := new(plan.Decisions)
	if err := json.Unmarshal(p.Decisions, decided); err != nil {
		return fmt.Errorf("what %s records of its plan cannot be read: %w", c.File, err)
	}
	se, err := session.Open(c.config(s))
	if err != nil {
		return err
	}
	c.elsewhere(s, se, p)
	prog := session.CheckText(p.File, []byte(p.Text), check.Options{Params: p.Params, Tolerance: p.Tolerance})
	plan, err := se.Plan(ctx, prog, session.PlanOptions{Request: planner.Request{Decided: decided}})
	if err != nil {
		return err
	}
	if p.Weft != version() {
		fmt.Fprintf(s.err, "weft: %s was made by weft %s, this is %s: it may round otherwise\n", c.File, p.Weft, version())
	} else if plan.Hash != p.Plan {
		return fmt.Errorf("%s cannot be made again: its pipeline is now another plan (%s, it was %s)", c.File, plan.Hash, p.Plan)
	}
	scratch, err := os.MkdirTemp("", "weft-rerun-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	made, err := c.redirect(plan, p.Sink, scratch)
	if err != nil {
		return err
	}
	_, err = se.Run(ctx, prog, plan, weft.Options{Verify: true, Provenance: true,
		Terminal: terminalOf(io.Discard), Progress: progressOn(s.err)})
	if err != nil {
		return err
	}
	if c.To != "" {
		_, err := fmt.Fprintf(s.out, "wrote %s\n", c.To)
		return err
	}
	return c.compare(s, made)
}

// elsewhere says which devices are others than those that the file was computed on.
func (c provenanceCommand) elsewhere(s *streams, se *session.Session, p *ops.Provenance) {
	for _, d := range slices.Concat(se.Hosts[:1], se.Accelerators()) {
		if was, is := p.Computed[d.Info().Name], d.Info().Text(); was != "" && was != is {
			fmt.Fprintf(s.err, "weft: %s was computed on %s, and %s is now %s: it may round otherwise\n", c.File, was, d.Info().Name, is)
		}
	}
}

// unchanged reports what is not as it was when the file was made.
func (c provenanceCommand) unchanged(p *ops.Provenance) error {
	if p.Text == "" || p.Sink == "" {
		return fmt.Errorf("%s does not hold the text of its pipeline: it cannot be run again", c.File)
	}
	text, err := session.ReadPipeline(p.File)
	switch _, missing := os.Stat(p.File); {
	case errors.Is(missing, fs.ErrNotExist) || c.Recorded: // the text is in the file
	case err != nil:
		return err
	case string(text) != p.Text:
		return fmt.Errorf("%s has changed since %s was made from it: --recorded runs it as it was", p.File, c.File)
	}
	for _, in := range p.Inputs {
		now, err := journal.IdentityOf(in.Path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%s, which %s was made from, is not there: run this where the pipeline ran", in.Path, c.File)
		case err != nil:
			return err
		case now.Hash != in.Hash || now.Bytes != in.Bytes:
			return fmt.Errorf("%s has changed since %s was made from it: it had %d bytes, %s; it has %d bytes, %s",
				in.Path, c.File, in.Bytes, in.Hash, now.Bytes, now.Hash)
		}
	}
	return nil
}

// redirect makes all sinks of a plan write into a folder, but the one that is asked for where it is wanted, and tells where that is.
func (c provenanceCommand) redirect(p *bound.Plan, sink, folder string) (made string, err error) {
	for i := range p.Steps {
		step := &p.Steps[i]
		if step.Kind != plan.SinkStep || step.Op.File() == "" {
			continue
		}
		was := step.Op.File()
		to := filepath.Join(folder, step.ID+filepath.Ext(was))
		if step.ID == sink {
			if c.To != "" {
				if filepath.Ext(c.To) != filepath.Ext(was) {
					return "", fmt.Errorf("%s was written as %s: give --to the same ending", c.File, was)
				}
				to = c.To
			}
			made = to
		}
		if step.Op, err = step.Op.With("path", ops.Text(to)); err != nil {
			return "", err
		}
	}
	if made == "" {
		return "", fmt.Errorf("%s was written by step %s, which its pipeline does not have", c.File, sink)
	}
	return made, nil
}

// compare fails if a file made again is not the same to the byte.
func (c provenanceCommand) compare(s *streams, made string) error {
	was, err := os.ReadFile(c.File)
	if err != nil {
		return err
	}
	is, err := os.ReadFile(made)
	if err != nil {
		return err
	}
	if !bytes.Equal(was, is) {
		at := 0
		for at < min(len(was), len(is)) && was[at] == is[at] {
			at++
		}
		return fmt.Errorf("%s is not what its pipeline gives: %d bytes, made again %d, and they differ from byte %d on",
			c.File, len(was), len(is), at)
	}
	_, err = fmt.Fprintf(s.out, "%s is what its pipeline gives, to the byte (%d bytes)\n", c.File, len(was))
	return err
}
