package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"weft/ops/files/fileio"
	"weft/planner"
	weft "weft/runtime"
	"weft/runtime/report"
	"weft/runtime/result"
	"weft/runtime/session"
	"weft/runtime/trace"
)

type runCommand struct {
	planFlags
	Report   string `placeholder:"FILE" help:"Write what the run did and took, as JSON."`
	Trace    string `placeholder:"FILE" help:"Write a Chrome trace (chrome://tracing, Perfetto)."`
	Strict   bool   `help:"Fail instead of falling back to another device, or of a result beyond its tolerance."`
	NoVerify bool   `help:"Do not compare a sample of the results with float64."`
	Tune     tuning `placeholder:"SECONDS" help:"Search the fastest schedule and tiles of kernels never tuned here, or again, so long each."`
	Count    bool   `help:"Count the iterations that folds with early exits or culling execute; the report and the summary show them."`
	Seed     uint64 `placeholder:"N" help:"Seed of the float64 sample."`

	Resume     bool `help:"Go on with outputs that an earlier run in blocks left unfinished."`
	Provenance bool `help:"Write beside each NPY file what it was made from; GeoTIFF files always hold it."`
}

// Run plans and runs the file, then prints what happened.
func (c runCommand) Run(ctx context.Context, s *streams) (err error) {
	se, prog, p, err := c.plan(ctx, s, session.PlanOptions{Request: planner.Request{Strict: c.Strict}, Resume: c.Resume})
	if err != nil {
		return err
	}
	tracer, err := c.tracer()
	if err != nil {
		return err
	}
	result, failure := se.Run(ctx, prog, p, weft.Options{
		Strict: c.Strict, Verify: !c.NoVerify, Count: c.Count, Seed: c.Seed, Resume: c.Resume, Provenance: c.Provenance,
		Tune: c.Tune.on, TuneTime: c.Tune.time, Terminal: terminalOf(s.out), Progress: progressOn(s.err), Trace: tracer,
	})
	err = errors.Join(tracer.Close(), c.report(result))
	if failure != nil {
		if err != nil {
			fmt.Fprintf(s.err, "weft: %s\n", err)
		}
		return failure
	}
	if err := errors.Join(show(s.err, &prog.Found), err); err != nil {
		return err
	}
	if err := report.Summary(s.err, result); err != nil {
		return err
	}
	if !c.Tune.on { // which takes long enough
		learn(ctx, s, se)
	}
	return nil
}

func (c runCommand) tracer() (*trace.Writer, error) {
	if c.Trace == "" {
		return nil, nil
	}
	return trace.Create(c.Trace)
}

// report writes the result, of a failed run too: then with the reason.
func (c runCommand) report(r *result.Result) error {
	if c.Report == "" {
		return nil
	}
	return fileio.WriteFile(c.Report, func(w io.Writer) error { return writeJSON(w, r) })
}
