package blocks

import (
	"slices"

	"weft/ops"
	"weft/planner/bound"
	"weft/planner/plan"
)

// refuses says why a source or sink takes its array only as a whole.
func refuses(op *ops.Instance, source bool) string {
	_, reads := op.Bound.(ops.TileReader)
	_, writes := op.Bound.(ops.TileWriter)
	if source && !reads || !source && !writes {
		return op.Spec.Name + " takes it as a whole"
	}
	if err := op.Bound.(ops.Streamer).Fits(); err != nil {
		return err.Error()
	}
	return ""
}

// together keeps all that one sink takes as soon as some of it is kept that is made on the way, and reports whether that was news.
func (f *flow) together(u *unit) (news bool) {
	if u.step.Kind != plan.SinkStep || !slices.ContainsFunc(u.reads, func(b *bound.Buffer) bool { return f.kept[b] != "" && b.Role != plan.FromPlan }) {
		return false
	}
	for _, b := range u.reads {
		if f.kept[b] == "" {
			f.kept[b], news = u.step.Name+" takes it with what is there as a whole", true
		}
	}
	return news
}

// byRows reports whether what a sink takes comes in blocks.
func (f *flow) byRows(u *unit) bool {
	return slices.ContainsFunc(u.reads, func(b *bound.Buffer) bool { return f.kept[b] == "" })
}
