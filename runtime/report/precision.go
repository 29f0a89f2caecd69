package report

import (
	"fmt"
	"strings"

	"weft/planner/bound"
	"weft/planner/plan"
)

// storedAs says how an array lies in memory where that is not its own type.
func storedAs(b *bound.Buffer) string {
	switch {
	case b.Stored == "":
		return ""
	case b.Roots:
		return fmt.Sprintf(", stored as %s of roots, up to %.3g", b.Stored, b.Most())
	case b.Scale != 0:
		return fmt.Sprintf(", stored as %s in units of %.3g", b.Stored, b.Scale)
	}
	return ", stored as " + b.Stored
}

// types says what a kernel stores, computes and sums in.
func types(p plan.Precision) string {
	out := "stores " + p.Storage + ", computes " + p.Compute
	if p.Accumulate != "" {
		out += ", accumulates " + p.Accumulate
	}
	return out
}

// found says how long a search took.
func found(s *plan.Search) string {
	if s.Cached {
		return "found before"
	}
	return "searched in " + seconds(s.Seconds)
}

// search says how the precision was found.
func (t *printer) search() {
	s := t.plan.Search
	if s == nil {
		return
	}
	t.line("")
	if s.Skipped != "" {
		t.line("precision not searched: %s", s.Skipped)
		return
	}
	t.line("precision %s: errors may take %.0f %% of their tolerances on %d samples (seed %d)", found(s), 100*s.Factor, s.Samples, s.Seed)
	for _, p := range s.Proofs {
		t.line("  %s: %s", p.Output, proof(p))
	}
	for _, c := range s.Candidates {
		t.line("  %s as %s: %s", c.Stage, c.Name, candidate(c))
	}
}

func proof(p plan.Proof) string {
	s := fmt.Sprintf("max %s, 99 %% within %s, tolerance %s (%s of %d samples)",
		p.Quantity(p.Max), p.Quantity(p.P99), p.Quantity(p.Tolerance), p.Judged, p.Samples)
	if p.Every > 0 {
		s += fmt.Sprintf(", %s of all elements against f32", p.Quantity(p.Every))
	}
	if p.Mismatched > 0 {
		s += fmt.Sprintf(", %d not finite on one side only", p.Mismatched)
	}
	if p.Ties > 0 {
		s += fmt.Sprintf(", %d beside a discontinuity that lies within rounding", p.Ties)
	}
	return s
}

// candidate writes the verdict and what it rests on.
func candidate(c *plan.Candidate) string {
	out := []string{c.Verdict}
	if c.Was > 0 {
		out = append(out, fmt.Sprintf("%s in place of %s", millis(c.Millis), millis(c.Was)))
	}
	for _, p := range c.Proofs {
		out = append(out, fmt.Sprintf("%s %s", p.Output, p.Quantity(p.Figure())))
		if p.Every > 0 {
			out = append(out, fmt.Sprintf("%s of all elements against f32", p.Quantity(p.Every)))
		}
	}
	return strings.Join(out, "; ")
}
