package runtime

import (
	"context"

	"weft/ops"
	"weft/planner"
)

// Tap lets see look at what each sink of a plan is given, before the sink itself runs; see may be nil. With discard the sinks do
// nothing: what they would be given is computed all the same.
func Tap(p *planner.Plan, see func(step *planner.Step, in []ops.HostArray) error, discard bool) {
	for i := range p.Steps {
		step := &p.Steps[i]
		if step.Kind != planner.SinkStep {
			continue
		}
		spec, op := *step.Op.Spec, *step.Op
		inner := spec.Sink
		spec.Sink = func(ctx context.Context, c *ops.Call, in []ops.HostArray, t ops.Terminal) (ops.Note, error) {
			if see != nil {
				if err := see(step, in); err != nil {
					return ops.Note{}, err
				}
			}
			if discard {
				return ops.Note{Text: "discarded"}, nil
			}
			return inner(ctx, c, in, t)
		}
		if discard {
			spec.Streams = nil // sinks that take parts would write them
		}
		op.Spec = &spec
		step.Op = &op
	}
}
