package interp

import (
	"fmt"

	"weft/kernels/device"
	"weft/kernels/ir"
)

// IndexError is a load or a store outside of a buffer: an error of whoever made the kernel.
type IndexError struct {
	Kernel string
	Buffer string
	Index  []int64
	Shape  []int
	Store  bool
}

func (e *IndexError) Error() string {
	what := "load from"
	if e.Store {
		what = "store to"
	}
	return fmt.Sprintf("kernel %s: %s %s at %v, which has shape %v", e.Kernel, what, e.Buffer, e.Index, e.Shape)
}

// locate is the position of an element, or -1 after setting m.err.
func (m *machine) locate(b *binding, index []register, store bool) int {
	at := b.origin
	for d, r := range index {
		v := m.i[r]
		if uint64(v) >= uint64(b.shape[d]) {
			m.err = m.indexError(b, index, store)
			return -1
		}
		at += int(v) * b.stride[d]
	}
	return at
}

func (m *machine) indexError(b *binding, index []register, store bool) error {
	e := &IndexError{Kernel: m.program.kernel.Name, Buffer: b.buf.Name, Shape: b.shape, Store: store}
	for _, r := range index {
		e.Index = append(e.Index, m.i[r])
	}
	return e
}

func (m *machine) loadF(in *instruction) bool {
	l := &m.program.loads[in.a]
	if l.guarded && m.i[l.guard] == 0 {
		m.f[in.d] = m.f[l.other]
		return true
	}
	b := &m.buffers[l.buf]
	at := m.locate(b, l.index, false)
	switch {
	case at < 0:
		return false
	case b.f32 != nil:
		m.f[in.d] = float64(b.f32[at])
	case b.f64 != nil:
		m.f[in.d] = b.f64[at]
	case b.host != nil && b.round == nil:
		m.f[in.d] = b.host[at]
	case b.host != nil:
		m.f[in.d] = b.round(b.host[at])
	default:
		m.f[in.d] = device.Float(b.buf.Type, b.mem, at)
	}
	return true
}

func (m *machine) loadI(in *instruction) bool {
	l := &m.program.loads[in.a]
	if l.guarded && m.i[l.guard] == 0 {
		m.i[in.d] = m.i[l.other]
		return true
	}
	b := &m.buffers[l.buf]
	at := m.locate(b, l.index, false)
	switch {
	case at < 0:
		return false
	case b.host != nil:
		m.i[in.d] = int64(b.round(b.host[at]))
	default:
		m.i[in.d] = device.Int(b.buf.Type, b.mem, at)
	}
	return true
}

// store writes one store's value where its guard holds.
func (m *machine) store(s *store) bool {
	if s.guarded && m.i[s.guard] == 0 {
		return true
	}
	b := &m.buffers[s.buf]
	at := m.locate(b, s.index, true)
	if at < 0 {
		return false
	}
	v, w := m.f[s.value], m.i[s.value]
	switch {
	case s.adds && !s.float:
		w += device.Int(b.buf.Type, b.mem, at)
	case s.adds && b.buf.Type.Compute() == ir.F32:
		v = float64(float32(v + device.Float(b.buf.Type, b.mem, at)))
	case s.adds:
		v += device.Float(b.buf.Type, b.mem, at)
	}
	if s.float {
		device.SetFloat(b.buf.Type, b.mem, at, v)
	} else {
		device.SetInt(b.buf.Type, b.mem, at, w)
	}
	return true
}
