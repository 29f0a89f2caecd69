package native

import (
	"sync"

	"weft/kernels/device"
	"weft/kernels/ir"
)

// scratch is the memory that launches need for themselves. It stays for those that follow, of whatever kernel: the first touch of new
// pages would take a tenth of a short launch.
var scratch = newPool()

// pool is memory that nobody uses at the moment: no more than were in use at once.
type pool struct {
	mu    sync.Mutex
	given sync.Cond // some was given back
	spare []*device.HostMemory
	used  int   // blocks in use
	held  int64 // bytes of these and of spare ones
}

func newPool() *pool {
	p := new(pool)
	p.given.L = &p.mu
	return p
}

// take is memory of so many bytes at least, which begins at a cache line and holds anything. Where all would then be more than most (0: any), it waits until
// others give theirs back: as many launches run at once as there is memory for, and one in any case.
func (p *pool) take(bytes int, most int64) (*device.HostMemory, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		if m, err := p.find(bytes, most); m != nil || err != nil {
			return m, err
		}
		p.given.Wait()
	}
}

// spared is take for what can do without: where it would wait, it is nil.
func (p *pool) spared(bytes int, most int64) (*device.HostMemory, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.find(bytes, most)
}

func (p *pool) find(bytes int, most int64) (m *device.HostMemory, err error) {
	need := paged(bytes)
	for n := len(p.spare); n > 0; n = len(p.spare) {
		m, p.spare = p.spare[n-1], p.spare[:n-1]
		if len(m.Host()) >= bytes {
			p.used++
			return m, nil
		}
		p.held -= paged(len(m.Host()))
		m.Free()
		if most == 0 || p.held+need <= most {
			break
		}
	}
	if most > 0 && p.used > 0 && p.held+need > most {
		return nil, nil
	}
	if m, err = device.NewHostMemory(&ir.Buffer{Name: "scratch", Type: ir.U8, Shape: []int{bytes}}); err == nil {
		p.used++
		p.held += need
	}
	return m, err
}

// give gives it back.
func (p *pool) give(m *device.HostMemory) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spare = append(p.spare, m)
	p.used--
	p.given.Broadcast()
}

// paged is what so many bytes take in memory: of huge pages, if they fill one.
func paged(bytes int) int64 {
	if n := int64(bytes) + pageEnds; n >= device.HugePage {
		return (n + device.HugePage - 1) / device.HugePage * device.HugePage
	}
	return int64(bytes)
}

// pageEnds are the margins of scratch memory.
const pageEnds = 2 * device.Margin

// each is what one of so many launches at once may take for itself of what all may: whole huge pages, since that is what more than one takes.
func each(all int64, launches int) int64 {
	if all == 0 {
		return 0
	}
	return max(1, all/int64(max(1, launches))/device.HugePage)*device.HugePage - pageEnds
}
