package runtime

import (
	"fmt"
	"slices"

	"weft/ops"
	"weft/ops/problem"
	"weft/planner/bound"
	"weft/runtime/result"
)

// doubt is what is known to be wrong and kept all the same: buffers with a sample beyond its tolerance, and what was made from them.
type doubt map[string]bool

// doubted warns of a stage that holds what it should not; under Strict that is an error.
func (r *run) doubted(s *ops.Stage, w problem.Problem) error {
	if r.opt.Strict {
		return w
	}
	r.doubt[r.arrays.ByStage[s].ID] = true
	r.result.Warnings = append(r.result.Warnings, result.Warning{Code: w.Code, Message: w.Message, Help: w.Help, Where: s.Where})
	return nil
}

// spread doubts what a step makes from what is doubted.
func (d doubt) spread(s *bound.Step) bool {
	from := slices.ContainsFunc(s.Reads, func(id string) bool { return d[id] })
	if from {
		for _, id := range s.Writes {
			d[id] = true
		}
	}
	return from
}

// announce warns of an output that is not what it should be: it is kept, since it may have taken long, but not without a word.
func (r *run) announce(sink *bound.Step) {
	if path := sink.Op.File(); path != "" && r.doubt.spread(sink) {
		r.result.Warnings = append(r.result.Warnings, result.Warning{Code: problem.ParityViolated, Message: fmt.Sprintf("%s was written, but is made from values beyond their tolerance", path),
			Help: "use it with that in mind, or remove it; with --strict it is not written", Where: sink.Op.Where})
	}
}
