package fleet

import (
	"slices"
	"sync"

	"weft/kernels/device"
	"weft/kernels/region"
)

// replica is memory on a device for all of an array, and which parts of it are there.
type replica struct {
	mem  device.Memory
	size int64
	used int // the last job that needed it

	stale bool // it holds what other memory was for, wherever nothing is stored

	mu      sync.Mutex
	valid   region.Set
	pending []*pending
}

// pending is what a slot is copying.
type pending struct {
	at   region.Region
	done chan struct{}
}

// bring makes a region valid: it copies what is not there, and waits for what another slot is copying.
func (r *replica) bring(at region.Region, copyIn func(region.Region) error) error {
	for {
		mine, wait := r.claim(at)
		switch {
		case mine != nil:
			err := copyIn(mine.at)
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

// claim finds what is missing and marks it as being copied, or else somebody to wait for.
func (r *replica) claim(at region.Region) (mine, wait *pending) {
	r.mu.Lock()
	defer r.mu.Unlock()
	missing := r.valid.Missing(at)
	free := missing
	for _, p := range r.pending {
		free = free.Without(p.at)
	}
	if len(free) > 0 {
		mine = &pending{free[0], make(chan struct{})}
		r.pending = append(r.pending, mine)
		return mine, nil
	}
	for _, p := range r.pending {
		for _, m := range missing {
			if !m.Intersect(p.at).Empty() {
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
		r.valid = r.valid.With(p.at)
	}
	close(p.done)
}

// computed marks what the device made itself and the host has.
func (r *replica) computed(made region.Region) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.valid = r.valid.With(made)
}

// forget marks a region as not there.
func (r *replica) forget(at region.Region) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.valid = r.valid.Without(at)
}
