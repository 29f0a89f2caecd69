package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"weft/lang/diag"
	"weft/planner/bound"
	"weft/planner/graph"
	"weft/planner/plan"
)

// Sizes of an outline, in characters.
const (
	outlineWidth = 110
	codeWidth    = 52
	leastShare   = 0.01 // of the run, of what has a row of its own
	mostLines    = 14   // of the program that are shown one by one
	mostNamed    = 3    // in the line that says what takes the time
)

// outline is a plan, or a run of one, by the lines of its program.
type outline struct {
	*printer
	source []string // lines of the program
	rows   []*lineRow
	other  []part  // that no line asks for
	whole  float64 // seconds from the first step to the last
	of     float64 // what shares are of: the whole, or all parts one after the other where some go on at the same time
	Table  []outlineRow
}

// outlineRow is a row of the table: a line of the program, a kernel of it, or something that no line asks for.
type outlineRow struct {
	Share, Time string
	Line        int
	What, Says  string
	Kernel      bool
}

// lineRow is a line of the program and the steps it asks for.
type lineRow struct {
	line   int
	parts  []part
	within []string // kernels of other lines that compute what this one asks for
}

// part is a step, or something that a run does apart from steps.
type part struct {
	step    *bound.Step
	what    string
	seconds float64
}

func (r *lineRow) seconds() (sum float64) {
	for _, p := range r.parts {
		sum += p.seconds
	}
	return sum
}

// outlined is a plan on one screen: what a run takes as a whole, and what of it each line of the program does.
func (t *printer) outlined() *outline {
	o := &outline{printer: t, source: strings.Split(t.plan.Program.Text, "\n")}
	o.collect()
	o.lines()
	return o
}

// outline writes it.
func (t *printer) outline() {
	o := t.outlined()
	o.heading()
	o.line("")
	o.line("%6s %9s %5s", "share", "time", "line")
	for _, r := range o.Table {
		at, indent := "", ""
		if r.Line > 0 {
			at = fmt.Sprint(r.Line)
		}
		if r.Kernel {
			indent = "  "
		}
		text := fmt.Sprintf("%6s %9s %5s  %-*s  %s", r.Share, r.Time, at, codeWidth, clip(indent+r.What, codeWidth), r.Says)
		o.line("%s", clip(strings.TrimRight(text, " "), outlineWidth))
	}
	o.footing()
}

// collect finds what each line takes: predicted, or measured where the plan was run.
func (o *outline) collect() {
	rows := map[int]*lineRow{}
	row := func(line int) *lineRow {
		if rows[line] == nil {
			rows[line] = &lineRow{line: line}
		}
		return rows[line]
	}
	for i := range o.plan.Steps {
		s := &o.plan.Steps[i]
		if s.Kernel == nil {
			if seconds, ok := o.beside(s.ID); ok {
				row(s.Line).parts = append(row(s.Line).parts, part{s, s.ID, seconds})
			}
			continue
		}
		main, others := o.linesOf(s.Kernel)
		row(main).parts = append(row(main).parts, part{s, s.ID, o.kernelSeconds(s)})
		for _, l := range others {
			row(l).within = append(row(l).within, s.ID)
		}
	}
	for _, what := range []struct{ id, says string }{
		{"load", "loading " + diag.Plural(len(o.plan.Kernels()), "compiled kernel")}, {"check", "checks against float64"},
	} {
		if seconds, ok := o.beside(what.id); ok {
			o.other = append(o.other, part{nil, what.says, seconds})
		}
	}
	sum := 0.0
	for _, line := range slices.Sorted(maps.Keys(rows)) {
		o.rows = append(o.rows, rows[line])
		sum += rows[line].seconds()
	}
	for _, p := range o.other {
		sum += p.seconds
	}
	o.whole = 1e-3 * o.plan.Totals.Wall
	if o.analysis != nil {
		o.whole = o.analysis.Wall
	}
	if o.whole <= 0 {
		o.whole = sum
	}
	if o.analysis != nil {
		if lost := o.analysis.disturbed(); lost >= leastShare*o.whole {
			o.other = append(o.other, part{nil, "waiting while other programs had the processors", lost})
			sum += lost
		}
	}
	if rest := o.whole - sum; rest > leastShare*o.whole {
		o.other = append(o.other, part{nil, "between steps", rest})
	}
	o.of = max(o.whole, sum)
}

