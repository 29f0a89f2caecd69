package npy

import (
	"fmt"

	"weft/kernels/region"
	"weft/ops/files/words"
)

// packer collects elements from padded rows in memory and converts them to the type of a file.
type packer struct {
	src     []byte
	tile    region.Region
	from    DType
	to      DType
	convert convert
	columns int // elements in a row
	stride  int // bytes from row to row in src
	buffer  []byte
}

func newPacker(src []byte, from Layout, t region.Region, to DType) (*packer, error) {
	c, err := from.check(src, t, from.DType, to)
	if err != nil {
		return nil, err
	}
	rows, columns := rowsOf(t.Shape())
	p := &packer{src: src, tile: t, from: from.DType, to: to, convert: c, columns: columns, stride: from.stride(columns)}
	if p.stride == columns*p.from.Size() {
		p.columns *= rows
	}
	return p, nil
}

// pack gives up to n elements from a place of the tile counted in C order, as bytes of the file.
// They are valid until the next call.
func (p *packer) pack(at, n int) ([]byte, error) {
	fromSize, toSize := p.from.Size(), p.to.Size()
	if p.from == p.to && p.from != Bool {
		row, column := at/p.columns, at%p.columns
		if whole := min(n, p.columns-column); whole*fromSize >= chunk || whole == n {
			start := row*p.stride + column*fromSize
			return p.src[start : start+whole*fromSize], nil
		}
	}
	n = min(n, chunk/toSize)
	if len(p.buffer) < n*toSize {
		p.buffer = words.Bytes(n * toSize)
	}
	for done := 0; done < n; {
		row, column := (at+done)/p.columns, (at+done)%p.columns
		part := min(n-done, p.columns-column)
		start := row*p.stride + column*fromSize
		from := p.src[start : start+part*fromSize]
		if bad := p.convert(p.buffer[done*toSize:(done+part)*toSize], from); bad >= 0 {
			return nil, unfit(p.tile, at+done+bad, from[bad*fromSize:], p.from, p.to)
		}
		done += part
	}
	return p.buffer[:n*toSize], nil
}

// check finds the conversion between the layout's elements and a file's, and makes sure that memory holds the tile.
func (l Layout) check(memory []byte, t region.Region, from, to DType) (convert, error) {
	if !l.DType.Valid() {
		return nil, fmt.Errorf("no element type in memory: %v", l.DType)
	}
	c, err := converter(from, to)
	if err != nil {
		return nil, err
	}
	_, columns := rowsOf(t.Shape())
	size := l.DType.Size()
	switch stride := l.stride(columns); {
	case stride < columns*size || stride%min(size, 8) != 0:
		return nil, fmt.Errorf("a row stride of %d bytes does not fit rows of %d %v", stride, columns, l.DType)
	case !l.spans(t.Shape(), len(memory)):
		return nil, fmt.Errorf("a tile of %v %v with rows %d bytes apart does not fit %d bytes of memory", Shape(t.Shape()), l.DType, stride, len(memory))
	case !words.Aligned(memory, size):
		return nil, fmt.Errorf("the memory is not aligned for %v", l.DType)
	}
	return c, nil
}

// spans says whether a tile fits n bytes, without overflow for any stride.
func (l Layout) spans(extent []int, n int) bool {
	rows, columns := rowsOf(extent)
	if rows == 0 || columns == 0 {
		return true
	}
	stride := l.stride(columns)
	return columns <= n/l.DType.Size() && rows-1 <= (n-columns*l.DType.Size())/stride
}
