package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"weft/ops/amount"
	"weft/planner/bound"
	"weft/planner/plan"
)

// Why answers for the edge from one stage to another, or, without a second name, for one: its precision and place, and the edges to and from
// it. Stages go by their own name, their operator's, or the variable that holds them; defined are the names of the program.
func Why(w io.Writer, p *bound.Plan, defined []string, from, to string) error {
	t := &printer{plan: p}
	var err error
	if to == "" {
		err = t.whyOne(from, slices.Contains(defined, from))
	} else {
		err = t.whyEdge(from, to)
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, t.out.String())
	return err
}

// named are the stages that a name means.
func (t *printer) named(name string) map[string]bool {
	out := map[string]bool{}
	add := func(stage, label string) {
		operator, _, _ := strings.Cut(stage, ".")
		if stage == name || label == name || operator == name || strings.HasPrefix(stage, name+".") || strings.HasPrefix(label, name+".") {
			out[stage] = true
		}
	}
	for _, s := range t.plan.Steps {
		if s.Kernel == nil {
			continue
		}
		for _, f := range s.Kernel.Stages {
			if add(f.Name, f.Label); f.Function == name {
				out[f.Name] = true
			}
		}
	}
	for _, b := range t.plan.Buffers {
		add(b.Stage, b.Label)
	}
	for _, e := range t.plan.Edges {
		add(e.From, "")
		add(e.To, "")
	}
	return out
}

// unknown is the error for a name that means nothing here.
func (t *printer) unknown(name string) error {
	var names []string
	for _, e := range t.plan.Edges {
		names = append(names, e.From, e.To)
	}
	for _, b := range t.plan.Buffers {
		if b.Label != "" {
			names = append(names, b.Label)
		}
	}
	slices.Sort(names)
	return fmt.Errorf("nothing in this plan is called %s; there are %s", name, strings.Join(slices.Compact(names), ", "))
}

func (t *printer) whyEdge(from, to string) error {
	a, b := t.named(from), t.named(to)
	for _, n := range []struct {
		name string
		set  map[string]bool
	}{{from, a}, {to, b}} {
		if len(n.set) == 0 {
			return t.unknown(n.name)
		}
	}
	path := t.path(a, b)
	if path == nil {
		if t.path(b, a) != nil {
			return fmt.Errorf("%s does not feed %s: it is the other way round", from, to)
		}
		return fmt.Errorf("%s does not feed %s, not even by way of others", from, to)
	}
	if len(path) > 1 {
		t.line("%s feeds %s by way of %d edges", from, to, len(path))
		t.line("")
	}
	for i, e := range path {
		if i > 0 {
			t.line("")
		}
		t.edge(e)
	}
	return nil
}

// path is the shortest chain of edges from any stage of one set to any of another.
func (t *printer) path(from, to map[string]bool) []plan.Edge {
	type walk struct {
		at  string
		way []plan.Edge
	}
	var queue []walk
	seen := map[string]bool{}
	for _, e := range t.plan.Edges { // in the plan's order, so that answers are the same every time
		if from[e.From] && !seen[e.From] {
			seen[e.From] = true
			queue = append(queue, walk{at: e.From})
		}
	}
	for len(queue) > 0 {
		x := queue[0]
		queue = queue[1:]
		for _, e := range t.plan.Edges {
			if e.From != x.at || from[e.From] && from[e.To] && !to[e.To] {
				continue
			}
			way := append(slices.Clone(x.way), e)
			if to[e.To] {
				return way
			}
			if !seen[e.To] {
				seen[e.To] = true
				queue = append(queue, walk{e.To, way})
			}
		}
	}
	return nil
}

// edge writes one verdict in full.
func (t *printer) edge(e plan.Edge) {
	t.line("%s -> %s: %s (%s)", e.From, e.To, plan.Meaning[e.Code], e.Code)
	t.line("  %-9s %s", "traffic", traffic(e))
	if times := timesOf(e); times != "" {
		t.line("  %-9s %s", "predicted", times)
		t.line("  %-9s %s, %s", "rates", amount.Of(t.plan.Rates.Flops, "flop/s"), amount.Of(t.plan.Rates.Bandwidth, "B/s"))
	}
	if e.Change != "" {
		t.line("  %-9s %s", "otherwise", e.Change)
	}
}

func (t *printer) whyOne(name string, defined bool) error {
	stages := t.named(name)
	if len(stages) == 0 && defined {
		t.line("%s is in no kernel: it is known while planning, or nothing that is written or shown needs it", name)
		return nil
	}
	if len(stages) == 0 {
		return t.unknown(name)
	}
	if i := slices.IndexFunc(t.plan.Buffers, func(b bound.Buffer) bool { return b.Label == name && b.Role == plan.FromPlan }); i >= 0 {
		t.line("%s is known while planning: a table, %s", name, t.plan.Buffers[i].Type)
		return nil
	}
	matches := t.matcher(name)
	found := false
	for _, s := range t.plan.Steps {
		if s.Kernel == nil || !slices.ContainsFunc(s.Kernel.Stages, matches) {
			continue
		}
		found = true
		k := s.Kernel
		t.line("%s, kernel %s: %s", name, s.ID, types(k.Precision))
		t.precision(k)
		t.whyPlace(k)
	}
	if !found {
		t.line("%s is not computed: it is read from outside or known while planning", name)
	}
	for _, e := range t.plan.Edges {
		if stages[e.From] || stages[e.To] {
			t.line("")
			t.edge(e)
		}
	}
	return nil
}

// matcher finds stages by the variable that holds them, which is unique, or else by their names.
func (t *printer) matcher(name string) func(plan.Fused) bool {
	labelled := func(f plan.Fused) bool { return f.Label == name }
	for _, s := range t.plan.Steps {
		if s.Kernel != nil && slices.ContainsFunc(s.Kernel.Stages, labelled) {
			return labelled
		}
	}
	stages := t.named(name)
	return func(f plan.Fused) bool { return stages[f.Name] }
}

// precision writes what holds a kernel's types where they are, and what was tried.
func (t *printer) precision(k *bound.Kernel) {
	for _, w := range k.Precision.Why {
		t.line("  %s", w)
	}
	for _, e := range k.Precision.Emulated {
		t.line("  emulated: %s", e)
	}
	if t.plan.Search == nil {
		return
	}
	if t.plan.Search.Skipped != "" {
		t.line("  nothing else was tried: %s", t.plan.Search.Skipped)
	}
	for _, c := range t.plan.Search.Candidates {
		if !slices.ContainsFunc(k.Stages, func(f plan.Fused) bool { return f.Name == c.Stage }) {
			continue
		}
		t.line("  tried %s: %s", c.Name, candidate(c))
	}
}

// timesOf are the predicted times of the two choices of a verdict; empty: it was not weighed.
func timesOf(e plan.Edge) string {
	switch {
	case e.Code == plan.Bounding && e.FusedMs > 0:
		return fmt.Sprintf("the kernel takes %s with all turns of its loops, %s with those that matter", millis(e.FusedMs), millis(e.StoredMs))
	case (e.Code == plan.Carried || e.Code == plan.Sooner) && e.Readers > 1:
		return fmt.Sprintf("for all of them, fused %s, stored %s", millis(e.FusedMs), millis(e.StoredMs))
	case e.FusedMs > 0:
		return fmt.Sprintf("fused %s, stored %s", millis(e.FusedMs), millis(e.StoredMs))
	case e.StoredMs > 0:
		return "fused behind other work, stored " + millis(e.StoredMs)
	}
	return ""
}
