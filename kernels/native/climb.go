package native

import (
	"context"
	"slices"
	"time"

	"weft/kernels/codegen/c"
	"weft/kernels/region"
	"weft/kernels/schedule"
)

const (
	neighboursAtOnce = 4    // compiled together
	worthMoving      = 0.98 // of the time of the best so far, below which a neighbour replaces it: less is noise
)

// climb goes from the fastest variant to faster ones that differ from it in one choice, until none is, or the time is over.
func (r *race) climb(best *call, took time.Duration, sample region.Region, deadline time.Time) (*call, error) {
	p := r.program
	var tried []string
	for _, v := range p.variants {
		tried = append(tried, v.key)
	}
	todo := neighbours(best.v.schedule, len(p.kernel.Axes))
	for len(todo) > 0 && time.Now().Before(deadline) {
		var round []*variant
		for len(todo) > 0 && len(round) < neighboursAtOnce {
			next := todo[0]
			todo = todo[1:]
			if !schedule.AddsAlike(p.kernel, p.device.target, next) {
				continue
			}
			v, err := p.device.render(p.kernel, next, c.Way{})
			if err != nil || !p.device.fits(v) || slices.Contains(tried, v.key) { // a kernel does not have every schedule
				continue
			}
			tried = append(tried, v.key)
			round = append(round, v)
		}
		if len(round) == 0 {
			break
		}
		ctx, cancel := context.WithCancel(context.Background())
		stop := time.AfterFunc(time.Until(deadline), cancel)
		err := p.device.build(ctx, round, nil)
		if over := !stop.Stop(); over {
			break
		}
		cancel()
		if err != nil {
			return nil, err
		}
		var calls []*call
		for _, v := range round {
			c, err := r.call(v)
			if err != nil {
				return nil, err
			}
			calls = append(calls, c)
		}
		calls = slices.Insert(calls, 0, best)
		part := fitted(sample, calls)
		if part == nil {
			continue
		}
		w, least, err := fastest(calls, part, deadline)
		if err != nil {
			return nil, err
		}
		if w > 0 && (part.Points() != sample.Points() || float64(least) < worthMoving*float64(took)) {
			best, took = calls[w], least
			todo = neighbours(best.v.schedule, len(p.kernel.Axes))
		}
	}
	return best, nil
}

// fitted is a sample cut to whole steps of all variants; nil where one's step is larger.
func fitted(sample region.Region, calls []*call) region.Region {
	out := slices.Clone(sample)
	for i, r := range sample {
		for _, c := range calls {
			step := max(1, c.v.out.Step[i])
			if r.Hi-r.Lo < step {
				return nil
			}
			if n := (r.Hi - r.Lo) / step * step; n < out[i].Hi-out[i].Lo {
				out[i].Hi = r.Lo + n
			}
		}
	}
	return out
}
