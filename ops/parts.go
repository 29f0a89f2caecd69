package ops

import (
	"iter"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
)

// PlanesOf is the buffer shape of an array: its own, with a leading axis of 2 (real and imaginary plane) when complex.
func PlanesOf(t Type) []int {
	if t.Elem.Complex {
		return append([]int{2}, t.Shape()...)
	}
	return t.Shape()
}

// DimsOf is the part of a region of the buffer of an array that is along its dims.
func (t Type) DimsOf(buf region.Region) region.Region { return buf[len(buf)-len(t.Dims):] }

// Whole is all indices of an array.
func (t Type) Whole() region.Region { return region.Whole(t.Shape()...) }

// Rows is some indices of the first dim with all of the others. A single value has no rows to choose from.
func (t Type) Rows(rows region.Interval) region.Region {
	if len(t.Dims) == 0 {
		return region.Region{}
	}
	return t.Whole().Along(0, rows)
}

// Part is the type of a region of an array.
func (t Type) Part(at region.Region) Type {
	dims := append([]Dim(nil), t.Dims...)
	for i := range dims {
		d := &dims[i]
		d.Size = at[i].Len()
		if d.Coords != nil {
			d.Coords = d.Coords[at[i].Lo:at[i].Hi]
		}
	}
	t.Dims = dims
	return t
}

// runs are where a region of an array lies in memory: so many elements in a row, and where the first of them are.
type runs struct {
	len    int // elements, padding included
	outer  region.Region
	stride []int // of the dims of outer, in elements
	first  int   // of plane 0, where all outer indices are 0
	planes []int // where they begin
}

// runsOf finds them. The padding at an end of a row goes with the element beside it.
func runsOf(buf *ir.Buffer, t Type, at region.Region) runs {
	n := len(t.Dims)
	if n == 0 {
		return runs{len: buf.Cells(), planes: []int{0}}
	}
	stride := make([]int, n)
	all := buf.Row()
	for i := n - 1; i >= 0; i-- {
		if stride[i] = 1; i < n-1 {
			stride[i] = all
			all *= t.Dims[i].Size
		}
	}
	cut := n - 1
	for cut > 0 && at[cut] == (region.Interval{Hi: t.Dims[cut].Size}) {
		cut--
	}
	r := runs{len: at[cut].Len() * stride[cut], first: at[cut].Lo * stride[cut], outer: at[:cut], stride: stride}
	if cut == n-1 {
		r.first += buf.Pad.Before
		if at[cut].Lo == 0 {
			r.first, r.len = 0, r.len+buf.Pad.Before
		}
		if at[cut].Hi == t.Dims[cut].Size {
			r.len += buf.Pad.After
		}
	}
	for plane := range t.Elem.Planes() {
		r.planes = append(r.planes, plane*all)
	}
	return r
}

// RegionBytes is what a region of an array takes in memory, padding included, in so many pieces.
func RegionBytes(buf *ir.Buffer, t Type, at region.Region) (bytes, pieces int64) {
	if at.Empty() {
		return 0, 0
	}
	r := runsOf(buf, t, at)
	pieces = r.outer.Points() * int64(len(r.planes))
	return pieces * int64(r.len*buf.Type.Size()), pieces
}

// ByteRanges yields where a region of an array lies in memory, in ascending order. The padding at an end of a row goes with the
// element beside it.
func ByteRanges(buf *ir.Buffer, t Type, at region.Region) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		if at.Empty() {
			return
		}
		r, size := runsOf(buf, t, at), buf.Type.Size()
		for _, plane := range r.planes {
			for index := range r.outer.Indices() {
				start := plane + r.first
				for d, x := range index {
					start += x * r.stride[d]
				}
				if !yield(start*size, (start+r.len)*size) {
					return
				}
			}
		}
	}
}

// FillPadding gives the padding beside a region of an array its value. It is zero at first.
func FillPadding(buf *ir.Buffer, t Type, at region.Region, data []byte) {
	p, row, size := buf.Pad, buf.Row(), buf.Type.Size()
	if p.Value == 0 || p.Before+p.After == 0 || len(buf.Shape) == 0 {
		return
	}
	fill := func(from, to int) {
		for i := from; i < to; i++ {
			device.SetFloat(buf.Type, data, i, p.Value)
		}
	}
	for from, to := range ByteRanges(buf, t, at) {
		lo, hi := from/size, to/size
		for start := lo / row * row; start < hi; start += row {
			fill(max(lo, start), min(hi, start+p.Before))
			fill(max(lo, start+row-p.After), min(hi, start+row))
		}
	}
}

// Pieces cuts a region of an array of a shape into such as HostArray.Part can show.
func Pieces(at region.Region, shape []int) iter.Seq[region.Region] {
	cut := len(at) - 2
	for cut > 0 && at[cut] == (region.Interval{Hi: shape[cut]}) {
		cut--
	}
	return func(yield func(region.Region) bool) {
		if cut <= 0 {
			yield(at)
			return
		}
		for index := range at[:cut].Indices() {
			if !yield(append(region.Point(index), at[cut:]...)) {
				return
			}
		}
	}
}

// Part is a region of an array as a view of the same memory: what is beside it in a row is padding. It must be one of Pieces.
func (h HostArray) Part(at region.Region) HostArray {
	n := len(at)
	if n == 0 {
		return h
	}
	out := HostArray{Type: h.Type.Part(at), Out: h.Out, Apart: h.apart()}
	buf := *h.Buf
	buf.Shape = PlanesOf(out.Type)
	buf.Pad.Before += at[n-1].Lo
	buf.Pad.After += h.Width() - at[n-1].Hi
	out.Buf = &buf
	first := 0
	for d, i := range at[:n-1] {
		first = first*h.Type.Dims[d].Size + i.Lo
	}
	from := first * h.Stride()
	to := from + (h.Planes()-1)*out.Apart + out.Rows()*h.Stride()
	out.Data = h.Data[from:to:to]
	return out
}

// apart is the bytes from the first plane to the second.
func (h HostArray) apart() int {
	switch {
	case h.Apart != 0:
		return h.Apart
	case len(h.Type.Dims) == 0: // the planes of a single value are the elements of one row
		return h.Buf.Type.Size()
	}
	return h.Rows() * h.Stride()
}
