package ops

import (
	"iter"
	"sort"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
)

// Format says in which parts the elements of an array lie in memory. That of a sparse matrix, say, has parts for values, for columns, and for
// where rows start. Rows lie one after the other in each part.
type Format interface {
	String() string
	Parts(Type) []Part
	// First is where what belongs to a row of the array begins along the first axis of a part; behind the last row, its extent.
	First(part, row int) int
}

// Part is one buffer of an array, by its role in it.
type Part struct {
	Role  string
	Type  ir.DType
	Shape []int
	Facts ir.Facts
}

// Parts are the buffers of an array of the type. A dense one has a part for each scalar of an element, each as large as the array.
func (t Type) Parts() []Part {
	switch {
	case t.Format != nil:
		return t.Format.Parts(t)
	case t.Elem.Complex:
		return []Part{{Role: "re", Type: t.Elem.Base, Shape: t.Shape()}, {Role: "im", Type: t.Elem.Base, Shape: t.Shape()}}
	}
	return []Part{{Type: t.Elem.Base, Shape: t.Shape()}}
}

// PartName is the name of a part of a named array; of the only one, that of the array.
func PartName(array string, p Part) string {
	if p.Role == "" {
		return array
	}
	return array + "." + p.Role
}

// Buffers lay an array of the type out.
func (t Type) Buffers(name string) []*ir.Buffer {
	parts := t.Parts()
	out := make([]*ir.Buffer, len(parts))
	for i, p := range parts {
		out[i] = &ir.Buffer{Name: PartName(name, p), Type: p.Type, Shape: p.Shape, Facts: p.Facts}
	}
	return out
}

// In is what a part, of a shape, holds of a region of the array; where that is not dense, of all of the region's rows.
func (t Type) In(part int, shape []int, at region.Region) region.Region {
	if t.Format == nil {
		return at
	}
	rows := region.Interval{Lo: t.Format.First(part, at[0].Lo), Hi: t.Format.First(part, at[0].Hi)}
	return region.Whole(shape...).Along(0, rows)
}

// Of is the inverse of In: the least region of the array of which a part holds a region.
func (t Type) Of(part int, at region.Region) region.Region {
	if t.Format == nil {
		return at
	}
	n := t.Dims[0].Size
	lo := sort.Search(n, func(row int) bool { return t.Format.First(part, row+1) > at[0].Lo })
	return t.Rows(region.Interval{Lo: lo, Hi: sort.Search(n, func(row int) bool { return t.Format.First(part, row) >= at[0].Hi })})
}

// BytesOf is what some buffers take.
func BytesOf(bufs []*ir.Buffer) (n int64) {
	for _, b := range bufs {
		n += b.Bytes()
	}
	return n
}

// Parts are the scalars of an element, as they lie in the parts of a dense array.
func (e Elem) Parts() []*ir.Node {
	if e.Im == nil {
		return []*ir.Node{e.Re}
	}
	return []*ir.Node{e.Re, e.Im}
}

// ElemOf is the inverse of Parts.
func ElemOf(parts []*ir.Node) Elem {
	if len(parts) == 1 {
		return Elem{Re: parts[0]}
	}
	return Elem{parts[0], parts[1]}
}

// InPairs is the type of a complex array whose elements are stored with both parts side by side: along a last dim of two.
func (t Type) InPairs() Type {
	t.Elem.Complex = false
	t.Dims = append(t.Dims[:len(t.Dims):len(t.Dims)], Dim{Name: "re_im", Size: 2})
	return t
}

// Whole is all indices of an array.
func (t Type) Whole() region.Region { return region.Whole(t.Shape()...) }

// Rows is some indices of the first dim with all of the others. A single value has no rows to choose from.
func (t Type) Rows(rows region.Interval) region.Region {
	if len(t.Dims) == 0 {
		return region.Region{}
	}
	return t.Whole().Along(0, rows)
}

// Sub is the type of a region of an array.
func (t Type) Sub(at region.Region) Type {
	dims := append([]Dim(nil), t.Dims...)
	for i := range dims {
		d := &dims[i]
		d.Size, d.Count = at[i].Len(), nil
		if d.Coords != nil {
			d.Coords = d.Coords[at[i].Lo:at[i].Hi]
		}
	}
	t.Dims = dims
	return t
}

// RowsOf is some indices of the first axis of a buffer with all of the others; of a single value, that.
func RowsOf(buf *ir.Buffer, rows region.Interval) region.Region {
	if len(buf.Shape) == 0 {
		return region.Region{}
	}
	return region.Whole(buf.Shape...).Along(0, rows)
}

// runs are where a region of a buffer lies in memory: so many elements in a row, and where the first of them are.
type runs struct {
	len    int // elements, padding included
	outer  region.Region
	stride []int // of the axes of outer, in elements
	first  int   // where all outer indices are 0
}

