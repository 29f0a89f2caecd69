package native

import (
	"slices"
	"sync"
	"time"

	"weft/kernels/clock"
	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/ir/count"
	"weft/kernels/region"
)

const (
	worthFlops      = 1e9                    // a kernel with less work is over before a measurement pays
	sampleTime      = 2 * time.Millisecond   // a sample tile takes at least so long, if the tile does
	defaultTuneTime = 500 * time.Millisecond // for all measurements of a kernel together, the sample's search included
	repetitions     = 3
)

// worthTuning reports a kernel with enough work whose launch may be repeated: one that only overwrites, and nothing it reads.
func worthTuning(k *ir.Kernel) bool {
	inputs := k.Inputs()
	for _, s := range k.Stores {
		if slices.Contains(inputs, s.Buf) {
			return false
		}
	}
	return count.CostOf(k).Flops >= worthFlops
}

// race is one binding of a program whose variants compete.
type race struct {
	program  *program
	bindings device.Bindings

	mu    sync.Mutex
	calls []*call
}

// call is a variant with the binding's buffers.
func (r *race) call(v *variant) (*call, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.calls {
		if c.v == v {
			return c, nil
		}
	}
	c, err := newCall(v, r.bindings)
	if err == nil {
		r.calls = append(r.calls, c)
	}
	return c, err
}

func (r *race) launch(t region.Region) error {
	v, err := r.decide(t)
	if err != nil {
		return err
	}
	c, err := r.call(v)
	if err != nil {
		return err
	}
	return c.launch(t)
}

// decide returns the variant to run a tile with. The first launch with enough points measures all variants on a part of its
// tile, with the real data, and then searches around the fastest; what the samples write, the launch then writes again. Other
// launches wait for the result.
func (r *race) decide(t region.Region) (*variant, error) {
	p := r.program
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.winner != nil {
		return p.winner, nil
	}
	if err := checkTile(p.kernel, t); err != nil {
		return nil, err
	}
	deadline := time.Now().Add(p.tuneTime)
	calls := make([]*call, len(p.variants))
	for i, v := range p.variants {
		c, err := r.call(v)
		if err != nil {
			return nil, err
		}
		calls[i] = c
	}
	sample, ok, err := findSample(calls, t)
	if err != nil || !ok {
		return p.variants[0], err
	}
	w, least, err := fastest(calls, sample, deadline)
	if err != nil {
		return nil, err
	}
	best, err := r.climb(calls[w], least, sample, deadline)
	if err != nil {
		return nil, err
	}
	p.winner = best.v
	return best.v, p.device.store.remember(p.rule, best.v.schedule)
}

// findSample finds a part in the middle of the tile, whole steps of every variant, that takes sampleTime under the rule's
// variant. Not ok: the whole tile takes less.
func findSample(calls []*call, t region.Region) (sample region.Region, ok bool, err error) {
	step, size := make([]int, len(t)), make([]int, len(t))
	for i := range t {
		for _, c := range calls {
			step[i] = max(step[i], c.v.out.Step[i], 1)
		}
		size[i] = step[i]
	}
	for axis := len(t) - 1; ; axis-- {
		sample = middle(t, size, step)
		_, d, err := clock.Stopwatch(func() error { return calls[0].launch(sample) })
		if err != nil || d >= sampleTime {
			return sample, true, err
		}
		if sample.Points() == t.Points() {
			return nil, false, nil
		}
		for { // double the next axis that has room, inner ones first
			axis = (axis + len(t)) % len(t)
			if size[axis] < t[axis].Hi-t[axis].Lo {
				size[axis] *= 2
				break
			}
			axis--
		}
	}
}

// middle is the part of a tile with at most size points an axis around its centre, starting a multiple of step from its edge.
func middle(t region.Region, size, step []int) region.Region {
	part := slices.Clone(t)
	for i, r := range t {
		if n := r.Hi - r.Lo; size[i] < n {
			part[i].Lo += (n - size[i]) / 2 / step[i] * step[i]
			part[i].Hi = part[i].Lo + size[i]
		}
	}
	return part
}

// fastest takes the least time of each variant, round by round so that a disturbance hits all alike, until the
// deadline. The first variant is always measured.
func fastest(calls []*call, sample region.Region, deadline time.Time) (at int, took time.Duration, err error) {
	least := make([]time.Duration, 0, len(calls))
	over := func() bool { return time.Now().After(deadline) }
	for round := range repetitions {
		for i, c := range calls {
			if len(least) > 0 && over() {
				break
			}
			_, d, err := clock.Stopwatch(func() error { return c.launch(sample) })
			if err != nil {
				return 0, 0, err
			}
			if round == 0 {
				least = append(least, d)
			} else {
				least[i] = min(least[i], d)
			}
		}
		calls = calls[:len(least)]
	}
	took = slices.Min(least)
	return slices.Index(least, took), took, nil
}
