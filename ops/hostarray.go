package ops

import (
	"fmt"
	"iter"
	"unsafe"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
)

// HostArray is a computed array in host memory, part by part as its type says.
type HostArray struct {
	Type  Type
	Parts []HostPart
	Out   int // which output of its operator it is
}

// HostPart is a buffer in host memory.
type HostPart struct {
	Buf  *ir.Buffer
	Data []byte
}

// NewHostArray makes a zeroed array in host memory, stored without padding in the type's own base type.
func NewHostArray(t Type) HostArray { return NewHostArrayIn(t, t.Buffers("")) }

// NewHostArrayIn is NewHostArray with the storage and padding of some buffers, one for each part.
func NewHostArrayIn(t Type, bufs []*ir.Buffer) HostArray {
	h := HostArray{Type: t}
	for _, b := range bufs {
		words := make([]uint64, (b.Bytes()+7)/8+1) // aligned for every element type, and never empty
		data := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*8)
		h.Parts = append(h.Parts, HostPart{b, data[:b.Bytes()]})
	}
	return h
}

// Width is the number of elements in a row: the extent of the last axis; 1 for a single value.
func (p HostPart) Width() int {
	if n := len(p.Buf.Shape); n > 0 {
		return p.Buf.Shape[n-1]
	}
	return 1
}

// Rows is the number of rows.
func (p HostPart) Rows() int {
	if p.Width() == 0 {
		return 0
	}
	return p.Buf.Len() / p.Width()
}

// Stride is the bytes from one row to the next.
func (p HostPart) Stride() int { return p.Buf.Row() * p.Buf.Type.Size() }

// Offset is the bytes of padding before the first element.
func (p HostPart) Offset() int {
	if len(p.Buf.Shape) == 0 {
		return 0
	}
	return p.Buf.Pad.Before * p.Buf.Type.Size()
}

// Row is the bytes of one row without its padding.
func (p HostPart) Row(row int) []byte {
	start := row*p.Stride() + p.Offset()
	end := start + p.Width()*p.Buf.Type.Size()
	return p.Data[start:end:end]
}

// Together is all elements, where they lie one after the other.
func (p HostPart) Together() (data []byte, ok bool) {
	bytes := p.Buf.Len() * p.Buf.Type.Size()
	if p.Stride() != p.Width()*p.Buf.Type.Size() {
		return nil, false
	}
	return p.Data[p.Offset() : p.Offset()+bytes], true
}

// LoadRow widens a row to float64, into dst of Width elements.
func (p HostPart) LoadRow(dst []float64, row int) { device.Load(p.Buf.Type, dst, p.Row(row)) }

// StoreRow narrows src, of Width elements, into a row. Floats round to nearest even; values must fit integer types.
func (p HostPart) StoreRow(row int, src []float64) { device.Store(p.Buf.Type, p.Row(row), src) }

// Load widens consecutive elements, counted in C order from the given one, to float64.
func (p HostPart) Load(dst []float64, from int) {
	p.pieces(len(dst), from, func(done int, b []byte) {
		device.Load(p.Buf.Type, dst[done:done+len(b)/p.Buf.Type.Size()], b)
	})
}

// Store narrows src into consecutive elements; see StoreRow.
func (p HostPart) Store(from int, src []float64) {
	p.pieces(len(src), from, func(done int, b []byte) {
		device.Store(p.Buf.Type, b, src[done:done+len(b)/p.Buf.Type.Size()])
	})
}

// pieces cuts n consecutive elements into parts of rows.
func (p HostPart) pieces(n, from int, visit func(done int, b []byte)) {
	w, size := p.Width(), p.Buf.Type.Size()
	if all, ok := p.Together(); ok {
		visit(0, all[from*size:(from+n)*size])
		return
	}
	for done := 0; done < n; {
		row, column := (from+done)/w, (from+done)%w
		k := min(w-column, n-done)
		visit(done, p.Row(row)[column*size:(column+k)*size])
		done += k
	}
}

// StorePairs stores consecutive elements of a complex array, counted in C order from the given one, whose parts lie side by side in the array's
// own type.
func (h HostArray) StorePairs(from int, pairs []byte) {
	for i, p := range h.Parts {
		size := p.Buf.Type.Size()
		p.pieces(len(pairs)/(2*size), from, func(done int, b []byte) {
			in := pairs[(2*done+i)*size:]
			switch size {
			case 4:
				for k := range len(b) / 4 {
					*(*[4]byte)(b[4*k:]) = *(*[4]byte)(in[8*k:])
				}
			default:
				for k := range len(b) / size {
					copy(b[k*size:(k+1)*size], in[2*k*size:])
				}
			}
		})
	}
}

// Values yields the rows in order, in float64; the slice is reused.
func (p HostPart) Values() iter.Seq[[]float64] {
	return func(yield func([]float64) bool) {
		row := make([]float64, p.Width())
		for r := range p.Rows() {
			p.LoadRow(row, r)
			if !yield(row) {
				return
			}
		}
	}
}

// Element is the bytes of element i, counted in C order.
func (p HostPart) Element(i int) []byte {
	w, size := p.Width(), p.Buf.Type.Size()
	return p.Row(i / w)[i%w*size:][:size]
}

// CopyFrom takes the elements of an array that lies in rows of the same lengths.
func (h HostArray) CopyFrom(from HostArray) {
	for k, part := range h.Parts {
		for row := range part.Rows() {
			copy(part.Row(row), from.Parts[k].Row(row))
		}
	}
}

// LoadBox widens the elements of a box of a real array, in C order, to float64.
func (h HostArray) LoadBox(box region.Region, to []float64) {
	for piece := range Pieces(box, h.Type.Shape()) {
		n := piece.Points()
		h.Sub(piece).Parts[0].Load(to[:n], 0)
		to = to[n:]
	}
}

// StoreBox narrows values into the elements of a box of a real array, in C order.
func (h HostArray) StoreBox(box region.Region, from []float64) {
	for piece := range Pieces(box, h.Type.Shape()) {
		n := piece.Points()
		h.Sub(piece).Parts[0].Store(0, from[:n])
		from = from[n:]
	}
}

// Float is element i of the first part, counted in C order: of a complex array, its real part.
func (h HostArray) Float(i int) float64 { return real(h.Complex(i)) }

// Complex is element i of a dense array, counted in C order.
func (h HostArray) Complex(i int) complex128 {
	var v [2]float64
	for n, p := range h.Parts {
		device.Load(p.Buf.Type, v[n:n+1], p.Element(i))
	}
	return complex(v[0], v[1])
}

// Dense copies a dense array to float64.
func (h HostArray) Dense() Dense {
	d := Dense{Shape: h.Type.Shape()}
	for i, v := range []*[]float64{&d.Re, &d.Im}[:len(h.Parts)] {
		*v = make([]float64, h.Type.Len())
		h.Parts[i].Load(*v, 0)
	}
	return d
}

// SetDense stores d, whose number of elements must be the array's; a missing imaginary part counts as zero.
func (h HostArray) SetDense(d Dense) error {
	if len(d.Re) != h.Type.Len() || d.Im != nil && (len(d.Im) != len(d.Re) || len(h.Parts) == 1) {
		return fmt.Errorf("%d real and %d imaginary values do not make %s", len(d.Re), len(d.Im), h.Type)
	}
	if d.Im == nil {
		d.Im = make([]float64, len(d.Re))
	}
	for i, v := range [][]float64{d.Re, d.Im}[:len(h.Parts)] {
		h.Parts[i].Store(0, v)
	}
	return nil
}
