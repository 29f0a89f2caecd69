package report

import (
	"fmt"
	"slices"
	"strings"

	"weft/lang/diag"
	"weft/planner/bound"
	"weft/planner/plan"
)

// stream says how a program runs in blocks of rows: passes, what stays in memory as a whole, and halos.
func (t *printer) stream() {
	s := t.plan.Stream
	if s == nil {
		return
	}
	t.line("")
	t.line("in blocks of rows: %s at once, where whole arrays take %s; the result is the same bit for bit",
		size(s.PeakBytes), size(s.Whole))
	for i, p := range s.Passes {
		var makes []string
		for _, id := range p.Makes {
			makes = append(makes, t.name(id))
		}
		wide := ""
		for _, extent := range p.Strip {
			wide += fmt.Sprintf(" x %d", extent)
		}
		t.line("      pass %d  %v: %s of %s%s, %s in all, for %v, %s", i+1, p.Steps, diag.Plural(p.Blocks, "block"),
			diag.Plural(p.BlockRows, "row"), wide, diag.Plural(p.Rows, "row"), makes, size(p.Peak))
		t.moved("reads", p.Reads)
		t.moved("writes", p.Writes)
	}
	for _, h := range s.Halos {
		t.line("      halo    %s needs %d rows above and %d below of %s: exact, from its index map",
			h.Kernel, max(0, h.Above), max(0, h.Below), t.name(h.Of))
	}
	for _, id := range s.Carries {
		c := t.plan.Steps[slices.IndexFunc(t.plan.Steps, func(s bound.Step) bool { return s.ID == id })].Kernel.Carry
		t.line("      carries %s goes on in each block with what it had behind the one before (%s)", id, size(c.Bytes()))
	}
	for _, k := range s.Kept {
		t.line("      kept    %s as a whole (%s): %s", k.Name, size(k.Bytes), k.Why)
	}
	t.moves("      files   ")
	if n := t.elements(); n > 0 {
		t.line("      moves   %.3g bytes an element of the largest output", float64(t.plan.Totals.Bytes)/n)
	}
}

// moved says what sources or sinks of a pass move, all blocks together.
func (t *printer) moved(how string, list []plan.Moved) {
	var said []string
	for _, m := range list {
		i := slices.IndexFunc(t.plan.Steps, func(s bound.Step) bool { return s.ID == m.Step })
		said = append(said, fmt.Sprintf("%s %d bytes (%s)", t.name(slices.Concat(t.plan.Steps[i].Reads, t.plan.Steps[i].Writes)[0]), m.Bytes, size(m.Bytes)))
	}
	if said != nil {
		t.line("      %-7s %s", how, strings.Join(said, ", "))
	}
}

// chains says which kernels run over a few rows at a time, and what need not be there as a whole.
func (t *printer) chains() {
	for i, c := range t.plan.Chains {
		if i == 0 {
			t.line("")
		}
		t.line("%s", by(t.plan, c, t.name))
	}
}

// by says of a chain which kernels it is.
func by(p *bound.Plan, c plan.Chain, name func(string) string) string {
	var bytes int64
	var inside []string
	for _, id := range c.Inside {
		bytes += p.Buffer(id).Bytes
		inside = append(inside, name(id))
	}
	steps := strings.Join(c.Steps, ", ")
	if n := len(c.Steps); n > manySteps {
		steps = fmt.Sprintf("%d kernels from %s to %s", n, c.Steps[0], c.Steps[n-1])
	}
	return fmt.Sprintf("by %s: %s run one behind the other; %s (%s) are never there as a whole, and their rows stay in the caches",
		diag.Plural(c.Rows, "row"), steps, strings.Join(inside, ", "), size(bytes))
}

// manySteps are more than are named one by one.
const manySteps = 6

// name is what people call a buffer.
func (t *printer) name(id string) string { return named(t.plan, id) }

func named(p *bound.Plan, id string) string {
	b := p.Buffer(id)
	if b == nil {
		return id
	}
	if b.Label != "" {
		return b.Label
	}
	return fmt.Sprintf("%s (%s)", id, b.Stage)
}

// elements are those of the largest array that a sink takes.
func (t *printer) elements() float64 {
	most := 0.0
	for _, s := range t.plan.Steps {
		if s.Kind != plan.SinkStep {
			continue
		}
		for _, id := range s.Reads {
			if b := t.plan.Buffer(id); b != nil && b.Array != nil {
				most = max(most, float64(b.Layout.Len()))
			}
		}
	}
	return most
}
