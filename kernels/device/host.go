package device

import (
	"fmt"
	"sync"

	"weft/kernels/ir"
)

// Margin is how many elements beyond a buffer's ends may be read.
const Margin = 64

// HugePage is the size of a huge page where there are any; memory of fewer bytes than one does without.
const HugePage = 2 << 20

// MarginBytes is what may be read beyond one end of a buffer.
func MarginBytes(b *ir.Buffer) int { return Margin * b.Type.Size() }

// HostMemory is memory of a device that computes on the host: outside the Go heap, so that native code may keep its address,
// zeroed, its first byte on a multiple of 64, with readable margins.
type HostMemory struct {
	buf   *ir.Buffer
	data  []byte
	pages []byte // all of it, margins included
	ends  []int  // within pages, of those that were moved there together: the system may refuse to move what goes beyond one
	once  sync.Once
}

// NewHostMemory allocates buf: zero elements, padding set to Pad.Value. It fails if there is not enough memory, and on a
// buffer with a negative extent.
func NewHostMemory(buf *ir.Buffer) (*HostMemory, error) {
	m, err := Reserve(buf)
	if err == nil {
		m.fillPadding()
	}
	return m, err
}

// Reserve is NewHostMemory with padding of zeros: nothing is touched, so that the system gives memory to what is used only.
func Reserve(buf *ir.Buffer) (*HostMemory, error) {
	bytes, err := hostBytes(buf)
	if err != nil {
		return nil, err
	}
	margin := MarginBytes(buf) // a multiple of 64 bytes, so the data stay aligned
	pages, err := allocate(bytes + 2*margin)
	if err != nil {
		return nil, fmt.Errorf("no memory for buffer %s %v of %s, %d bytes: %w", buf.Name, buf.Shape, buf.Type, bytes, err)
	}
	return &HostMemory{buf: buf, data: pages[margin : margin+bytes : margin+bytes], pages: pages}, nil
}

// hostBytes is the size of a buffer, checked to be one that an address can hold.
func hostBytes(buf *ir.Buffer) (int, error) {
	const most = 1 << 46
	n := int64(buf.Type.Size())
	row := buf.Pad.Before + buf.Pad.After
	for d, s := range buf.Shape {
		if d == len(buf.Shape)-1 {
			s += row
		}
		if s < 0 || buf.Pad.Before < 0 || buf.Pad.After < 0 {
			return 0, fmt.Errorf("buffer %s %v with padding %d, %d: extents cannot be negative", buf.Name, buf.Shape, buf.Pad.Before, buf.Pad.After)
		}
		if d == len(buf.Shape)-1 && buf.Held > 0 {
			s = buf.Held
		}
		if s > 0 && n > most/int64(s) {
			return 0, fmt.Errorf("buffer %s %v of %s: more than %d TiB", buf.Name, buf.Shape, buf.Type, most>>40)
		}
		n *= int64(s)
	}
	if n > 0 {
		n += int64(buf.Padded()-buf.Row()) * int64(buf.Type.Size())
	}
	return int(n), nil
}

// Host is all elements with padding.
func (m *HostMemory) Host() []byte { return m.data }

// Buffer is what the memory was allocated for.
func (m *HostMemory) Buffer() *ir.Buffer { return m.buf }

// Free gives the memory back; later calls do nothing. Views of it must not be used any more.
func (m *HostMemory) Free() {
	m.once.Do(func() {
		if err := unmap(m.pages); err != nil {
			panic(fmt.Sprintf("device: freeing buffer %s: %v", m.buf.Name, err))
		}
		m.data, m.pages = nil, nil
	})
}

// fillPadding sets the padding of every row; zero is there already.
func (m *HostMemory) fillPadding() {
	b := m.buf
	if b.Pad.Value == 0 || b.Pad.Before+b.Pad.After == 0 || len(b.Shape) == 0 {
		return
	}
	for row := 0; row < b.Cells(); row += b.Row() {
		for i := range b.Pad.Before {
			SetFloat(b.Type, m.data, row+i, b.Pad.Value)
		}
		for i := b.Row() - b.Pad.After; i < b.Row(); i++ {
			SetFloat(b.Type, m.data, row+i, b.Pad.Value)
		}
	}
}

// clearPadding sets the padding of every row to zero.
func (m *HostMemory) clearPadding() {
	size, end := m.buf.Type.Size(), 0
	Rows(m.buf, func(_, cell, n int) {
		clear(m.data[end*size : cell*size])
		end = cell + n
	})
	clear(m.data[end*size:])
}

// Rows calls f for each innermost row of a buffer: the position among elements without padding, the position in memory
// where the row's own elements start, and how many they are.
func Rows(b *ir.Buffer, f func(packed, cell, n int)) {
	if len(b.Shape) == 0 {
		f(0, 0, 1)
		return
	}
	n := b.Shape[len(b.Shape)-1]
	if n == 0 {
		return
	}
	for packed, cell := 0, b.Pad.Before; packed < b.Len(); packed, cell = packed+n, cell+b.Row() {
		f(packed, cell, n)
	}
}

// CopyIn copies elements in C order without padding to memory laid out as b; src must hold b.Len() elements.
func CopyIn(b *ir.Buffer, host, src []byte) {
	s := b.Type.Size()
	Rows(b, func(packed, cell, n int) { copy(host[cell*s:(cell+n)*s], src[packed*s:]) })
}

// CopyOut is the inverse of CopyIn.
func CopyOut(b *ir.Buffer, dst, host []byte) {
	s := b.Type.Size()
	Rows(b, func(packed, cell, n int) { copy(dst[packed*s:(packed+n)*s], host[cell*s:]) })
}

// SetFloats converts values in C order without padding into memory laid out as b.
func SetFloats(b *ir.Buffer, host []byte, v []float64) {
	set := codecs[b.Type].setF
	Rows(b, func(packed, cell, n int) {
		for i := range n {
			set(host, cell+i, v[packed+i])
		}
	})
}

// Floats are the elements of memory laid out as b, in C order without padding, as float64.
func Floats(b *ir.Buffer, host []byte) []float64 {
	out := make([]float64, b.Len())
	get := codecs[b.Type].float
	Rows(b, func(packed, cell, n int) {
		for i := range n {
			out[packed+i] = get(host, cell+i)
		}
	})
	return out
}
