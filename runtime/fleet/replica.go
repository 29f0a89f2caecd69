package fleet

import (
	"maps"
	"slices"
	"sync"

	"weft/kernels/device"
	"weft/kernels/region"
)

// replica is memory on a device for all of an array, and which of its rows are there.
type replica struct {
	mem  device.Memory
	size int64
	used int // the last job that needed it

	mu      sync.Mutex
	valid   rowSet
	partly  map[int]rowSet // columns that are there of rows that are not valid
	pending []*pending
}

// pending is rows that a slot is copying.
type pending struct {
	rows region.Interval
	done chan struct{}
}

// bring makes rows valid: it copies what is not there, and waits for what another slot is copying.
func (r *replica) bring(rows region.Interval, copyIn func(region.Interval) error) error {
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
func (r *replica) claim(rows region.Interval) (mine, wait *pending) {
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
			if !m.Intersect(p.rows).Empty() {
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

// computed marks what the device made itself and the host has; rows of which it made all parts are valid.
func (r *replica) computed(a Array, made region.Region) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(made) == 0 {
		r.valid = r.valid.with(a.rows())
		return
	}
	if made[1:].Equal(region.Whole(a.Buf.Shape[1:]...)) {
		r.valid = r.valid.with(made[0])
		return
	}
	if r.partly == nil {
		r.partly = map[int]rowSet{}
	}
	for row := made[0].Lo; row < made[0].Hi; row++ {
		r.partly[row] = r.partly[row].with(made[1])
		if r.partly[row].holds(region.Interval{Hi: a.Buf.Shape[1]}) {
			delete(r.partly, row)
			r.valid = r.valid.with(region.Interval{Lo: row, Hi: row + 1})
		}
	}
}

// forget marks rows as not there.
func (r *replica) forget(rows region.Interval) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.valid = r.valid.without(rows)
	maps.DeleteFunc(r.partly, func(row int, _ rowSet) bool { return row >= rows.Lo && row < rows.Hi })
}
