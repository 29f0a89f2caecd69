package hdf5

import (
	"math"

	"weft/kernels/region"
)

// layout is where the elements of a dataset are.
type layout struct {
	kind    int
	not     string
	at      uint64
	bytes   int64
	inside  []byte // elements that are beside the description
	chunk   []int
	index   int // how chunks are found
	page    int // bits of how many are in a page of a fixed array
	single  place
	packing []filter
	fill    []byte // an element that no chunk holds; nil: 0
	flags   int
	missing bool // no elements were ever written
}

// The ways elements lie, and those chunks are found by.
const (
	compactLayout    = 0
	contiguousLayout = 1
	chunkedLayout    = 2

	treeIndex     = 0 // of version 1
	singleIndex   = 1
	implicitIndex = 2
	fixedIndex    = 3
)

// filter is what packs chunks.
type filter struct {
	id     int
	values []int
}

// The filters that are read.
const (
	deflateFilter  = 1
	shuffleFilter  = 2
	fletcherFilter = 3
)

// mostChunk bounds the bytes of a chunk.
const mostChunk = 1 << 30

// read reads where elements are.
func (l *layout) read(c *cursor) {
	version := c.int(1)
	switch version {
	case 1, 2:
		l.oldLayout(c)
		return
	case 3, 4:
	default:
		l.not = "has a layout that is not read"
		return
	}
	switch l.kind = c.int(1); l.kind {
	case compactLayout:
		l.inside = c.bytes(c.int(2))
	case contiguousLayout:
		l.at, l.bytes = c.address(), int64(c.length())
	case chunkedLayout:
		if version == 4 {
			l.newChunks(c)
			return
		}
		rank := c.int(1)
		l.at = c.address()
		l.extents(c, rank, 4)
	default:
		l.not = "lies in other files"
	}
}

func (l *layout) extents(c *cursor, rank, wide int) {
	c.check(rank > 0 && rank <= mostDims+1, "chunks of %d dimensions", rank)
	for range rank {
		n := c.int(wide)
		c.check(n > 0 && n <= mostChunk, "chunks of %d elements", n)
		l.chunk = append(l.chunk, n)
	}
}

func (l *layout) oldLayout(c *cursor) {
	rank := c.int(1)
	l.kind = c.int(1)
	c.skip(5)
	if l.kind != compactLayout {
		l.at = c.address()
	}
	l.bytes = -1
	if l.kind == chunkedLayout {
		l.extents(c, rank, 4)
		return
	}
	c.skip(4 * rank)
	if l.kind == compactLayout {
		l.inside = c.bytes(c.int(4))
	}
}

func (l *layout) newChunks(c *cursor) {
	l.flags = c.int(1)
	rank := c.int(1)
	l.extents(c, rank, c.int(1))
	switch l.index = c.int(1); l.index {
	case singleIndex:
		l.single.bytes = -1
		if l.flags&2 != 0 {
			l.single.bytes, l.single.skipped = int64(c.length()), c.int(4)
		}
	case implicitIndex:
	case fixedIndex:
		l.page = c.int(1)
	default:
		l.not = "finds its chunks by an index that is not read (write it by h5repack --high 1)"
		return
	}
	l.at = c.address()
}

// filters reads what packs chunks.
func (l *layout) filters(c *cursor) {
	version, n := c.int(1), c.int(1)
	c.check(n <= 32, "%d filters", n)
	if version == 1 {
		c.skip(6)
	}
	for range n {
		f := filter{id: c.int(2)}
		name := 0
		if version == 1 || f.id >= 256 {
			name = c.int(2)
		}
		c.skip(2)
		values := c.int(2)
		if version == 1 {
			name = (name + 7) &^ 7
		}
		c.skip(name)
		for range values {
			f.values = append(f.values, c.int(4))
			if c.err != nil {
				return
			}
		}
		if version == 1 && values%2 == 1 {
			c.skip(4)
		}
		if f.id < deflateFilter || f.id > fletcherFilter {
			l.not = "is packed by a filter that is not read: " + filterName(f.id)
		}
		l.packing = append(l.packing, f)
	}
}

func filterName(id int) string {
	for _, known := range []struct {
		id   int
		name string
	}{{4, "szip"}, {5, "nbit"}, {6, "scale and offset"}, {32000, "LZF"}, {32001, "Blosc"}, {32004, "LZ4"}, {32015, "Zstandard"}, {32008, "bitshuffle"}} {
		if known.id == id {
			return known.name
		}
	}
	return "none that is known"
}

// filled reads what elements are that were never written.
func (l *layout) filled(c *cursor, kind int) {
	if kind == oldFillMessage {
		if n := c.int(4); c.err == nil && l.fill == nil && n > 0 {
			l.fill = c.bytes(n)
		}
		return
	}
	version := c.int(1)
	defined := true
	if version < 3 {
		c.skip(2)
		defined = c.int(1) != 0 || version == 1
	} else {
		defined = c.int(1)&0x20 != 0
	}
	if defined {
		l.fill = c.bytes(c.int(4))
	}
}

// place is where a chunk is. Filters of the bits skipped did nothing to it.
type place struct {
	addr    uint64
	bytes   int64
	skipped int
}

// check finds layouts that cannot be.
func (l *layout) check(f *file, d *Dataset, elements int64) error {
	total, err := elementsIn(elements, d.size)
	if err != nil {
		return err
	}
	if len(l.fill) != d.size {
		l.fill = nil // none
	}
	switch l.kind {
	case compactLayout:
		if int64(len(l.inside)) < total {
			return damage("%d bytes for %d elements", len(l.inside), elements)
		}
	case contiguousLayout:
		if l.missing = f.undefined(l.at); l.missing {
			return nil
		}
		if l.bytes >= 0 && l.bytes < total || l.at > math.MaxInt64 || int64(l.at) > f.size-f.base-total {
			return cut("%d bytes for %d elements", l.bytes, elements)
		}
	case chunkedLayout:
		l.chunk = l.chunk[:len(l.chunk)-1] // the last one is the bytes of an element
		if len(l.chunk) != len(d.Shape) {
			return damage("chunks of %d dimensions of an array of %d", len(l.chunk), len(d.Shape))
		}
		bytes := int64(d.size)
		for _, n := range l.chunk {
			if bytes *= int64(n); bytes > mostChunk {
				return damage("chunks of more than %d bytes", mostChunk)
			}
		}
		l.missing = f.undefined(l.at)
	}
	return nil
}

// box is the part of the array that a chunk covers.
func (l *layout) box(at, shape []int) region.Region {
	r := make(region.Region, len(at))
	for k, i := range at {
		r[k] = region.Interval{Lo: i * l.chunk[k], Hi: min((i+1)*l.chunk[k], shape[k])}
	}
	return r
}
