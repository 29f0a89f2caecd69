package native

import (
	"context"
	"slices"
	"time"

	"weft/kernels/region"
	"weft/kernels/render"
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
			v, err := p.device.render(p.kernel, todo[0])
			todo = todo[1:]
			if err != nil || slices.Contains(tried, v.key) { // a kernel does not have every schedule
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
		err := p.device.build(ctx, round)
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

// neighbours are the schedules that differ from one in a single choice. Some may not suit the kernel.
func neighbours(s render.Schedule, axes int) (out []render.Schedule) {
	add := func(change func(*render.Schedule)) {
		n := s
		n.Order, n.Lanes, n.Unroll = slices.Clone(s.Order), slices.Clone(s.Lanes), slices.Clone(s.Unroll)
		change(&n)
		out = append(out, n)
	}
	for i, u := range s.Unroll {
		add(func(n *render.Schedule) { n.Unroll[i].N = 2 * u.N })
		add(func(n *render.Schedule) {
			if n.Unroll[i].N = u.N / 2; n.Unroll[i].N < 2 {
				n.Unroll = slices.Delete(n.Unroll, i, i+1)
			}
		})
		for a := range axes {
			if a != u.Axis {
				add(func(n *render.Schedule) { n.Unroll[i].Axis = a })
			}
		}
	}
	if len(s.Unroll) == 0 && len(s.Lanes) > 0 {
		for a := range axes {
			add(func(n *render.Schedule) { n.Unroll = []render.AxisN{{Axis: a, N: 4}} })
		}
	}
	for i := range s.Lanes { // a patch of another shape
		for j := range s.Lanes {
			if i != j && s.Lanes[i].N > 1 {
				add(func(n *render.Schedule) { n.Lanes[i].N /= 2; n.Lanes[j].N *= 2 })
			}
		}
	}
	for i := range len(s.Order) - 1 {
		add(func(n *render.Schedule) { n.Order[i], n.Order[i+1] = n.Order[i+1], n.Order[i] })
	}
	if s.Window > 0 {
		add(func(n *render.Schedule) { n.Window = 48 - s.Window }) // 16 and 32
		add(func(n *render.Schedule) { n.Window, n.Guard, n.Table = 0, false, 0 })
	}
	for _, f := range []func(*render.Schedule) *int{
		func(n *render.Schedule) *int { return &n.Table },
		func(n *render.Schedule) *int { return &n.Every },
		func(n *render.Schedule) *int { return &n.AccBlock },
	} {
		if v := *f(&s); v > 0 {
			add(func(n *render.Schedule) { *f(n) = 2 * v })
			if v > 1 {
				add(func(n *render.Schedule) { *f(n) = v / 2 })
			}
		}
	}
	add(func(n *render.Schedule) { n.AccMajor = !s.AccMajor })
	return out
}