// linesOf is the line of a kernel's stages that computes most, and the others.
func (o *outline) linesOf(k *bound.Kernel) (main int, others []int) {
	work := map[int]float64{}
	for i, f := range k.Stages {
		w := 0.0
		if o.plan.Graph != nil && len(k.Inside) == len(k.Stages) {
			if s := k.Inside[i]; !graph.Given(s) {
				w = o.plan.Graph.Alone(s).Flops * float64(max(1, s.Type.Len()))
			}
		}
		work[f.Line] += w
	}
	for _, line := range slices.Sorted(maps.Keys(work)) {
		if main == 0 || work[line] >= work[main] {
			main = line
		}
	}
	for _, line := range slices.Sorted(maps.Keys(work)) {
		if line != main {
			others = append(others, line)
		}
	}
	return main, others
}

// kernelSeconds is what a kernel took, or will.
func (o *outline) kernelSeconds(s *bound.Step) float64 {
	if o.analysis != nil {
		m, _ := o.analysis.kernel(s.ID)
		return m.Seconds
	}
	return 1e-3 * predicted(s.Kernel)
}

// beside is what a run did apart from kernels took, or will; ok is false where it does not do that.
func (o *outline) beside(what string) (seconds float64, ok bool) {
	if a := o.analysis; a != nil {
		switch what {
		case "load":
			return a.CompileS, true
		case "check":
			return a.VerifyS, true
		}
		for _, t := range slices.Concat(a.Sources, a.Sinks) {
			if t.ID == what {
				return a.Own(t), true
			}
		}
		return 0, false
	}
	for _, b := range o.plan.Totals.Besides {
		if b.What == what {
			return 1e-3 * b.Ms, true
		}
	}
	return 0, false
}

// peak is the memory that arrays take at once, as far as it is known.
func peak(t plan.Totals) string {
	if t.Later {
		return size(t.PeakBytes) + ", and what is counted,"
	}
	return size(t.PeakBytes)
}

// heading says what the run takes, and what most of that is.
func (o *outline) heading() {
	doubt := ""
	if d := o.plan.Rates.Doubt; d != "" {
		doubt = " by " + d
	}
	s := o.plan.Totals
	on := ""
	if n := o.plan.Machine.Threads; n > 0 {
		on = ", " + diag.Plural(n, "thread")
	}
	if a := o.analysis; a != nil {
		o.line("%s: took %s on %s%s, where %s were predicted%s; at most %s of arrays at once", o.plan.File, seconds(o.whole), devices(o.plan), on,
			millis(s.Wall), doubt, size(a.PeakBuffers))
	} else {
		o.line("%s: %s predicted on %s%s%s; at most %s of arrays at once", o.plan.File, seconds(o.whole), devices(o.plan), on, doubt, peak(s))
	}
	type named struct {
		what    string
		seconds float64
	}
	var all []named
	for _, r := range o.rows {
		all = append(all, named{fmt.Sprintf("line %d, %s", r.line, o.subject(r)), r.seconds()})
	}
	for _, p := range o.other {
		all = append(all, named{p.what, p.seconds})
	}
	slices.SortStableFunc(all, func(a, b named) int { return cmp.Compare(b.seconds, a.seconds) })
	var most []string
	for _, n := range all[:min(len(all), mostNamed)] {
		if n.seconds >= leastShare*o.of {
			most = append(most, fmt.Sprintf("%s (%s)", n.what, o.share(n.seconds)))
		}
	}
	if most != nil {
		o.line("most of it: %s", clip(strings.Join(most, "; "), outlineWidth-len("most of it: ")))
	}
}

// subject is what the longest part of a line is called.
func (o *outline) subject(r *lineRow) string {
	if len(r.parts) == 0 {
		return ""
	}
	return slices.MaxFunc(r.parts, func(a, b part) int { return cmp.Compare(a.seconds, b.seconds) }).step.Name
}

