package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"weft/kernels/ir"
	"weft/lang/diag"
	"weft/ops"
	"weft/ops/amount"
	"weft/runtime/audit"
	"weft/runtime/fleet"
	"weft/runtime/result"
)

// summary is a result as people read it.
type summary struct{ *result.Result }

// Summary says in a few lines what a run did: kernels with their rates, errors beside their tolerances, files, memory.
func Summary(to io.Writer, of *result.Result) error {
	var b strings.Builder
	r := summary{of}
	r.summarizeKernels(&b)
	r.besides(&b)
	_, err := io.WriteString(to, b.String())
	return err
}

// besides says what was done apart from kernels.
func (r summary) besides(b *strings.Builder) {
	r.summarizeSearch(b)
	for _, w := range r.Ways {
		fmt.Fprintf(b, "way       %s\n", way(w))
	}
	if m := r.Moves; m != nil {
		fmt.Fprintf(b, "files     %s\n", r.moved(m))
	}
	r.summarizeParity(b)
	for _, s := range r.Sinks {
		if s.Text != "" && s.Bytes > 0 {
			fmt.Fprintf(b, "%s (%s)\n", s.Text, size(s.Bytes))
		}
	}
	for _, a := range r.Approximations {
		fmt.Fprintf(b, "not exact %s (line %d): %s\n", a.Op, a.Line, a.What)
	}
	for _, f := range r.Repairs {
		fmt.Fprintf(b, "repaired  %s; done again in %s\n", f.Reason, f.Wider)
	}
	for _, f := range r.together() {
		fmt.Fprintf(b, "fallback  %s: %d tiles not on the %s: %s\n", f.Stage, f.Count, f.Device, f.Reason)
	}
	r.summarizeDevices(b)
	fmt.Fprintf(b, "total     %s wall, %s CPU on %d threads (read %s, compile %s%s, verify %s, write %s); peak memory %s\n",
		seconds(r.Wall), seconds(r.CPU), r.Threads, seconds(r.ReadS), seconds(r.CompileS), r.cachedNote(), seconds(r.VerifyS),
		seconds(r.SinkS), size(r.PeakRSS))
}

// together are the fallbacks, those of several stages from the same device for the same reason as one.
func (r summary) together() (out []result.Fallback) {
	stages := map[int]int{}
	for _, f := range r.Fallbacks {
		at := slices.IndexFunc(out, func(g result.Fallback) bool { return g.Device == f.Device && g.Reason == f.Reason })
		if at < 0 {
			at = len(out)
			out = append(out, result.Fallback{Stage: f.Stage, Device: f.Device, Reason: f.Reason})
		}
		out[at].Count += f.Count
		if stages[at]++; stages[at] > 1 {
			out[at].Stage = fmt.Sprintf("%d kernels", stages[at])
		}
	}
	return out
}

func (r summary) cachedNote() string {
	switch {
	case r.Compile.Kernels == 0:
		return ""
	case r.Compile.Cached == r.Compile.Kernels:
		return fmt.Sprintf(", %d kernels cached", r.Compile.Cached)
	case r.Compile.Cached > 0:
		return fmt.Sprintf(", %d of %d kernels cached", r.Compile.Cached, r.Compile.Kernels)
	}
	return ""
}

// manyKernels is how many kernels the summary lists one by one; beyond, those of less than a hundredth of the time are one line.
const manyKernels = 8

func (r summary) summarizeKernels(b *strings.Builder) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, d := range r.Sources {
		if d.Calls > 0 {
			fmt.Fprintf(w, "drive\t%s\t%s\t%s\t%s, %s each: %s\n", d.ID, d.Op, seconds(d.Wall), diag.Plural(d.Calls, "call"), seconds(d.Wall/float64(d.Calls)), d.Text)
		}
	}
	var all, rest float64
	small := 0
	for _, k := range r.Kernels {
		all += k.Wall
	}
	for _, k := range r.Kernels {
		if len(r.Kernels) > manyKernels && k.Wall < all/100 {
			small++
			rest += k.Wall
			continue
		}
		fmt.Fprintf(w, "kernel\t%s\t%s\t%s\t%s\t%s\t%d tiles\n", k.ID, k.Name, seconds(k.Wall),
			executedRate(k), rate(float64(k.Bytes), k.Wall, "B/s"), k.Tiles)
	}
	r.summarizeFolds(w)
	if small > 0 {
		fmt.Fprintf(w, "kernel\t\t%d short ones\t%s\n", small, seconds(rest))
	}
	w.Flush() // to a Builder, which never fails
}

// summarizeFolds says what was counted.
func (r summary) summarizeFolds(w io.Writer) {
	for _, k := range r.Kernels {
		for _, f := range k.Folds {
			fmt.Fprintf(w, "fold\t%s\t%s\n", k.ID, counted(f))
		}
	}
}

// summarizeSearch says in a line an array what precision was chosen, or why none was.
func (r summary) summarizeSearch(b *strings.Builder) {
	s := r.Search
	if s == nil {
		return
	}
	how := found(s)
	if s.Skipped != "" {
		fmt.Fprintf(b, "precision not searched: %s\n", s.Skipped)
		return
	}
	chosen := false
	for _, c := range s.Candidates {
		if strings.HasPrefix(c.Verdict, "chosen") {
			chosen = true
			fmt.Fprintf(b, "precision %s as %s (%s)\n", c.Stage, c.Name, how)
		}
	}
	if !chosen {
		fmt.Fprintf(b, "precision f32 kept (%s)", how)
		for _, c := range s.Candidates {
			if !strings.HasPrefix(c.Verdict, "not tried") {
				fmt.Fprintf(b, "; %s as %s is %s", c.Stage, c.Name, c.Verdict)
			}
		}
		fmt.Fprintln(b)
	}
}

