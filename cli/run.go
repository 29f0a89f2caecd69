package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"weft/ops"
	"weft/ops/files/fileio"
	"weft/planner"
	"weft/planner/cost"
	weft "weft/runtime"
	"weft/runtime/memory"
	"weft/runtime/trace"
)

type runCommand struct {
	planFlags
	Report   string `placeholder:"FILE" help:"Write what the run did and took, as JSON."`
	Trace    string `placeholder:"FILE" help:"Write a Chrome trace (chrome://tracing, Perfetto)."`
	Strict   bool   `help:"Fail instead of falling back to another device, or of a result beyond its tolerance."`
	NoVerify bool   `help:"Do not compare a sample of the results with float64."`
	Tune     tuning `placeholder:"SECONDS" help:"Search the fastest schedule and tiles of kernels that were never tuned on this machine; with a time, search again: at most so long for the schedule of a kernel and as long for its tiles, compiling of the first candidates apart."`
	Count    bool   `help:"Count the iterations that folds with early exits or culling execute; the report and the summary show them."`
	Seed     uint64 `placeholder:"N" help:"Seed of the float64 sample."`

	Resume     bool `help:"Go on with outputs that an earlier run in blocks left unfinished."`
	Provenance bool `help:"Write beside each NPY file what it was made from; GeoTIFF files always hold it."`
}

// Run plans and runs the file, then prints what happened.
func (c runCommand) Run(ctx context.Context, s *streams) (err error) {
	m, err := c.machine(s)
	if err != nil {
		return err
	}
	c.resuming = c.Resume
	l, p, err := c.plan(s, m)
	if err != nil {
		return err
	}
	if p, err = c.precise(ctx, s, m, l, p); err != nil {
		return err
	}
	if err := c.place(ctx, s, m, p); err != nil {
		return err
	}
	tracer, err := c.tracer()
	if err != nil {
		return err
	}
	model, _, err := m.model(c.threads())
	if err != nil {
		return err
	}
	tiled := func(k *planner.Kernel) error { return model.RememberTiles(k.Hash, k.Kind(), k.TileSize()) }
	result, failure := weft.Run(ctx, p, weft.Options{
		Origin: c.origin(l), Tiled: tiled, Count: c.Count,
		Devices: m.devices, Accelerators: m.accelerators, Missing: m.missing, Threads: c.threads(), Strict: c.Strict, Verify: !c.NoVerify, Seed: c.Seed,
		Memory: memory.NewGovernor(p.Budget), Resume: c.Resume, Provenance: c.Provenance, Tune: c.Tune.on, TuneTime: c.Tune.time, Terminal: terminalOf(s.out), Progress: progressOn(s.err), Trace: tracer,
	})
	err = errors.Join(tracer.Close(), c.report(result, failure))
	if result != nil {
		for _, w := range result.Warnings {
			l.add(w.Code, w.Message, w.Help, w.Where)
		}
	}
	if failure != nil {
		return errors.Join(l.failed(failure, s.err), err)
	}
	if err := errors.Join(l.show(s.err), err); err != nil {
		return err
	}
	if err := result.WriteSummary(s.out); err != nil {
		return err
	}
	if c.Tune.on { // its kernels took the time of their measurements too
		return nil
	}
	return learn(ctx, s, m, p, result, c.threads())
}

// origin is what the run is asked, to be recorded with its outputs.
func (f planFlags) origin(l *loaded) ops.Origin {
	return ops.Origin{Text: l.Source.Text, Params: f.Params, Tolerance: f.Tolerance}
}

// learn teaches the cost model what a run took and, once the results are out, measures a machine that was never measured.
// Neither is worth failing a run for.
func learn(ctx context.Context, s *streams, m machine, p *planner.Plan, r *weft.Result, threads int) error {
	model, why, err := m.model(threads)
	if err != nil {
		return err
	}
	err = model.Learn(weft.Observations(p, r))
	if why != "" && m.cpu != nil && ctx.Err() == nil {
		if _, e := cost.Measure(ctx, m.cpu, m.cpu.Target().Lanes, false); e != nil {
			err = errors.Join(err, e)
		}
	}
	if err != nil {
		fmt.Fprintf(s.err, "weft: predictions will be rough: %s\n", err)
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
func (c runCommand) report(r *weft.Result, failure error) error {
	if c.Report == "" || r == nil {
		return nil
	}
	if failure != nil {
		r.Error = failure.Error()
	}
	return fileio.WriteFile(c.Report, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(r)
	})
}

// failed prints why a run failed, at its place in the program. A cancelled run is no mistake of the program.
func (l *loaded) failed(failure error, errOut io.Writer) error {
	at := ops.Where{}
	var stage *weft.StageError
	if errors.As(failure, &stage) {
		at = stage.Where
	}
	if errors.Is(failure, context.Canceled) {
		return failure
	}
	if !l.addProblems(failure, at) {
		l.add("", failure.Error(), "", at)
	}
	return l.show(errOut)
}
