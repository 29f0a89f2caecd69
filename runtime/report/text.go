package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"weft/lang/diag"
	"weft/ops/amount"
	"weft/planner/bound"
	"weft/planner/plan"
)

// Text writes the plan for people: on one screen by the lines of the program, or, if that is asked for, a headline, the steps in order, the
// verdict on every edge, and the codes that occur.
func Text(w io.Writer, p *bound.Plan, opt Options) error {
	t := &printer{plan: p, analysis: opt.Analysis}
	if !opt.Verbose {
		t.outline()
		if opt.Analysis != nil {
			summary{opt.Analysis.Result}.besides(&t.out)
		}
	} else {
		t.verbose()
	}
	if opt.Kernels {
		t.sources()
	}
	_, err := io.WriteString(w, t.out.String())
	return err
}

// verbose writes all there is to say.
func (t *printer) verbose() {
	p := t.plan
	t.headline()
	for _, a := range p.Approximations {
		t.line("not exact, line %d: %s: %s", a.Line, a.Op, a.What)
	}
	t.numbers()
	t.stream()
	t.chains()
	for i := range p.Steps {
		t.step(&p.Steps[i])
	}
	t.search()
	t.ways()
	t.edges()
	for i := range p.Steps {
		t.programs(&p.Steps[i])
	}
	if t.analysis != nil {
		t.analysis.write(t)
	}
}

type printer struct {
	plan     *bound.Plan
	analysis *Analysis
	out      strings.Builder
}

func (t *printer) line(format string, a ...any) { fmt.Fprintf(&t.out, format+"\n", a...) }

// field says something of a step, in as many lines as it takes.
func (t *printer) field(name string, lines ...string) {
	for _, l := range lines {
		t.line("      %-7s %s", name, l)
		name = ""
	}
}

func (t *printer) headline() {
	s, most := t.plan.Totals, ""
	if all := repeated(t.plan); all.Kernels > s.Kernels {
		most = fmt.Sprintf("; %d of these are in drives, counted for all calls that there may be", all.Kernels-s.Kernels)
		s.Kernels, s.Flops, s.Bytes, s.SavedBytes, s.Predicted = all.Kernels, all.Flops, all.Bytes, all.SavedBytes, all.Predicted
	}
	t.line("%s: %s, %s, %s moved, %s kept from moving by fusion%s",
		t.plan.File, diag.Plural(s.Kernels, "kernel"), amount.Of(s.Flops, "flop"), size(s.Bytes), size(s.SavedBytes), most)
	doubt := ""
	if d := t.plan.Rates.Doubt; d != "" {
		doubt = " by " + d
	}
	t.line("device %s; predicted %s%s; at most %s of arrays at once (at %s); plan %s",
		devices(t.plan), millis(s.Predicted), doubt, peak(s), s.PeakAt, t.plan.Hash)
}

// numbers says which numbers that follow from params may change without other kernels, and why others may not.
func (t *printer) numbers() {
	var order []string
	said := map[string][]string{}
	for _, n := range t.plan.Numbers {
		what, name := "arguments of kernels, compiled for any value", fmt.Sprintf("%s = %.6g", n.Name, n.Value)
		if n.Fixed != "" {
			what, name = "constant, "+n.Fixed, n.Name
		}
		if op, own, ok := strings.Cut(n.Name, ": "); ok {
			if name = "some of " + op; n.Fixed != "" {
				name, _, _ = strings.Cut(own, "(")
				name += " of " + op
			}
		}
		if said[what] == nil {
			order = append(order, what)
		}
		if !slices.Contains(said[what], name) {
			said[what] = append(said[what], name)
		}
	}
	for _, what := range order {
		t.line("%s: %s", what, strings.Join(said[what], ", "))
	}
}

func (t *printer) step(s *bound.Step) {
	t.line("")
	args := ""
	if s.Args != "" {
		args = "  " + s.Args
	}
	switch {
	case s.Kernel != nil:
		t.line("%-3s kernel  %s", s.ID, stages(s.Kernel))
		t.kernel(s)
	case s.Kind == plan.ReadStep:
		t.line("%-3s read    %s%s", s.ID, s.Name, args)
		t.arrays("gives", s.Writes)
	case s.Kind == plan.DriveStep:
		t.line("%-3s drive   %s%s", s.ID, s.Name, args)
		t.arrays("gives", s.Writes)
		for _, said := range s.Drive.Says {
			t.line("      chose   %s", said)
		}
		if r := s.Drive.Rounds; r != nil {
			t.line("      rounds  each %s until it is done; when half are, the others move up and only these are computed", r.Dim)
		}
		t.line("      holds   %s", states(t.plan, s))
		if d := s.Drive.Tiles; d != nil {
			t.line("      tiles   %s of what is on disk, for %s: reads %s, writes %s", size(d.Peak), diag.Plural(d.Tasks, "task"), movedTiles(t.plan, d.Reads), movedTiles(t.plan, d.Writes))
		}
		t.arrays("reads", around(s))
		for i, p := range s.Drive.Programs {
			about := s.Programs[i]
			each, first := s.Call(i)
			kernels := len(slices.DeleteFunc(about.Kernels(), func(k *bound.Step) bool { return slices.Contains(p.Once, k.ID) }))
			once := ""
			if first > 0 {
				once = ", and " + millis(first) + " for the first"
			}
			over := ""
			if p.Boxed {
				over = fmt.Sprintf(" over boxes, %.2g %% of all on average", 100*p.Works())
			}
			t.line("      %-7s at most %s of %s%s, %s of arrays: predicted %s each%s", p.Name, diag.Plural(p.Most, "call"),
				diag.Plural(kernels, "kernel"), over, size(about.Takes()), millis(each), once)
		}
	default:
		t.line("%-3s sink    %s%s", s.ID, s.Name, args)
		t.arrays("takes", s.Reads)
	}
}

