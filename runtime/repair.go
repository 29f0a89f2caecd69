package runtime

import (
	"fmt"

	"weft/ops"
	"weft/ops/problem"
	"weft/runtime/audit"
	"weft/runtime/result"
)

// beyond is a sample beyond its tolerance in a plan that has a wider one.
type beyond struct{ problem.Problem }

// unproven says what becomes of a sample beyond its tolerance: a run in wider types where there are any, an error where the
// user asked for the types or for the run to be resumed, and else the problem to report.
func (r *run) unproven(s *ops.Stage, p result.Parity) (problem.Problem, error) {
	w := p.Violation()
	if asked := r.plan.Forced(s); asked != "" {
		return w, problem.Wrong(w.Code, "", "ask for a wider type, or allow more with @tolerance", "%s cannot be held with %s: %s",
			p.Quantity(p.Tolerance), asked, w.Message)
	}
	if len(r.opt.Wider) > 0 {
		return w, &beyond{w}
	}
	if _, asked := audit.Asked(s); asked && r.opt.Resume && r.plan.Repeated {
		return w, problem.Wrong(w.Code, "", "run without --resume to start afresh, in types that are chosen anew",
			"%s; this run goes on in the types of the one before, so it looks for no others", w.Message)
	}
	return w, nil
}

func (b *beyond) Error() string { return fmt.Sprint(b.Problem) }

// Unwrap is the problem, for those who report it.
func (b *beyond) Unwrap() error { return b.Problem }
