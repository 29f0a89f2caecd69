package native

import (
	"sync"

	"weft/kernels/device"
	"weft/kernels/ir"
)

// scratch is the memory that launches need for themselves. It stays for those that follow, of whatever kernel: the first touch of new
// pages would take a tenth of a short launch.
var scratch pool

// pool is memory that nobody uses at the moment: no more than were in use at once.
type pool struct {
	mu    sync.Mutex
	spare []*device.HostMemory
}

// take is memory of so many bytes at least, which begins at a cache line and holds anything.
func (p *pool) take(bytes int) (*device.HostMemory, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.spare); n > 0 {
		m := p.spare[n-1]
		p.spare = p.spare[:n-1]
		if len(m.Host()) >= bytes {
			return m, nil
		}
		m.Free()
	}
	return device.NewHostMemory(&ir.Buffer{Name: "scratch", Type: ir.U8, Shape: []int{bytes}})
}

// give gives it back.
func (p *pool) give(m *device.HostMemory) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spare = append(p.spare, m)
}
