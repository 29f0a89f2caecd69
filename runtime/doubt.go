package runtime

import (
	"fmt"

	"weft/ops"
	"weft/ops/problem"
	"weft/planner/bound"
	"weft/runtime/result"
)

// doubted warns of a stage that holds what it should not; under Strict that is an error.
func (r *run) doubted(s *ops.Stage, w problem.Problem) error {
	if r.opt.Strict {
		return w
	}
	r.doubt[r.arrays.ByStage[s].ID] = true
	r.result.Warnings = append(r.result.Warnings, result.Warning{Code: w.Code, Message: w.Message, Help: w.Help, Where: s.Where})
	return nil
}

// failedFile reports whether a sink writes a file of what is not what it should be.
func (r *run) failedFile(sink *bound.Step) bool { return sink.Op.File() != "" && r.doubt.Spread(sink) }

// announce warns of an output that is not what it should be: it is kept under another name, since it may have taken long.
func (r *run) announce(sink *bound.Step) {
	if r.failedFile(sink) {
		path := sink.Op.File()
		r.result.Warnings = append(r.result.Warnings, result.Warning{Code: problem.ParityViolated,
			Message: fmt.Sprintf("%s was not written: it is made from values beyond their tolerance, and is kept as %s", path, ops.FailedPath(path)),
			Help:    "use it with that in mind, or remove it; with --strict it is not kept", Where: sink.Op.Where})
	}
}
