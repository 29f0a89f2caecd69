package fleet

import (
	"weft/kernels/ir"
	"weft/kernels/region"
)

// Move is memory on the host that a buffer has from now on, which another of its kind may have had.
type Move struct {
	From, To *ir.Buffer // nil From: replicas hold nothing of it
	Blank    bool       // what is there is worth nothing: it is about to be stored
}

// Move has replicas go along with the memory on the host of which they are, all at once, as buffers may change places; so does what the host lacks of it, if Job.Gone says that
// it is not made again. What devices held else of these buffers is given up. Array is Job.Array of what moved.
func (f *Fleet) Move(moves []Move, array func(*ir.Buffer) (Array, error)) {
	if f == nil {
		return
	}
	f.moveApart(moves, array)
	for _, m := range f.members {
		for _, r := range m.move(moves) {
			r.mem.Free()
		}
	}
}

func (f *Fleet) moveApart(moves []Move, array func(*ir.Buffer) (Array, error)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	held := map[*ir.Buffer]*apart{}
	for _, v := range moves {
		for _, b := range []*ir.Buffer{v.From, v.To} {
			if e := f.aparts[b]; e != nil {
				held[b] = e
				delete(f.aparts, b)
			}
		}
	}
	for _, v := range moves {
		if e := held[v.From]; e != nil && !v.Blank && e.made[0].job.Gone != nil {
			e.buf, e.array = v.To, array
			f.aparts[v.To] = e
		}
	}
}

// move gives what goes along to its new buffers, and takes the others away.
func (m *Member) move(moves []Move) (left map[*ir.Buffer]*replica) {
	m.mu.Lock()
	defer m.mu.Unlock()
	left = map[*ir.Buffer]*replica{}
	for _, v := range moves {
		for _, b := range []*ir.Buffer{v.From, v.To} {
			if r := m.replicas[b]; r != nil {
				left[b] = r
				delete(m.replicas, b)
			}
		}
	}
	for _, v := range moves {
		r := left[v.From]
		if r == nil {
			continue
		}
		delete(left, v.From)
		if v.Blank {
			r.forget(region.Whole(v.To.Shape...))
			r.stale = true
		}
		m.replicas[v.To] = r
	}
	return left
}