// mostTold is how many arrays that are as they should be are told of, each by itself.
const mostTold = 24

func (r summary) summarizeParity(b *strings.Builder) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	quiet, least, told, which := 0, 1.0, 0, "inner"
	for _, p := range r.Parity {
		plain := p.OK && p.Skipped == "" && p.Rounding == 0 && p.Ties == 0 && p.Unexamined == 0
		if plain && !p.Inner {
			told++
		}
		if plain && !p.Inner && told > mostTold {
			which = "more"
		}
		if p.Inner && p.OK && p.Skipped == "" || plain && told > mostTold {
			quiet++ // the report has them
			least = min(least, p.Finds)
			continue
		}
		if p.Skipped != "" {
			fmt.Fprintf(w, "float64\t%s\t%s\n", p.Value, verdict(p))
			continue
		}
		if p.OK && p.Remainder && p.Rounding > 0 && p.Rounding+p.Ties <= p.Samples {
			fmt.Fprintf(w, "float64\t%s\tmeasures what rounding leaves: %d samples, and rounding explains all\n", p.Value, p.Samples)
			continue
		}
		says := verdict(p)
		switch {
		case !p.OK:
		case p.Rounding > 0 && p.Type == ir.F64.String(): // no type is closer
			says = fmt.Sprintf("%d off by more, as rounding alone explains: @tolerance says what is enough", p.Rounding)
		case p.Rounding > 0:
			says = fmt.Sprintf("%d off by more, as rounding alone explains: @precision(compute: f64) is closer, @tolerance says what is enough", p.Rounding)
		case p.Ties > 0:
			says += fmt.Sprintf("%s, %d of them ties: a discontinuity lies within rounding", few(p.Finds), p.Ties)
		default:
			says += few(p.Finds)
		}
		if p.OK && p.Unexamined > 0 {
			says += fmt.Sprintf(", %d not examined: they differ, as ties may, and a closer look at all takes too long", p.Unexamined)
		}
		if p.OK && p.NotFinite > 0 {
			says += fmt.Sprintf(", %d of them NaN or infinite", p.NotFinite)
		}
		figure := "worst"
		if p.Judged == audit.Judged(ops.Level) {
			figure = p.Judged
		}
		fmt.Fprintf(w, "float64\t%s\t%s error %s\ttolerance %s\t%d samples\t%s\n",
			p.Value, figure, p.Quantity(p.Figure()), p.Quantity(p.Tolerance), p.Samples, says)
	}
	if quiet > 0 {
		fmt.Fprintf(w, "float64\t%d %s arrays\twithin tolerance%s\n", quiet, which, few(least))
	}
	w.Flush()
}

// few says what samples are worth that are fewer than they should be.
func few(finds float64) string {
	if finds >= 0.99 {
		return ""
	}
	return fmt.Sprintf(" (if 1 %% were wrong, this would show with a chance of %.0f %%)", math.Floor(100*finds))
}

// rate is of the operations that were executed, beside what the machine can do.
func executedRate(k result.Kernel) string {
	if k.Executed == 0 && k.Flops > 0 {
		return "skips work (--count)"
	}
	text := rate(k.Executed, k.Wall, "flop/s")
	if k.Roof > 0 {
		text += fmt.Sprintf(" (%.2g %% of the roof)", 100*k.Roof)
	}
	return text
}

func rate(work, took float64, unit string) string {
	if took <= 0 {
		return "-"
	}
	return amount.Of(work/took, unit)
}

// summarizeDevices says in a line an accelerator what it did, and names those that had nothing to do.
func (r summary) summarizeDevices(b *strings.Builder) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	var idle []string
	for _, u := range r.Devices {
		if u.Ranges == 0 && u.Failures == 0 && u.Quarantined == "" {
			idle = append(idle, u.Name)
			continue
		}
		fmt.Fprintf(w, "device\t%s\t%d ranges of %d kernels\tin %s, %s\tcompute %s\tout %s, %s\tpeak memory %s%s\n", u.Name, u.Ranges, u.Kernels,
			size(u.BytesIn), seconds(u.Upload), seconds(u.Compute), size(u.BytesOut), seconds(u.Download),
			size(u.Peak), troubles(u))
	}
	w.Flush() // to a Builder, which never fails
	if idle != nil {
		fmt.Fprintf(b, "idle      %s\n", strings.Join(idle, ", "))
	}
}

// troubles are what went wrong on an accelerator.
func troubles(u fleet.Usage) string {
	var out string
	if u.Memory > 0 {
		out += " of " + size(u.Memory)
	}
	if u.Failures > 0 {
		out += fmt.Sprintf("; %d failures", u.Failures)
	}
	if u.Retries > 0 {
		out += fmt.Sprintf("; %d retries in smaller ranges", u.Retries)
	}
	if u.PinsRefused > 0 {
		out += "; without page-locked memory"
	}
	if u.Quarantined != "" {
		out += "; left out: " + u.Quarantined
	}
	return out
}
