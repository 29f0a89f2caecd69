package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"weft/kernels/device"
	"weft/ops"
	"weft/ops/files"
	"weft/ops/files/fileio"
	"weft/planner/bound"
	weft "weft/runtime"
	"weft/runtime/exec"
	"weft/runtime/report"
	"weft/runtime/session"
	"weft/runtime/trace"
)

type explainCommand struct {
	planFlags
	Other   string `arg:"" optional:"" name:"to" help:"With --why: the reader, to ask about the edge between the two."`
	Format  string `enum:"text,json,yaml,dot,html" default:"text" help:"text, json, yaml, dot or html (one page that needs nothing else)."`
	Verbose bool   `short:"v" help:"Show every kernel with its arrays, types and schedule, and the verdict on every edge (text)."`
	Kernels bool   `help:"Show the generated source of every kernel (text)."`
	Analyze bool   `help:"Run the pipeline, sinks included, and show what it took beside what was predicted."`
	NoSinks bool   `help:"With --analyze: compute what the sinks would be given, but write and show nothing."`
	Why     string `placeholder:"A" help:"Answer for one edge, --why A B, or for A alone, its types, place and edges: operators, stages or variables."`
	ISA     string `name:"isa" enum:",avx512,avx2,portable" default:"" placeholder:"SET" help:"Explain for avx512, avx2 or portable code."`
	Output  string `short:"o" placeholder:"FILE" help:"Write to a file instead of the terminal."`
}

// Run plans, compiles for the schedules, runs if asked to, and prints the plan; without schedules if it does not compile.
func (c explainCommand) Run(ctx context.Context, s *streams) error {
	if c.Why == "" && c.Other != "" {
		return fmt.Errorf("explain takes one pipeline file; %s is one too many (two names belong to --why)", c.Other)
	}
	if c.Other != "" && strings.HasSuffix(c.Other, ".weft") && !strings.HasSuffix(c.File, ".weft") {
		c.File, c.Other = c.Other, c.File // weft explain --why A B FILE
	}
	if c.ISA != "" && c.Analyze {
		return fmt.Errorf("--analyze runs the pipeline, which --isa does not: leave out one of them")
	}
	se, prog, p, err := c.plan(ctx, s, session.PlanOptions{}, func(to *session.Config) { to.ISA = c.ISA })
	if err != nil {
		return err
	}
	if !c.Analyze { // a run says so itself
		c.unplaced(s, p)
	}
	if c.Why != "" {
		var defined []string
		for name := range prog.Info.Defs {
			defined = append(defined, name.Text)
		}
		return report.Why(s.out, p, defined, c.Why, c.Other)
	}
	for _, missing := range se.Missing {
		fmt.Fprintf(s.err, "weft: %s; planned for the interpreter\n", missing.Reason)
	}
	opt := report.Options{Verbose: c.Verbose, Kernels: c.Kernels}
	if err := se.Compile(ctx, p, device.Options{Describe: !c.Analyze}); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		fmt.Fprintf(s.err, "weft: %s; shown without schedules\n", err)
	}
	if c.Kernels || c.Format == "html" { // where sources are shown: they are compiled for what they take
		if err := exec.Describe(p, se.Accelerators()); err != nil {
			fmt.Fprintf(s.err, "weft: %s; shown without\n", err)
		}
	}
	if c.Analyze {
		if opt.Analysis, err = c.analyze(ctx, s, se, prog, p); err != nil {
			return err
		}
		learn(ctx, s, se)
	}
	if err := show(s.err, &prog.Found); err != nil {
		return err
	}
	if c.Output == "" {
		return report.Write(s.out, c.Format, p, opt)
	}
	return fileio.WriteFile(c.Output, func(w io.Writer) error { return report.Write(w, c.Format, p, opt) })
}

// unplaced names the kernels that stay on the host although the run is asked to be elsewhere.
func (c explainCommand) unplaced(s *streams, p *bound.Plan) {
	for _, step := range p.Steps {
		if step.Kernel != nil && step.Kernel.Place.Refused != "" {
			fmt.Fprintf(s.err, "weft: %s (%s) is not on %s: %s\n", step.ID, step.Name, c.Device, step.Kernel.Place.Refused)
		}
	}
}

// analyze runs the plan. What sinks show goes where errors go, so that what is printed stays the explanation alone.
func (c explainCommand) analyze(ctx context.Context, s *streams, se *session.Session, prog *session.Program,
	p *bound.Plan) (*report.Analysis, error) {
	var pictures []report.Picture
	opt := weft.Options{Verify: true, Count: true, Discard: c.NoSinks,
		Terminal: terminalOf(s.err), Progress: progressOn(s.err), Trace: trace.Record()}
	if c.Format == "html" {
		opt.See = func(step *bound.Step, in []ops.HostArray) (err error) {
			pictures, err = drawn(pictures, step, in)
			return err
		}
	}
	result, err := se.Run(ctx, prog, p, opt)
	if err != nil {
		return nil, err
	}
	a := report.Analyze(p, result, opt.Trace)
	a.Pictures = pictures
	return a, nil
}

// drawn adds pictures of what a sink is given.
func drawn(to []report.Picture, step *bound.Step, in []ops.HostArray) ([]report.Picture, error) {
	for i, h := range in {
		var png bytes.Buffer
		title := strings.TrimSpace(step.ID + " " + step.Name + " " + step.Args)
		if len(in) > 1 {
			title += fmt.Sprintf(", array %d", i+1)
		}
		ok, err := files.Preview(&png, h, "")
		if err != nil {
			return nil, fmt.Errorf("picture of %s: %w", title, err)
		}
		if ok {
			to = append(to, report.Picture{Title: title, PNG: png.Bytes()})
		}
	}
	return to, nil
}
