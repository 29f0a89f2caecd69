package npy

import (
	"fmt"
	"slices"

	"weft/kernels/region"
	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/words"
)

// chunk is the bytes read at once when elements are converted on the way.
const chunk = 256 << 10

// Read reads the whole array into dst in C order.
func (f *File) Read(dst []byte, as Layout) error {
	return f.ReadTile(dst, as, region.Whole(f.header.Shape...))
}

// ReadTile reads part of the array into dst in C order, in this machine's byte order and in the layout's element
// type. dst begins at a multiple of the element size (8 for complex128) and holds at least as.Span(t.Shape()) bytes.
// Reading slab after slab needs no memory but dst and 256 KiB, except for files in Fortran order where no memory mapping is
// possible: those are read whole on first use.
func (f *File) ReadTile(dst []byte, as Layout, t region.Region) error {
	h := &f.header
	if err := inside(t, h.Shape); err != nil {
		return fileio.Wrap(f.name, fileio.CannotRead, err)
	}
	p, err := newPlacer(dst, as, t, f)
	if err != nil {
		return fileio.Wrap(f.name, fileio.CannotRead, err)
	}
	read := f.readC
	if h.Fortran && transposed(h.Shape) {
		read = f.readFortran
	}
	if err := read(p, t); err != nil {
		return fileio.Wrap(f.name, fileio.CannotRead, err)
	}
	return nil
}

// transposed says whether C and Fortran order differ: they do not when at most one axis is longer than 1.
func transposed(shape []int) bool {
	long := 0
	for _, n := range shape {
		if n > 1 {
			long++
		}
	}
	return long > 1
}

func (f *File) readC(p *placer, t region.Region) error {
	size := f.header.DType.Size()
	for r := range runs(t, f.header.Shape) {
		offset := f.header.DataOffset + int64(r.inArray)*int64(size)
		if p.direct() {
			part := p.dst[r.inTile*size : (r.inTile+r.n)*size]
			if err := readFull(f.source, part, offset); err != nil {
				return err
			}
			words.Swap(part, p.swap)
			continue
		}
		for done := 0; done < r.n; {
			elements := min(r.n-done, chunk/size)
			scratch := p.scratch(elements)
			if err := readFull(f.source, scratch, offset+int64(done*size)); err != nil {
				return err
			}
			if err := p.place(r.inTile+done, scratch); err != nil {
				return err
			}
			done += elements
		}
	}
	return nil
}

// placer converts elements of the file and puts them into their rows in memory.
type placer struct {
	dst     []byte
	tile    region.Region
	from    element.DType
	to      element.DType
	swap    int // bytes of the words to reverse, or 0
	convert element.Convert
	columns int // elements in a row
	stride  int // bytes from row to row in dst
	buffer  []byte
}

func newPlacer(dst []byte, as Layout, t region.Region, f *File) (*placer, error) {
	from := f.header.DType
	rows, columns := rowsOf(t.Shape())
	if err := element.CheckRows(dst, as.DType, rows, columns, as.stride(columns)); err != nil {
		return nil, err
	}
	c, err := element.Converter(from, as.DType)
	if err != nil {
		return nil, err
	}
	p := &placer{dst: dst, tile: t, from: from, to: as.DType, convert: c, columns: columns, stride: as.stride(columns)}
	if f.swapped() {
		p.swap = from.Word()
	}
	if p.stride == columns*as.DType.Size() { // no padding: one long row
		p.columns *= rows
	}
	return p, nil
}

// direct says whether the file's bytes can be read into dst where they belong.
func (p *placer) direct() bool {
	_, columns := rowsOf(p.tile.Shape())
	return p.from == p.to && p.from != element.Bool && p.stride == columns*p.to.Size()
}

// scratch is a buffer for elements of the file, reused.
func (p *placer) scratch(elements int) []byte {
	n := elements * p.from.Size()
	if len(p.buffer) < n {
		p.buffer = words.Bytes(n)
	}
	return p.buffer[:n]
}

// place puts elements as they are in the file at a place of the tile counted in C order. It may change src.
func (p *placer) place(at int, src []byte) error {
	words.Swap(src, p.swap)
	fromSize, toSize := p.from.Size(), p.to.Size()
	for len(src) > 0 {
		row, column := at/p.columns, at%p.columns
		n := min(p.columns-column, len(src)/fromSize)
		start := row*p.stride + column*toSize
		part := src[:n*fromSize]
		if bad := p.convert(p.dst[start:start+n*toSize], part); bad >= 0 {
			return unfit(p.tile, at+bad, part[bad*fromSize:], p.from, p.to)
		}
		at, src = at+n, src[n*fromSize:]
	}
	return nil
}

// unfit names a value, the first in src, that the target type cannot hold. at is its place in the tile in C order.
func unfit(t region.Region, at int, src []byte, from, to element.DType) error {
	index := make([]int, len(t.Shape()))
	for i, n := range slices.Backward(t.Shape()) {
		index[i] = t[i].Lo + at%n
		at /= n
	}
	return &Error{
		Kind:   fileio.Unfit,
		Reason: fmt.Sprintf("element %v is %s, which %v cannot hold", index, element.Text(from, src), to),
		Help:   fmt.Sprintf("keep the array as %v", from),
	}
}
