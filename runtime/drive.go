package runtime

import (
	"context"

	"weft/planner/bound"
)

// drive runs the steps of a drive round after round, until what they make says that it is enough. The first round and the last one are
// compared with float64, from what they were given.
func (r *run) drive(ctx context.Context, step *bound.Step) (err error) {
	d := step.Drive
	works, tiles := make([]*work, len(step.Body)), 0
	for i := range step.Body {
		works[i] = r.work(&step.Body[i])
		defer works[i].finish()
		tiles += len(step.Body[i].Kernel.TileSet)
	}
	r.opt.Progress.Begin(step.Name, tiles*d.Most, 0)
	defer r.opt.Progress.End()
	for round := range d.Most {
		for i := range step.Body {
			s := &step.Body[i]
			if err := r.allocate(s); err != nil {
				return err
			}
			if err := works[i].part(ctx, s.Kernel.IR.Domain(), s.Kernel.TileSet); err != nil {
				return r.failed(ctx, s, err)
			}
		}
		last := round+1 == d.Most
		if d.While != "" {
			more, err := r.arrays.host(d.While)
			if err != nil {
				return err
			}
			last = last || more.Float(0) == 0
		}
		for i := range step.Body {
			if s := &step.Body[i]; round == 0 || last {
				if err := r.judge(ctx, s); err != nil {
					return r.failed(ctx, s, err)
				}
			}
		}
		for _, s := range d.State {
			r.arrays.swap(s.Now, s.Next)
		}
		if last {
			return nil
		}
	}
	return nil
}
