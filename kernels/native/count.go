package native

import (
	"context"

	"weft/kernels/codegen/c"
	"weft/kernels/device"
	"weft/kernels/region"
)

// counted is a variant whose folds are counted.
type counted struct{ v *variant }

var _ device.Counting = (*program)(nil)

// Counted compiles the variant in use with counters.
func (p *program) Counted(ctx context.Context) (device.Counted, error) {
	v, err := p.device.render(p.kernel, p.current().schedule, c.Way{Counts: true})
	if err != nil || len(v.out.Counted) == 0 {
		return nil, err
	}
	if err := p.device.build(ctx, []*variant{v}, nil); err != nil {
		return nil, err
	}
	return counted{v}, nil
}

// Bind checks buffers and scalars and returns the launch.
func (c counted) Bind(b device.Bindings, t *device.Tally) (func(region.Region) error, error) {
	call, err := newCall(c.v, b)
	if err != nil {
		return nil, err
	}
	call.tally = t
	return call.launch, nil
}

// collect hands over what a launch counted.
func (c *call) collect(counts []uint64) {
	launch := make([]device.FoldCount, len(c.v.out.Counted))
	for i, f := range c.v.out.Counted {
		n := counts[i*countsPerFold:]
		launch[i] = device.FoldCount{Fold: f.Index.Name, Due: int64(n[0]), Ran: int64(n[1]), Idle: int64(n[2])}
	}
	c.tally.Add(launch)
}
