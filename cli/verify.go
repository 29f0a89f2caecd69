package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"weft/lang/diag"
	"weft/ops"
	"weft/ops/problem"
	"weft/planner"
	"weft/planner/bound"
	weft "weft/runtime"
	"weft/runtime/session"
	"weft/runtime/verify"
)

type verifyCommand struct {
	planFlags
	Samples int    `default:"1024" placeholder:"N" help:"Points of each kernel that are compared with float64."`
	Seed    uint64 `placeholder:"N" help:"Seed of the points."`
	Format  string `enum:"text,json" default:"text" help:"text or json."`
	All     bool   `help:"List every variant, not only the worst of each device."`
}

// Run verifies the plan as it is and with every stage in a kernel of its own.
func (c verifyCommand) Run(ctx context.Context, s *streams) error {
	se, prog, err := c.open(s)
	if err != nil {
		return err
	}
	asPlanned, err := se.Plan(ctx, prog, session.PlanOptions{Request: planner.Request{FuseLimit: c.FuseLimit}})
	if err != nil {
		return err
	}
	plans := []*bound.Plan{asPlanned}
	if c.FuseLimit == nil || *c.FuseLimit != 0 {
		each, err := oneByOne(ctx, s, se, prog, asPlanned.Budget)
		if err != nil {
			return err
		}
		if each != nil {
			plans = append(plans, each)
		}
	}
	var reports []*verify.Report
	for _, p := range plans {
		r, err := se.Verify(ctx, prog, p, verify.Options{Samples: c.Samples, Run: weft.Options{
			Seed: c.Seed, Terminal: terminalOf(io.Discard), Progress: progressOn(s.err),
		}})
		if err != nil {
			return err
		}
		reports = append(reports, r)
	}
	return c.show(s, reports)
}

// oneByOne plans every stage in a kernel of its own, but for those whose arrays are so large that they all do not fit the memory at once; nil: whichever those are.
func oneByOne(ctx context.Context, s *streams, se *session.Session, prog *session.Program, budget int64) (*bound.Plan, error) {
	for _, largest := range []int64{budget, budget / 8, budget / 64} {
		try := *prog // which is told why it cannot be planned
		p, err := se.Plan(ctx, &try, session.PlanOptions{Request: planner.Request{FuseLimit: new(0), Largest: largest}, AsWritten: true})
		large := slices.ContainsFunc(try.Found.Sorted(), func(d *diag.Diagnostic) bool { return d.Code == problem.MemoryBudget })
		switch {
		case err != nil && !large:
			prog.Found = try.Found
			return nil, err
		case err != nil || p.Stream != nil:
			continue
		case largest < budget:
			fmt.Fprintf(s.err, "weft: stages are verified one by one, but for arrays of more than %.3g MiB: all of them do not fit the memory at once\n", float64(largest)/(1<<20))
		}
		return p, nil
	}
	fmt.Fprintln(s.err, "weft: stages are not verified one by one: their arrays do not fit the memory at once")
	return nil, nil
}

func (c verifyCommand) show(s *streams, reports []*verify.Report) error {
	ok := true
	for _, r := range reports {
		ok = ok && r.OK
	}
	if c.Format == "json" {
		if err := writeJSON(s.out, reports); err != nil {
			return err
		}
	} else {
		titles := []string{"kernels as planned", "every stage in a kernel of its own"}
		for i, r := range reports {
			fmt.Fprintf(s.out, "%s\n", titles[i])
			c.table(s.out, r)
			fmt.Fprintln(s.out)
		}
		verdict := "every device agrees with float64 within the tolerances"
		if !ok {
			verdict = "VIOLATED: see the rows above"
		}
		fmt.Fprintln(s.out, verdict)
	}
	if !ok {
		return errReported
	}
	return nil
}

// table prints a row for each array and device: of all schedules, or of the worst with their number.
func (c verifyCommand) table(out io.Writer, r *verify.Report) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "  array\tkernel\tdevice\tmax error\t99 % below\ttolerance\tfinite\tdifference from the run\t\tschedule")
	rows := r.Rows
	if !c.All {
		rows = worst(rows)
	}
	for _, x := range rows {
		if x.Skipped != "" {
			what := "not compared"
			if !x.OK {
				what = "FAILED"
			}
			fmt.Fprintf(w, "  %s\t%s\t%s\t%s: %s\n", x.Value, x.Kernel, x.Subject, what, x.Skipped)
			continue
		}
		verdict := "ok"
		if !x.OK {
			verdict = "VIOLATED"
		}
		if x.Mismatched > 0 {
			verdict += fmt.Sprintf(" (%d finite on one side only)", x.Mismatched)
		}
		if x.Ties > 0 {
			verdict += fmt.Sprintf(" (ties: %d)", x.Ties)
		}
		different := ""
		if x.Compared > 0 {
			different = fmt.Sprintf("%.2g of %d", x.Difference, x.Compared)
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%.2g\t%.2g\t%s\t%d of %d\t%s\t%s\t%s\n", x.Value, x.Kernel, x.Subject, x.Max, x.P99,
			toleranceText(x), x.Finite, x.Samples,
			different, verdict, x.Variant)
	}
	w.Flush() // what it writes to reports its own errors
}

func toleranceText(x verify.Row) string {
	s := fmt.Sprintf("%.2g", x.Tolerance)
	switch x.Metric {
	case ops.Exact:
		return "exact"
	case ops.Absolute:
		return strings.TrimSpace(s + " " + x.Unit)
	}
	return s + " " + string(x.Metric)
}

// worst keeps, of the variants of one device, the one with the largest error, and those that violate.
func worst(rows []verify.Row) []verify.Row {
	type key struct{ value, kernel, subject string }
	at := map[key]int{}
	count := map[key]int{}
	var out []verify.Row
	for _, r := range rows {
		k := key{r.Value, r.Kernel, r.Subject}
		count[k]++
		i, seen := at[k]
		switch {
		case !r.OK || !seen:
			if !seen || out[i].OK {
				at[k] = len(out)
			}
			out = append(out, r)
		case out[i].OK && (r.Max > out[i].Max || r.Skipped != ""):
			out[i] = r
		}
	}
	for i := range out {
		if n := count[key{out[i].Value, out[i].Kernel, out[i].Subject}]; n > 1 && out[i].OK {
			out[i].Variant = fmt.Sprintf("worst of %d: %s", n, out[i].Variant)
		}
	}
	return out
}
