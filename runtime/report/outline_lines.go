package report

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"weft/lang/diag"
	"weft/planner/bound"
	"weft/planner/plan"
)

// lineOf adds a line of the program and the kernels it asks for, of which short ones are only counted.
func (o *outline) lineOf(r *lineRow) {
	code := ""
	if r.line > 0 && r.line <= len(o.source) {
		code, _, _ = strings.Cut(o.source[r.line-1], "  #")
	}
	var says []string
	var long []part
	short := 0
	for _, p := range r.parts {
		switch {
		case p.step.Kernel == nil:
			says = append(says, o.moved(p.step))
		case p.seconds >= leastShare*o.of:
			long = append(long, p)
		default:
			short++
		}
	}
	if short > 0 {
		says = append(says, diag.Plural(short, "short kernel"))
	}
	if r.within != nil && len(r.parts) == 0 {
		says = append(says, "computed in "+strings.Join(r.within, ", "))
	}
	o.row(r.seconds(), r.line, cmp.Or(strings.TrimSpace(code), o.subject(r)), strings.Join(says, ", "))
	if len(r.parts) == 0 {
		last := &o.Table[len(o.Table)-1]
		last.Share, last.Time = "", ""
	}
	for _, p := range long {
		o.kernelRow(p)
	}
	for _, p := range r.parts {
		o.drive(p)
	}
}

func (o *outline) kernelRow(p part) {
	o.row(p.seconds, 0, p.step.ID+"  "+shortly(p.step), o.kernelSays(p.step))
	o.Table[len(o.Table)-1].Kernel = true
}

// drive adds the kernels of a drive's programs, predicted ones by their shares of what the drive takes.
func (o *outline) drive(p part) {
	outer := o.plan
	defer func() { o.plan = outer }()
	for i, program := range p.step.Programs {
		of := p.step.Drive.Programs[i]
		o.plan = program
		for j := range program.Steps {
			s := &program.Steps[j]
			if s.Kernel == nil {
				continue
			}
			calls := float64(of.Most) * of.Works()
			if slices.Contains(of.Once, s.ID) {
				calls = 1
			}
			seconds := predicted(s.Kernel) * calls / max(p.step.Expected(), 1e-9) * p.seconds
			if o.analysis != nil {
				seconds = o.kernelSeconds(s)
			}
			if seconds >= leastShare*o.of {
				o.kernelRow(part{s, "", seconds})
			}
		}
	}
}

// shortly is what a kernel computes, as far as there is room to say it.
func shortly(s *bound.Step) string {
	if text := stages(s.Kernel); len(text) <= codeWidth-6 {
		return text
	}
	return s.Name
}

// moved is what a source, a sink or a drive has to do with arrays.
func (o *outline) moved(s *bound.Step) string {
	if s.Kind == plan.DriveStep {
		calls := 0
		for _, program := range s.Drive.Programs {
			calls += program.Most
		}
		return fmt.Sprintf("at most %s of %s", diag.Plural(calls, "call"), millis(o.expected(s)/float64(max(1, calls))))
	}
	for _, id := range slices.Concat(s.Reads, s.Writes) {
		if b := o.plan.Buffer(id); b != nil {
			return dimName().ReplaceAllString(b.Type, "") + "  " + size(b.Bytes)
		}
	}
	return ""
}

// dimName is the name of a dim in a type, which there is no room for.
var dimName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\w.]+: `) })

// kernelSays is what there is to know of a kernel at a glance: where it runs, its type, what limits it, how much it stores.
func (o *outline) kernelSays(s *bound.Step) string {
	k := s.Kernel
	says := []string{k.Precision.Compute}
	if k.Place.Accelerates() {
		says = append(says, where(k))
	}
	bytes := int64(0)
	for _, id := range s.Writes {
		bytes += o.plan.Buffer(id).Bytes
	}
	_, limit := k.Expected()
	if limit == "compute" && k.Estimate.Heaviest != "" && !k.Place.Accelerates() {
		limit = k.Estimate.Heaviest
	}
	says = append(says, limit)
	if m, ok := o.analysis.kernel(s.ID); ok {
		says = append(says, m.mark())
		if m.Roof > 0 {
			says = append(says, fmt.Sprintf("%.0f %% of roof", 100*m.Roof))
		}
		for _, f := range m.Folds {
			says = append(says, fmt.Sprintf("%.0f %% culled", 100*float64(f.Culled)/max(1, float64(f.Nominal))))
		}
	}
	return strings.Join(append(says, size(bytes)), ", ")
}
