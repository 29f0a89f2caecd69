package ops

import (
	"fmt"
	"iter"
	"unsafe"

	"weft/kernels/device"
	"weft/kernels/ir"
)

// NewHostArray makes a zeroed array in host memory, stored without padding in the type's own base type.
func NewHostArray(t Type) HostArray {
	return NewHostArrayIn(t, &ir.Buffer{Type: t.Elem.Base, Shape: PlanesOf(t)})
}

// NewHostArrayIn is NewHostArray with the storage and padding of buf, whose shape must be PlanesOf(t).
func NewHostArrayIn(t Type, buf *ir.Buffer) HostArray {
	words := make([]uint64, (buf.Bytes()+7)/8+1) // aligned for every element type, and never empty
	data := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*8)
	return HostArray{Type: t, Buf: buf, Data: data[:buf.Bytes()]}
}

// Planes is 2 for complex arrays, 1 for real ones.
func (h HostArray) Planes() int { return h.Type.Elem.Planes() }

// Width is the number of elements in a row: the size of the last dimension; 1 for a single value.
func (h HostArray) Width() int {
	if n := len(h.Type.Dims); n > 0 {
		return h.Type.Dims[n-1].Size
	}
	return 1
}

// Rows is the number of rows in a plane.
func (h HostArray) Rows() int {
	if h.Width() == 0 {
		return 0
	}
	return h.Type.Len() / h.Width()
}

// Stride is the bytes from one row to the next.
func (h HostArray) Stride() int { return h.Buf.Row() * h.Buf.Type.Size() }

// Offset is the bytes of padding before the first element.
func (h HostArray) Offset() int { return h.before() * h.Buf.Type.Size() }

// Row is the bytes of one row of one plane without its padding.
func (h HostArray) Row(plane, row int) []byte {
	size := h.Buf.Type.Size()
	start := plane*h.apart() + row*h.Stride() + h.before()*size
	return h.Data[start : start+h.Width()*size : start+h.Width()*size]
}

func (h HostArray) before() int {
	if len(h.Buf.Shape) == 0 {
		return 0
	}
	return h.Buf.Pad.Before
}

// LoadRow widens a row to float64, into dst of Width elements.
func (h HostArray) LoadRow(dst []float64, plane, row int) {
	device.Load(h.Buf.Type, dst, h.Row(plane, row))
}

// StoreRow narrows src, of Width elements, into a row. Floats round to nearest even; values must fit integer types.
func (h HostArray) StoreRow(plane, row int, src []float64) {
	device.Store(h.Buf.Type, h.Row(plane, row), src)
}

// LoadRange widens consecutive elements of a plane, counted in C order from the given one, to float64.
func (h HostArray) LoadRange(dst []float64, plane, from int) {
	h.pieces(len(dst), plane, from, func(done int, b []byte) {
		device.Load(h.Buf.Type, dst[done:done+len(b)/h.Buf.Type.Size()], b)
	})
}

// StoreRange narrows src into consecutive elements of a plane; see StoreRow.
func (h HostArray) StoreRange(plane, from int, src []float64) {
	h.pieces(len(src), plane, from, func(done int, b []byte) {
		device.Store(h.Buf.Type, b, src[done:done+len(b)/h.Buf.Type.Size()])
	})
}

// pieces cuts n consecutive elements into parts of rows.
func (h HostArray) pieces(n, plane, from int, visit func(done int, b []byte)) {
	w, size := h.Width(), h.Buf.Type.Size()
	for done := 0; done < n; {
		row, column := (from+done)/w, (from+done)%w
		k := min(w-column, n-done)
		visit(done, h.Row(plane, row)[column*size:(column+k)*size])
		done += k
	}
}

// Float64Rows yields the rows of a plane in order; the slice is reused.
func (h HostArray) Float64Rows(plane int) iter.Seq2[int, []float64] {
	return func(yield func(int, []float64) bool) {
		row := make([]float64, h.Width())
		for r := range h.Rows() {
			h.LoadRow(row, plane, r)
			if !yield(r, row) {
				return
			}
		}
	}
}

// Float32Rows is Float64Rows in float32; rows stored as f32 are not copied.
func (h HostArray) Float32Rows(plane int) iter.Seq2[int, []float32] {
	return func(yield func(int, []float32) bool) {
		narrow := make([]float32, h.Width())
		wide := make([]float64, h.Width())
		for r := range h.Rows() {
			row := narrow
			if h.Buf.Type == ir.F32 {
				row = device.View[float32](h.Row(plane, r), ir.F32)
			} else {
				h.LoadRow(wide, plane, r)
				for i, v := range wide {
					narrow[i] = float32(v)
				}
			}
			if !yield(r, row) {
				return
			}
		}
	}
}

// Complex64Rows yields the rows of a complex array in order, the parts joined; the slice is reused.
func (h HostArray) Complex64Rows() iter.Seq2[int, []complex64] {
	return joinRows(h, func(re, im float64) complex64 { return complex(float32(re), float32(im)) })
}

// Complex128Rows is Complex64Rows in complex128.
func (h HostArray) Complex128Rows() iter.Seq2[int, []complex128] {
	return joinRows(h, func(re, im float64) complex128 { return complex(re, im) })
}

func joinRows[C complex64 | complex128](h HostArray, join func(re, im float64) C) iter.Seq2[int, []C] {
	return func(yield func(int, []C) bool) {
		out := make([]C, h.Width())
		im := make([]float64, h.Width())
		for r, re := range h.Float64Rows(0) {
			if h.Planes() == 2 {
				h.LoadRow(im, 1, r)
			}
			for i := range out {
				out[i] = join(re[i], im[i])
			}
			if !yield(r, out) {
				return
			}
		}
	}
}

// Float is the real part of element i, counted in C order.
func (h HostArray) Float(i int) float64 { return h.at(0, i) }

// Complex is element i, counted in C order.
func (h HostArray) Complex(i int) complex128 {
	if h.Planes() == 1 {
		return complex(h.at(0, i), 0)
	}
	return complex(h.at(0, i), h.at(1, i))
}

func (h HostArray) at(plane, i int) float64 {
	size := h.Buf.Type.Size()
	row := h.Row(plane, i/h.Width())
	var v [1]float64
	device.Load(h.Buf.Type, v[:], row[i%h.Width()*size:][:size])
	return v[0]
}

// Dense copies the array to float64.
func (h HostArray) Dense() Dense {
	d := Dense{Shape: h.Type.Shape(), Re: make([]float64, h.Type.Len())}
	if h.Planes() == 2 {
		d.Im = make([]float64, h.Type.Len())
	}
	w := h.Width()
	for plane, part := range [][]float64{d.Re, d.Im} {
		if part == nil {
			continue
		}
		for r := range h.Rows() {
			h.LoadRow(part[r*w:(r+1)*w], plane, r)
		}
	}
	return d
}

// SetDense stores d, whose number of elements must be the array's; a missing imaginary part counts as zero.
func (h HostArray) SetDense(d Dense) error {
	if len(d.Re) != h.Type.Len() || d.Im != nil && (len(d.Im) != len(d.Re) || h.Planes() == 1) {
		return fmt.Errorf("%d real and %d imaginary values do not make %s", len(d.Re), len(d.Im), h.Type)
	}
	w := h.Width()
	zeros := make([]float64, w)
	for r := range h.Rows() {
		h.StoreRow(0, r, d.Re[r*w:(r+1)*w])
		if h.Planes() == 2 {
			im := zeros
			if d.Im != nil {
				im = d.Im[r*w : (r+1)*w]
			}
			h.StoreRow(1, r, im)
		}
	}
	return nil
}