// runsOf finds them. The padding at an end of a row goes with the element beside it.
func runsOf(buf *ir.Buffer, at region.Region) runs {
	n, stride := len(buf.Shape), buf.Strides()
	if n == 0 {
		return runs{len: buf.Cells()}
	}
	cut := n - 1
	for cut > 0 && at[cut] == (region.Interval{Hi: buf.Shape[cut]}) && (cut < n-1 || buf.Held == 0) {
		cut--
	}
	r := runs{len: at[cut].Len() * stride[cut], first: at[cut].Lo * stride[cut], outer: at[:cut], stride: stride}
	if cut == n-1 {
		r.first += buf.Pad.Before
		if at[cut].Lo == 0 {
			r.first, r.len = 0, r.len+buf.Pad.Before
		}
		if at[cut].Hi == buf.Shape[cut] {
			r.len += buf.Pad.After
		}
	}
	return r
}

// RegionBytes is what a region of a buffer takes in memory, padding included, in so many pieces.
func RegionBytes(buf *ir.Buffer, at region.Region) (bytes, pieces int64) {
	if at.Empty() {
		return 0, 0
	}
	if from, to, ok := HeldRows(buf, at); ok {
		return int64(to - from), 1
	}
	r := runsOf(buf, at)
	pieces = r.outer.Points()
	return pieces * int64(r.len*buf.Type.Size()), pieces
}

// HeldRows is where some rows of a buffer lie in memory of which parts are held, as a whole: whatever lies between the parts belongs to none.
func HeldRows(buf *ir.Buffer, at region.Region) (from, to int, ok bool) {
	n := len(at)
	if buf.Held == 0 || at.Empty() || n > 2 && !at[1:n-1].Equal(region.Whole(buf.Shape[1:n-1]...)) {
		return 0, 0, false
	}
	each := buf.Type.Size()
	for _, extent := range buf.Shape[1 : n-1] {
		each *= extent
	}
	first := at[n-1].Lo
	if first > 0 {
		first += buf.Pad.Before
	}
	first *= buf.Type.Size()
	return first + at[0].Lo*each*buf.Held, min(first+at[0].Hi*each*buf.Held, int(buf.Bytes())), true
}

// ByteRanges yields where a region of a buffer lies in memory, in ascending order. The padding at an end of a row goes with the
// element beside it.
func ByteRanges(buf *ir.Buffer, at region.Region) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		if at.Empty() {
			return
		}
		r, size := runsOf(buf, at), buf.Type.Size()
		for index := range r.outer.Indices() {
			start := r.first
			for d, x := range index {
				start += x * r.stride[d]
			}
			if !yield(start*size, (start+r.len)*size) {
				return
			}
		}
	}
}

// FillPadding gives the padding beside a region of a buffer its value.
func FillPadding(buf *ir.Buffer, at region.Region, data []byte) {
	p, last := buf.Pad, len(buf.Shape)-1
	if p.Before+p.After == 0 || last < 0 || at.Empty() {
		return
	}
	stride, width := buf.Strides(), buf.Shape[last]
	fill := func(from, n int) {
		for i := range n {
			device.SetFloat(buf.Type, data, from+i, p.Value)
		}
	}
	for index := range at[:last].Indices() {
		row := 0
		for d, x := range index {
			row += x * stride[d]
		}
		if at[last].Lo == 0 {
			fill(row, p.Before)
		}
		if at[last].Hi == width {
			fill(row+p.Before+width, p.After)
		}
	}
}

// Pieces cuts a region of an array of a shape into such as HostArray.Sub can show.
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

// Cut is a copy of a region.
func (h HostArray) Cut(at region.Region) HostArray {
	out, row := NewHostArray(h.Type.Sub(at)), 0
	for piece := range Pieces(at, h.Type.Shape()) {
		from := h.Sub(piece)
		for i, p := range from.Parts {
			for k := range p.Rows() {
				copy(out.Parts[i].Row(row+k), p.Row(k))
			}
		}
		row += from.Parts[0].Rows()
	}
	return out
}

// Sub is a region of an array in the same memory: what is beside it in a row is padding. It must be one of Pieces. The format, where the array
// is not dense, stays that of the whole.
func (h HostArray) Sub(at region.Region) HostArray {
	out := HostArray{Type: h.Type.Sub(at), Out: h.Out}
	for i, p := range h.Parts {
		out.Parts = append(out.Parts, p.sub(h.Type.In(i, p.Buf.Shape, at)))
	}
	return out
}

func (p HostPart) sub(at region.Region) HostPart {
	n := len(at)
	if n == 0 {
		return p
	}
	buf := *p.Buf
	buf.Shape = at.Shape()
	buf.Pad.Before += at[n-1].Lo
	buf.Pad.After += p.Width() - at[n-1].Hi
	first := 0
	for d, i := range at[:n-1] {
		first = first*p.Buf.Shape[d] + i.Lo
	}
	from := first * p.Stride()
	out := HostPart{Buf: &buf}
	to := from + out.Rows()*p.Stride() + (buf.Padded()-buf.Row())*buf.Type.Size()
	out.Data = p.Data[from:to:to]
	return out
}
