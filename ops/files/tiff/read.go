package tiff

import (
	"fmt"

	"weft/ops/files/element"
	"weft/ops/files/fileio"
)

// chunk is the bytes read at once from blocks that are not compressed.
const chunk = 256 << 10

// Layout says how elements lie in memory.
type Layout struct {
	DType element.DType // type of the elements in memory; see Conversion
	// RowStride is the bytes between the beginnings of two rows. Zero means that rows follow each other without
	// padding. Padding bytes are left as they are.
	RowStride int
	// NodataAsNaN says that elements which the file marks as missing, by a value or a mask, are NaN in memory, which
	// is then of a float type. Without it they are as they are stored.
	NodataAsNaN bool
}

// Span is the bytes that a rectangle takes up in memory.
func (l Layout) Span(r Rect) int {
	if r.empty() {
		return 0
	}
	return (r.Height()-1)*l.stride(r.Width()) + r.Width()*l.DType.Size()
}

func (l Layout) stride(columns int) int {
	if l.RowStride == 0 {
		return columns * l.DType.Size()
	}
	return l.RowStride
}

// check says why memory does not hold the rectangle in this layout.
func (l Layout) check(memory []byte, r Rect) error {
	if l.NodataAsNaN && l.DType.Valid() && (!l.DType.Float() || !Holds(l.DType)) {
		return fmt.Errorf("%v elements cannot be NaN where data are missing", l.DType)
	}
	return element.CheckRows(memory, l.DType, max(r.Height(), 0), max(r.Width(), 0), l.stride(r.Width()))
}

// Read reads the whole raster into dst, row by row.
func (f *File) Read(dst []byte, as Layout) error {
	return f.ReadTile(dst, as, f.header.Whole())
}

// ReadTile reads a rectangle of the raster into dst, row by row, in this machine's byte order and in the layout's
// element type. dst begins at a multiple of the element size and holds at least as.Span(r) bytes. Only the blocks
// that hold a part of the rectangle are read.
func (f *File) ReadTile(dst []byte, as Layout, r Rect) error { return f.ReadBands(dst, as, 0, 1, r) }

