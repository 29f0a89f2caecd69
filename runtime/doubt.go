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

// failedFile reports whether a sink writes a file of what is not what it should be.
func (r *run) failedFile(sink *bound.Step) bool { return sink.Op.File() != "" && r.doubt.spread(sink) }

// announce warns of an output that is not what it should be: it is kept under another name, since it may have taken long.
func (r *run) announce(sink *bound.Step) {
	if r.failedFile(sink) {
		path := sink.Op.File()
		r.result.Warnings = append(r.result.Warnings, result.Warning{Code: problem.ParityViolated,
			Message: fmt.Sprintf("%s was not written: it is made from values beyond their tolerance, and is kept as %s", path, ops.FailedPath(path)),
			Help:    "use it with that in mind, or remove it; with --strict it is not kept", Where: sink.Op.Where})
	}
}
