//go:build cuda

package cuda

import (
	"errors"
	"sync"

	"gorgonia.org/cu"

	"weft/kernels/device"
)

// pool keeps freed memory for the next buffer of its size: giving memory back to the driver waits for everything that runs.
type pool struct {
	mu   sync.Mutex
	free map[int64][]block
	held int64 // bytes
	most int64 // that it may hold
}

// block is memory that was freed, and what may still use it.
type block struct {
	at   cu.DevicePtr
	last *piece
}

// kept is the share of a device's memory that a pool holds at most.
const kept = 1.0 / 8

// take is memory of so many bytes that was kept.
func (p *pool) take(size int64) (block, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.free[size]
	if len(list) == 0 {
		return block{}, false
	}
	p.free[size] = list[:len(list)-1]
	p.held -= size
	return list[len(list)-1], true
}

// give keeps memory; false where it does not.
func (p *pool) give(at cu.DevicePtr, size int64, last *piece) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held+size > p.most {
		return false
	}
	if p.free == nil {
		p.free = map[int64][]block{}
	}
	p.free[size] = append(p.free[size], block{at, last})
	p.held += size
	return true
}

// forget is for memory that went with its context.
func (p *pool) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free, p.held = nil, 0
}

// drain gives everything back to the driver, which waits for what uses it; done in the device's context.
func (p *pool) drain() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var problems []error
	for _, list := range p.free {
		for _, b := range list {
			problems = append(problems, cu.MemFree(b.at))
		}
	}
	p.free, p.held = nil, 0
	return errors.Join(problems...)
}

// take is memory from the pool or the driver, and what may still use it; where the driver has none left, what the pool keeps goes first.
func (d *Device) take(size int64) (cu.DevicePtr, *piece, error) {
	if b, ok := d.pool.take(size); ok {
		return b.at, b.last, nil
	}
	at, err := cu.MemAlloc(size)
	if !errors.Is(d.judge(err), device.ErrMemory) {
		return at, nil, err
	}
	if e := d.pool.drain(); e != nil {
		return 0, nil, errors.Join(err, e)
	}
	at, err = cu.MemAlloc(size)
	return at, nil, err
}