// ReadBands is ReadTile of the bands from one, counted from 0, up to, not including, another, one behind the other.
func (f *File) ReadBands(dst []byte, as Layout, from, to int, r Rect) error {
	if from < 0 || to > max(1, f.header.bandsRead()) {
		return fileio.Wrap(f.name, fileio.CannotRead, fmt.Errorf("bands %d to %d of %d", from, to, f.header.bandsRead()))
	}
	into := make([]*placer, to-from)
	for i := range into {
		start := min(i*as.stride(r.Width())*r.Height(), len(dst))
		var err error
		if into[i], err = f.newPlacer(dst[start:], as, r); err != nil {
			return fileio.Wrap(f.name, fileio.CannotRead, err)
		}
	}
	for i := range into {
		plane, together := from+i, into[i:i+1]
		if f.header.Mixed { // a block holds all of them
			plane, together = 0, into
		}
		for b := range f.header.over(plane, r) {
			if err := f.read(together, from, b, b.area.intersect(r)); err != nil {
				return fileio.Wrap(f.name, fileio.CannotRead, err)
			}
		}
		if f.header.Mixed {
			break
		}
	}
	for _, p := range into {
		if f.mask != nil && as.NodataAsNaN && !r.empty() {
			if err := f.mask.apply(p.dst, as, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// bandsRead is how many bands are read.
func (h *Header) bandsRead() int {
	if h.Band > 0 {
		return 1
	}
	return max(1, h.Bands)
}

// read places the part of a block, of several bands from one on if blocks hold several.
func (f *File) read(into []*placer, from int, b block, part Rect) error {
	if !f.header.whole() {
		return f.readPlain(into[0], b, part)
	}
	unpack := func(dst []byte) error { return f.unpack(b, dst) }
	size, each := f.header.DType.Size(), int(f.header.bytes(b))
	all := each
	if f.header.Mixed {
		all *= f.header.bandsRead()
	}
	return f.cache.With(b.index, all, unpack, func(data []byte) error {
		if f.header.Mixed {
			data = data[from*each:]
		}
		for i, p := range into {
			for y := part.Y0; y < part.Y1; y++ {
				at := i*each + ((y-b.area.Y0)*b.area.Width()+part.X0-b.area.X0)*size
				if err := p.place(y, part.X0, data[at:at+part.Width()*size]); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// readPlain places the part of a block that is in the file as it is: whole rows at a time where much of them is
// wanted, and pieces of rows otherwise.
func (f *File) readPlain(p *placer, b block, part Rect) error {
	size, stored := f.header.DType.Size(), b.area.Width()
	at := f.table[b.index]
	buffer := f.rows.Get().(*[]byte)
	defer f.rows.Put(buffer)
	if at.absent() {
		n := min(part.Width()*size, chunk)
		repeat((*buffer)[:n], f.header.fill())
		return eachPiece(part, n/size, func(y, x, n int) error { return p.place(y, x, (*buffer)[:n*size]) })
	}
	offset := func(y, x int) int64 {
		return at.offset + (int64(y-b.area.Y0)*int64(stored)+int64(x-b.area.X0))*int64(size)
	}
	if rows := chunk / size / stored; rows > 1 && 2*part.Width() >= stored {
		for y := part.Y0; y < part.Y1; y += rows {
			n := min(rows, part.Y1-y)
			data := (*buffer)[:n*stored*size]
			if err := f.source.fill(data, offset(y, b.area.X0)); err != nil {
				return err
			}
			f.header.swap(data)
			for i := range n {
				row := data[(i*stored+part.X0-b.area.X0)*size:]
				if err := p.place(y+i, part.X0, row[:part.Width()*size]); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return eachPiece(part, chunk/size, func(y, x, n int) error {
		data := (*buffer)[:n*size]
		if err := f.source.fill(data, offset(y, x)); err != nil {
			return err
		}
		f.header.swap(data)
		return p.place(y, x, data)
	})
}

// eachPiece visits r row by row in pieces of at most so many elements.
func eachPiece(r Rect, most int, visit func(y, x, n int) error) error {
	for y := r.Y0; y < r.Y1; y++ {
		for x := r.X0; x < r.X1; x += most {
			if err := visit(y, x, min(most, r.X1-x)); err != nil {
				return err
			}
		}
	}
	return nil
}

// placer converts elements of the file and puts them where they belong in memory.
type placer struct {
	dst      []byte
	area     Rect
	from, to element.DType
	stride   int
	convert  element.Convert
	missing  missing // nil where no element can be
	nodata   []byte
}

func (f *File) newPlacer(dst []byte, as Layout, r Rect) (*placer, error) {
	h := &f.header
	if err := r.within(h); err != nil {
		return nil, err
	}
	if err := as.check(dst, r); err != nil {
		return nil, err
	}
	c, err := element.Converter(h.DType, as.DType)
	if err != nil {
		return nil, err
	}
	p := &placer{dst: dst, area: r, from: h.DType, to: as.DType, stride: as.stride(r.Width()), convert: c}
	if nodata, ok := h.nodata(); ok && as.NodataAsNaN {
		p.nodata, p.missing = nodata, missings[h.DType][as.DType]
	}
	return p, nil
}

// place puts elements of the file, in this machine's byte order, from (y, x) of the raster on.
func (p *placer) place(y, x int, src []byte) error {
	n := len(src) / p.from.Size()
	start := (y-p.area.Y0)*p.stride + (x-p.area.X0)*p.to.Size()
	dst := p.dst[start : start+n*p.to.Size()]
	if bad := p.convert(dst, src); bad >= 0 {
		return unfit(y, x+bad, src[bad*p.from.Size():], p.from, p.to)
	}
	if p.missing != nil {
		p.missing(dst, src, p.nodata)
	}
	return nil
}

// unfit names a value, the first in src, that the target type cannot hold.
func unfit(y, x int, src []byte, from, to element.DType) error {
	return &Error{
		Reason: fmt.Sprintf("element [%d, %d] is %s, which %v cannot hold", y, x, element.Text(from, src), to),
		Help:   fmt.Sprintf("keep the raster as %v", from),
	}
}