func (o *outline) share(took float64) string {
	if share := 100 * took / o.of; share >= 0.95 {
		return fmt.Sprintf("%.0f %%", share)
	}
	return "< 1 %"
}

// row adds a row to the table.
func (o *outline) row(took float64, line int, what, says string) {
	o.Table = append(o.Table, outlineRow{o.share(took), seconds(took), line, what, says, false})
}

// lines fills the table: lines of the program in their order, and below each its kernels. What takes next to nothing is summed up.
func (o *outline) lines() {
	shown := o.rows
	if len(shown) > mostLines {
		byTime := slices.Clone(o.rows)
		slices.SortStableFunc(byTime, func(a, b *lineRow) int { return cmp.Compare(b.seconds(), a.seconds()) })
		kept := map[*lineRow]bool{}
		for _, r := range byTime[:mostLines] {
			kept[r] = r.seconds() >= leastShare*o.of
		}
		shown = slices.DeleteFunc(slices.Clone(o.rows), func(r *lineRow) bool { return !kept[r] })
	}
	rest := 0.0
	for _, r := range o.rows {
		if !slices.Contains(shown, r) {
			rest += r.seconds()
			continue
		}
		o.lineOf(r)
	}
	if n := len(o.rows) - len(shown); n > 0 {
		o.row(rest, 0, diag.Plural(n, "other line"), "")
	}
	for _, p := range o.other {
		o.row(p.seconds, 0, p.what, "")
	}
}

// Beside says what shares are of where that is not the whole; empty: it is.
func (o *outline) Beside() string {
	if over := o.of - o.whole; over > leastShare*o.whole {
		return fmt.Sprintf("shares are of %s, the parts one after the other: %s of them go on beside others", seconds(o.of), seconds(over))
	}
	return ""
}

// footing says how arrays go between kernels, what is not exact, and where there is more to read.
func (o *outline) footing() {
	o.line("")
	if says := o.Beside(); says != "" {
		o.line("%s", says)
	}
	fused, stored := 0, 0
	for _, e := range o.plan.Edges {
		if e.Code.Fused() {
			fused++
		} else {
			stored++
		}
	}
	if fused+stored > 0 {
		t := o.plan.Totals
		o.line("%s; %d of %s between stages fused: %s need not be stored and loaded, %s are", diag.Plural(t.Kernels, "kernel"), fused,
			diag.Plural(fused+stored, "edge"), size(t.SavedBytes), size(t.Bytes))
	}
	if s := o.plan.Stream; s != nil {
		o.line("in blocks, in %s: %s at once, where whole arrays take %s; the result is the same bit for bit", diag.Plural(len(s.Passes), "pass"),
			size(s.PeakBytes), size(s.Whole))
	}
	o.moves("")
	for _, c := range o.plan.Chains {
		o.line("%s", clip(by(o.plan, c, o.name), outlineWidth))
	}
	for i := range o.plan.Steps {
		if s := &o.plan.Steps[i]; s.Drive != nil {
			o.line("%s", clip(s.ID+": "+states(o.plan, s)+"; "+o.calls(s), outlineWidth))
			for _, said := range s.Drive.Says {
				o.line("%s  %s", strings.Repeat(" ", len(s.ID)), said)
			}
			for j, about := range s.Programs {
				for _, c := range about.Chains {
					o.line("%s", clip(s.Program(j)+" "+by(about, c, func(id string) string { return named(about, id) }), outlineWidth))
				}
			}
			if d := s.Drive.Tiles; d != nil {
				o.line("%s: on disk but for %s of tiles at once; reads %s", s.ID, size(d.Peak), movedTiles(o.plan, d.Reads))
				o.line("%s  writes %s", strings.Repeat(" ", len(s.ID)), movedTiles(o.plan, d.Writes))
			}
		}
	}
	o.two()
	o.ways()
	for _, a := range o.plan.Approximations {
		o.line("not exact, line %d: %s: %s", a.Line, a.Op, a.What)
	}
	for i, b := range o.plan.Buffers {
		if b.Stored != "" {
			o.line("%s is stored as %s, within its tolerance", o.name(o.plan.Buffers[i].ID), b.Stored)
		}
	}
	o.line("reasons for any name: --why NAME; kernels, edges and schedules: --verbose")
}
