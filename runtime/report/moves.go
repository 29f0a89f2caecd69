package report

import (
	"fmt"
	"slices"

	"weft/planner/bound"
)

// moves says what a program in blocks moves of files, and how fast it is expected to be for that.
func (t *printer) moves(begin string) {
	if m := t.plan.Moves(); m != nil && m.Read+m.Written > 0 {
		t.line("%sreads %s and writes %s%s; %.0f %% of their rate in memory expected", begin, size(m.Read), size(m.Written), beside(m, m.Read+m.Written), 100*m.Share)
	}
}

// beside says what moved bytes are to those that no order could do without.
func beside(m *bound.Moves, moved int64) string {
	return fmt.Sprintf(", %.2g times the least that any order of its products moves in %s (%s)", float64(moved)/float64(m.Least), size(m.Memory), size(m.Least))
}

// moved says the same of what a run moved and how fast it was.
func (r summary) moved(m *bound.Moves) string {
	var moved int64
	for _, t := range slices.Concat(r.Sources, r.Sinks) {
		moved += t.Moved
	}
	as := ", as planned"
	if planned := m.Read + m.Written; moved != planned {
		as = fmt.Sprintf(" of %s that were planned", size(planned))
	}
	rate := 0.0
	for _, k := range r.Kernels {
		if k.Wall > 0 && slices.Contains(m.Kernels, k.ID) {
			rate = max(rate, k.Executed/k.Wall)
		}
	}
	fast := ""
	if busy := r.Wall - r.CompileS - r.VerifyS; rate > 0 && busy > 0 {
		fast = fmt.Sprintf("; %.0f %% of their rate in memory, %.0f %% expected", 100*m.Flops/rate/busy, 100*m.Share)
	}
	return fmt.Sprintf("moved %s%s%s%s", size(moved), as, beside(m, moved), fast)
}
