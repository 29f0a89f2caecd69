package native

import (
	"slices"
	"time"

	"weft/kernels/device"
	"weft/kernels/ir"
)

const (
	worthFlops  = 1e9                    // a kernel with less work is over before a measurement pays
	sampleTime  = 2 * time.Millisecond   // a sample tile takes at least so long, if the tile does
	tuneTime    = 500 * time.Millisecond // for all measurements of a kernel together, the sample's search included
	repetitions = 3
)

// worthTuning reports a kernel with enough work whose launch may be repeated: one that only overwrites, and nothing it reads.
func worthTuning(k *ir.Kernel) bool {
	inputs := k.Inputs()
	for _, s := range k.Stores {
		if s.Combine != ir.Ordered || slices.Contains(inputs, s.Buf) {
			return false
		}
	}
	return ir.CostOf(k).Flops >= worthFlops
}

// decide returns the variant to run a tile with. The first launch with enough points measures all variants on a part of
// its tile, with the real data; what the samples write, the launch then writes again. Other launches wait for the result.
func (p *program) decide(calls []*call, t device.Tile) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.winner >= 0 {
		return p.winner, nil
	}
	if err := checkTile(p.kernel, t); err != nil {
		return 0, err
	}
	deadline := time.Now().Add(tuneTime)
	sample, ok, err := findSample(calls, t)
	if err != nil || !ok {
		return 0, err
	}
	w, err := fastest(calls, sample, deadline)
	if err != nil {
		return 0, err
	}
	p.winner = w
	return w, p.device.store.remember(p.rule, p.variants[w].schedule)
}

// findSample finds a part in the middle of the tile, whole steps of every variant, that takes sampleTime under the rule's
// variant. Not ok: the whole tile takes less.
func findSample(calls []*call, t device.Tile) (sample device.Tile, ok bool, err error) {
	step, size := make([]int, len(t)), make([]int, len(t))
	for i := range t {
		for _, c := range calls {
			step[i] = max(step[i], c.v.out.Step[i], 1)
		}
		size[i] = step[i]
	}
	for axis := len(t) - 1; ; axis-- {
		sample = middle(t, size, step)
		d, err := stopwatch(func() error { return calls[0].launch(sample) })
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
func middle(t device.Tile, size, step []int) device.Tile {
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
// deadline; the first round is always finished.
func fastest(calls []*call, sample device.Tile, deadline time.Time) (int, error) {
	least := make([]time.Duration, len(calls))
	for round := range repetitions {
		for i, c := range calls {
			d, err := stopwatch(func() error { return c.launch(sample) })
			if err != nil {
				return 0, err
			}
			if round == 0 || d < least[i] {
				least[i] = d
			}
		}
		if time.Now().After(deadline) {
			break
		}
	}
	return slices.Index(least, slices.Min(least)), nil
}