// stages writes what a kernel computes, inner steps in braces: beamform{delay, rotate, sum} + envelope. Of a function of the program these are
// what has a name in it, and what it gives.
func stages(k *bound.Kernel) string {
	type call struct {
		function string
		at       int
	}
	type group struct {
		name        string
		steps, rest []string // with names in a function, and without
		gives       string
	}
	var all []*group
	calls := map[call]*group{}
	for _, f := range k.Stages {
		c := call{f.Function, f.Call}
		g := calls[c]
		if f.Function == "" || g == nil {
			g = &group{name: cmp.Or(f.Function, f.Name)}
			all, calls[c] = append(all, g), g
		}
		switch {
		case f.Function == "":
			g.steps = f.Steps
		case f.Part != "":
			part := f.Part
			if len(f.Steps) == 1 { // which says how; several are what the part is made of
				part += inner(f)
			}
			g.steps, g.gives = append(g.steps, part), ""
		default:
			g.gives = f.Name
			g.rest = append(g.rest, f.Name+inner(f))
		}
	}
	var out []string
	for _, g := range all {
		switch {
		case g.steps == nil:
			g.steps = slices.Compact(g.rest)
		case g.gives != "":
			g.steps = append(g.steps, g.gives)
		}
		if g.steps != nil {
			g.name += "{" + strings.Join(g.steps, ", ") + "}"
		}
		out = append(out, g.name)
	}
	return strings.Join(out, " + ")
}

// inner are the steps of a stage that its name does not say.
func inner(f plan.Fused) string {
	if len(f.Steps) > 1 || len(f.Steps) == 1 && f.Steps[0] != f.Name {
		return "{" + strings.Join(f.Steps, ", ") + "}"
	}
	return ""
}

func (t *printer) kernel(s *bound.Step) {
	k := s.Kernel
	t.arrays("loads", s.Reads)
	t.arrays("stores", s.Writes)
	var axes []string
	for _, a := range k.Axes {
		axis := fmt.Sprintf("%s %d", a.Name, a.Extent)
		if !k.Place.Accelerates() {
			axis += fmt.Sprintf(" (tile %d)", a.Tile)
		}
		axes = append(axes, axis)
	}
	if axes == nil {
		axes = []string{"a single element"}
	}
	t.line("      %-7s %s: %s", "axes", strings.Join(axes, ", "), shared(k))
	for i, b := range t.plan.CountsOf(s) {
		if b != nil {
			t.line("      %-7s as many of %s as %s says", "counts", k.IR.Axes[i].Name, b.ID)
		}
	}
	t.place(k)
	t.field("types", types(k.Precision))
	t.field("keeps", k.Precision.Why...)
	for _, e := range k.Precision.Emulated {
		t.field("slow", e)
	}
	t.field("cost", fmt.Sprintf("%s, %s%s: predicted %s, bound by %s",
		amount.Of(k.Flops, "flop"), size(k.Bytes), each(k), millis(predicted(k)), boundOf(k)))
	if dims := t.guessed(s); len(dims) > 0 {
		how := "how much there is of %s, which the run counts"
		if len(k.Counted()) > 0 {
			how = "as much of %s as there was when it ran last"
		}
		t.line("      %-7s "+how, "guesses", strings.Join(dims, ", "))
	}
	if k.Prefault && !k.Place.Accelerates() {
		t.line("      %-7s what it stores gets its pages while the source is read", "prefault")
	}
	if m, ok := t.analysis.kernel(s.ID); ok {
		t.line("      %-7s %s: %s", "took", seconds(m.Seconds), m.mark())
		for _, f := range m.Folds {
			t.field("folds", counted(f))
		}
	}
	for _, c := range t.analysis.checks(s.ID) {
		t.line("      %-7s %s: %s, tolerance %s (%s)", "error", c.Value, c.Quantity(c.Worst), c.Quantity(c.Tolerance), verdict(c))
	}
	t.lanes(k)
	t.culling(s)
	t.access(k)
	if len(s.Frees) > 0 {
		t.field("frees", strings.Join(s.Frees, ", "))
	}
}

