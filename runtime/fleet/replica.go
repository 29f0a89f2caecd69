package fleet

import (
	"slices"
	"sync"

	"weft/kernels/device"
	"weft/ops"
)

// replica is memory on a device for all of an array, and which of its rows are there.
type replica struct {
	mem  device.Memory
	size int64
	used int // the last job that needed it

	mu      sync.Mutex
	valid   rowSet
	pending []*pending
}

// pending is rows that a slot is copying.
type pending struct {
	rows ops.Interval
	done chan struct{}
}

// bring makes rows valid: it copies what is not there, and waits for what another slot is copying.
func (r *replica) bring(rows ops.Interval, copyIn func(ops.Interval) error) error {
	for {
		mine, wait := r.claim(rows)
		switch {
		case mine != nil:
			err := copyIn(mine.rows)
			r.settle(mine, err == nil)
			if err != nil {
				return err
			}
		case wait != nil:
			<-wait.done
		default:
			return nil
		}
	}
}

// claim finds rows that are missing and marks them as being copied, or else somebody to wait for.
func (r *replica) claim(rows ops.Interval) (mine, wait *pending) {
	r.mu.Lock()
	defer r.mu.Unlock()
	missing := r.valid.missing(rows)
	free := missing
	for _, p := range r.pending {
		free = free.without(p.rows)
	}
	if len(free) > 0 {
		mine = &pending{free[0], make(chan struct{})}
		r.pending = append(r.pending, mine)
		return mine, nil
	}
	for _, p := range r.pending {
		for _, m := range missing {
			if !empty(overlap(m, p.rows)) {
				return nil, p
			}
		}
	}
	return nil, nil
}

func (r *replica) settle(p *pending, valid bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pending = slices.DeleteFunc(r.pending, func(q *pending) bool { return q == p })
	if valid {
		r.valid = r.valid.with(p.rows)
	}
	close(p.done)
}

// computed marks rows that the device made itself and the host has.
func (r *replica) computed(rows ops.Interval) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.valid = r.valid.with(rows)
}

// forget marks rows as not there.
func (r *replica) forget(rows ops.Interval) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.valid = r.valid.without(rows)
}
