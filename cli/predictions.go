package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"weft/kernels/device"
	"weft/kernels/profile"
	"weft/lang/check"
	"weft/ops/amount"
	"weft/ops/files/fileio"
	"weft/planner/cost"
	weft "weft/runtime"
	"weft/runtime/session"
)

type predictionsCommand struct {
	Files []string `arg:"" name:"file" help:"Pipeline files."`
	Out   string   `short:"o" default:"docs/prediction.md" help:"Page to write."`
	Runs  int      `default:"5" help:"Runs of each pipeline."`
}

// prediction is a kernel that ran several times: what the model said before it had seen it, what it said having learned from
// all runs but the last, and what it took, in seconds.
type prediction struct {
	file, kernel, ops, bound string
	model, learned           float64
	took                     []float64
}

// Run runs the pipelines and writes how predictions compare.
func (c predictionsCommand) Run(ctx context.Context, s *streams) error {
	config := deviceFlags{}.config(s)
	config.Device = session.HostOnly
	se, err := session.Open(config)
	if err != nil {
		return err
	}
	if se.CPU == nil {
		return fmt.Errorf("predictions are about compiled kernels, and there is no compiler: %s", se.Missing[0].Reason)
	}
	if err := se.Measure(ctx, true); err != nil {
		return err
	}
	p := se.Model.Profile
	var all []prediction
	for _, path := range c.Files {
		rows, err := c.pipeline(ctx, config, p, path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, rows...)
	}
	return fileio.WriteFile(c.Out, func(w io.Writer) error {
		_, err := io.WriteString(w, predictionsPage(all, p, c.Runs))
		return err
	})
}

// pipeline runs a file several times in a session that knows the profile alone at first.
func (c predictionsCommand) pipeline(ctx context.Context, config session.Config, p *profile.Profile, path string) ([]prediction, error) {
	folder, err := os.MkdirTemp("", "weft-predictions-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	threads := runtime.GOMAXPROCS(0)
	config.Model = &cost.Model{Profile: p, History: cost.OpenHistory(folder, p), Kind: "native", Threads: threads}
	se, err := session.Open(config)
	if err != nil {
		return nil, err
	}
	rows := map[string]*prediction{}
	var order []string
	for range c.Runs {
		prog, err := session.Check(path, check.Options{})
		if err != nil {
			return nil, err
		}
		planned, err := se.Plan(ctx, prog, session.PlanOptions{})
		if err != nil {
			return nil, err
		}
		if err := se.Compile(ctx, planned, device.Options{}); err != nil {
			return nil, err
		}
		r, err := se.Run(ctx, prog, planned, weft.Options{Discard: true, Terminal: terminalOf(io.Discard)})
		if err != nil {
			return nil, err
		}
		for _, k := range r.Kernels {
			row := rows[k.ID]
			if row == nil {
				row = &prediction{file: path, kernel: k.ID, ops: strings.Join(k.Ops, " + "), model: k.Predicted}
				rows[k.ID] = row
				order = append(order, k.ID)
			}
			row.took = append(row.took, k.Undisturbed(threads))
			row.learned = k.Predicted
		}
		for _, step := range planned.Steps {
			if step.Kernel != nil && rows[step.ID] != nil {
				rows[step.ID].bound = step.Kernel.Bound
			}
		}
		if err := se.Learn(ctx); err != nil {
			return nil, err
		}
	}
	var out []prediction
	for _, id := range order {
		out = append(out, *rows[id])
	}
	return out, nil
}

// median of the measured times.
func (p prediction) median() float64 {
	t := slices.Sorted(slices.Values(p.took))
	return t[len(t)/2]
}

// predictionsPage is the table in Markdown.
func predictionsPage(all []prediction, p *profile.Profile, runs int) string {
	var b strings.Builder
	b.WriteString("# Predicted and measured times\n\n<!-- Written by `weft predictions pipelines/*/*.weft` on an idle machine. -->\n\n")
	fmt.Fprintf(&b, "Every kernel of the shipped pipelines, %d runs each: the time that the cost model gives before a kernel has ever run "+
		"(from the machine's profile alone; within a pipeline that is run for the first time), the time it gives having learned from the runs "+
		"before, and the median of what the runs took. Measured times are those on the wall, or of the processor where other programs took "+
		"part of that.\n\n", runs)
	busy := ""
	if p.Provisional {
		busy = fmt.Sprintf("; the machine was busy: %.2f s passed for each second of work", p.Noise)
	}
	f, date := p.Fingerprint, time.Now().UTC().Format("2006-01-02")
	fmt.Fprintf(&b, "%s, %d threads; %s; %s%s.\n\n", f.CPU, p.Threads, f.Device, date, busy)
	for _, of := range []struct {
		name string
		get  func(prediction) float64
	}{{"Model alone", func(p prediction) float64 { return p.model }}, {"Learned", func(p prediction) float64 { return p.learned }}} {
		median, worst := errorsOf(all, of.get)
		fmt.Fprintf(&b, "%s: the median of |log2(predicted / measured)| is %.2f (a factor of %.2f), the worst kernel is off by %.2f times.\n\n",
			of.name, median, math.Exp2(median), math.Exp2(worst))
	}
	b.WriteString("| pipeline | kernel | operators | limited by | measured | model | off by | learned | off by |\n" +
		"|---|---|---|---|---:|---:|---:|---:|---:|\n")
	for _, x := range all {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %.2f | %s | %.2f |\n", x.file, x.kernel, x.ops, x.bound, amount.Seconds(x.median()),
			amount.Seconds(x.model), x.model/x.median(), amount.Seconds(x.learned), x.learned/x.median())
	}
	return b.String()
}

func errorsOf(all []prediction, get func(prediction) float64) (median, worst float64) {
	var errs []float64
	for _, x := range all {
		errs = append(errs, math.Abs(math.Log2(get(x)/x.median())))
	}
	if len(errs) == 0 {
		return 0, 0
	}
	slices.SortFunc(errs, cmp.Compare)
	return errs[len(errs)/2], errs[len(errs)-1]
}
