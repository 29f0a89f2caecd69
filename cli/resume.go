package cli

import (
	"weft/ops"
	"weft/planner"
	"weft/runtime/journal"
)

// unfinished are the decisions of the run that left an output of these sinks unfinished; nil if none did. If another program left
// it, they do not fit, which the runtime finds out.
func unfinished(sinks []*ops.Instance) *planner.Decisions {
	for _, s := range sinks {
		if s.Spec.File == nil {
			continue
		}
		if r, err := journal.Read(s.Spec.File(s.Call)); err == nil && r.Header.Decisions != nil {
			return r.Header.Decisions
		}
	}
	return nil
}