// guessed are the dims of what a kernel moves of which it is known only in the run how many elements there are.
func (t *printer) guessed(s *bound.Step) (dims []string) {
	for _, id := range slices.Concat(s.Reads, s.Writes) {
		for _, d := range t.plan.Buffer(id).Layout.Dims {
			if d.Count != nil && !slices.Contains(dims, d.Name) {
				dims = append(dims, d.Name)
			}
		}
	}
	return dims
}

// culling says by what a kernel leaves out iterations.
func (t *printer) culling(s *bound.Step) {
	if s.Kernel.Place.Accelerates() || !strings.Contains(s.Kernel.Schedule, "skip") {
		return
	}
	for _, id := range s.Reads {
		if b := t.plan.Buffer(id); b.Array != nil && b.Array.Tall != nil {
			t.line("      %-7s blocks of iterations in which %s is too low to matter, by tables of its largest elements: exact", "culls", t.name(id))
		}
	}
}

// boundOf says what the prediction is limited by and where it comes from.
func boundOf(k *bound.Kernel) string {
	out := k.Bound
	if k.Place.Accelerates() {
		return k.Place.Bound
	}
	switch {
	case k.Bound == "compute" && k.Estimate.Heaviest != "":
		out += " (" + k.Estimate.Heaviest + ")"
	case k.Bound == "bandwidth" && k.Estimate.Level != "":
		out += " (" + k.Estimate.Level + ")"
	}
	if s := k.Estimate.Source; s != "" && s != "model" {
		out += "; " + s
	}
	return out
}

func (t *printer) arrays(verb string, ids []string) {
	tables, bytes := 0, int64(0)
	for _, id := range ids {
		b := t.plan.Buffer(id)
		if b.Role == plan.FromPlan {
			tables++
			bytes += b.Bytes
			continue
		}
		name := b.Stage
		if b.Label != "" {
			name = b.Label
		}
		pad := ""
		if b.Padded != "" {
			pad = ", " + b.Padded
		}
		pad = storedAs(b) + pad
		if b.Around != "" {
			pad += ", " + b.Around + " around the drive"
		}
		t.line("      %-7s %-4s %s  %s  %s%s", verb, b.ID, name, b.Type, size(b.Bytes), pad)
		if r := b.Reached; r != nil && verb == "stores" {
			t.line("              computed: %s; the rest, %s and %s, is never read", r, size(r.SavedBytes), amount.Of(r.SavedFlops, "flop"))
		}
		verb = ""
	}
	if tables > 0 {
		t.line("      %-7s %s known while planning  %s", verb, diag.Plural(tables, "table"), size(bytes))
	}
}

func (t *printer) edges() {
	if len(t.plan.Edges) == 0 {
		return
	}
	t.line("")
	t.line("edges")
	width := 0
	for _, e := range t.plan.Edges {
		width = max(width, len(e.From)+len(e.To)+4)
	}
	var used []plan.Code
	seen := map[plan.Code]bool{}
	for _, e := range t.plan.Edges {
		verb := "stored"
		if e.Code.Fused() {
			verb = "fused "
		}
		t.line("  %s  %-*s  %s  %s", e.Code, width, e.From+" -> "+e.To, verb, figures(e))
		if e.Change != "" {
			t.line("      %-*s  %s", width, "", e.Change)
		}
		if !seen[e.Code] {
			seen[e.Code] = true
			used = append(used, e.Code)
		}
	}
	t.line("")
	for _, c := range used {
		t.line("  %s  %s", c, plan.Meaning[c])
	}
}

// figures are the traffic of an edge and the times of both choices.
func figures(e plan.Edge) string { return traffic(e) + weighed(e) }

func weighed(e plan.Edge) string {
	if times := timesOf(e); times != "" {
		return "; " + times
	}
	return ""
}

func traffic(e plan.Edge) string {
	s := fmt.Sprintf("%s, %s", size(e.Bytes), times(e.Reads))
	if e.Readers > 1 {
		s += fmt.Sprintf(" by this of %d readers", e.Readers)
	}
	if e.Code.Fused() {
		s = "saves " + s
	} else {
		s = "moves " + s
	}
	return s
}

func (t *printer) sources() {
	for _, s := range t.plan.Kernels() {
		text, on := source(s.Kernel), ""
		if text == "" {
			continue
		}
		if d := s.Kernel.Described; d != nil {
			on = fmt.Sprintf(", on %s\nschedule %s; %s", strings.Join(s.Kernel.Place.Devices, ", "), d.Schedule, resources(d.Resources))
		}
		t.line("\nsource of %s, kernel %s%s\n%s", s.ID, s.Kernel.Hash, on, strings.TrimRight(text, "\n"))
	}
}

// times is how often an element is read. What bounds an array is looked up by the loops that it shortens.
func times(x float64) string {
	switch s := fmt.Sprintf("read %.3g times", x); {
	case x == 0:
		return "looked up by loops"
	case x == 1:
		return "read once"
	case s == "read 1 times" && x > 1:
		return "read little more than once"
	case s == "read 1 times":
		return "read almost once"
	default:
		return s
	}
}

// How figures are written.
var (
	seconds = amount.Seconds
	millis  = amount.Millis
	size    = amount.Bytes
)
