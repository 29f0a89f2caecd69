package tiff

import (
	"fmt"

	"weft/ops/files/words"
)

const (
	// MaxBlock is the most bytes that a compressed block may have when unpacked: it has to be held in memory whole.
	MaxBlock = 1 << 30
	// slack is what a block may unpack to however few bytes it has.
	slack = 4 << 10
)

// readTable reads where the blocks are, and compares the bytes of each with the file and with what they are to hold.
func readTable(d directory, h *Header) ([]place, error) {
	offsetsTag, countsTag := tagStripOffsets, tagStripByteCounts
	if h.Tiled {
		offsetsTag, countsTag = tagTileOffsets, tagTileByteCounts
		if !d.has(tagTileOffsets) { // libtiff takes these too
			offsetsTag, countsTag = tagStripOffsets, tagStripByteCounts
		}
	}
	if !d.has(offsetsTag) {
		return nil, &Error{Reason: fmt.Sprintf("is damaged: it lacks %v", offsetsTag), Help: "copy or write the file again"}
	}
	full := h.blockBytes()
	if full < 0 || h.whole() && full > MaxBlock/h.together() {
		return nil, &Error{
			Reason: fmt.Sprintf("has blocks of %d x %d %v that are compressed or hold several bands; at most %d bytes are unpacked at once", h.BlockH, h.BlockW, h.DType, MaxBlock),
			Help:   rewrite,
		}
	}
	first, count := int64(0), h.blocks() // of what is read
	if h.Band > 0 && !h.Mixed {
		first = int64(h.Band-1) * count
	}
	offsets, err := d.ints(offsetsTag, first+count)
	if err != nil {
		return nil, err
	}
	var counts []int64
	if d.has(countsTag) {
		counts, err = d.ints(countsTag, first+count)
	} else if h.Compression != None {
		err = &Error{Reason: fmt.Sprintf("is damaged: it lacks %v", countsTag), Help: "copy or write the file again"}
	}
	if err != nil {
		return nil, err
	}
	table := make([]place, count)
	for i := range table {
		need := h.bytes(h.block(i)) * h.together()
		table[i] = place{offsets[first+int64(i)], need}
		if counts != nil {
			table[i].bytes = counts[first+int64(i)]
		}
		if err := table[i].check(d.container, h, i, need); err != nil {
			return nil, err
		}
	}
	return table, nil
}

// whole reports whether blocks are held in memory whole before their elements are placed.
func (h *Header) whole() bool { return h.Compression != None || h.Mixed }

// check says why a block cannot hold what it should.
func (p place) check(c *container, h *Header, i int, need int64) error {
	if p.absent() {
		return nil
	}
	kind := "strip"
	if h.Tiled {
		kind = "tile"
	}
	damaged := func(format string, args ...any) error {
		return &Error{
			Reason: fmt.Sprintf("is truncated or damaged: %s %d %s", kind, i, fmt.Sprintf(format, args...)),
			Help:   "copy or write the file again",
		}
	}
	switch {
	case !c.holds(p.offset, p.bytes):
		return damaged("would take %d bytes at %d, the file has %d", p.bytes, p.offset, c.size)
	case h.Compression == None && p.bytes < need:
		return damaged("has %d bytes, %d expected", p.bytes, need)
	case h.Compression != None && (need-slack)/h.Compression.Densest() > p.bytes:
		return damaged("has %d bytes, which cannot unpack to %d", p.bytes, need)
	}
	return nil
}

// absent says whether the block was never written, as GDAL does for sparse files.
func (p place) absent() bool { return p.offset == 0 || p.bytes == 0 }

// fill is the element of blocks that were never written.
func (h *Header) fill() []byte {
	if element, ok := h.nodata(); ok {
		return element
	}
	return words.Bytes(h.DType.Size())
}
