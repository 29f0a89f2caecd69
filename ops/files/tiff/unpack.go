package tiff

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"weft/ops/files/tiff/packing"
	"weft/ops/files/words"
)

var unpackers = sync.Pool{New: func() any { return new(packing.Unpacker) }}

// unpack fills dst with the elements of a block, in this machine's byte order; band behind band where it holds several of those that are read.
func (f *File) unpack(b block, dst []byte) error {
	p := f.table[b.index]
	if p.absent() {
		repeat(dst, f.header.fill())
		return nil
	}
	if !f.header.Mixed {
		return f.unpackAll(p, b, dst)
	}
	n := f.header.bandsRead()
	all := words.Bytes(len(dst) / n * int(f.header.together()))
	if err := f.unpackAll(p, b, all); err != nil {
		return err
	}
	// Both predictors work on each band of a row by itself: that of floats on bytes, the other on elements.
	size := f.header.DType.Size()
	if f.header.Predictor == FloatingPoint {
		size = 1
	}
	apart, each := size*f.header.Bands, len(dst)/n
	for i := range n {
		from := (max(1, f.header.Band) - 1 + i) * size
		for to := i * each; to < (i+1)*each; to, from = to+size, from+apart {
			copy(dst[to:to+size], all[from:])
		}
	}
	f.header.unpredict(dst, b.area.Width())
	return nil
}

// unpackAll fills dst with all that is in a block; of one band in this machine's byte order.
func (f *File) unpackAll(p place, b block, dst []byte) error {
	if f.header.Compression == None {
		return f.source.fill(dst, p.offset)
	}
	in := unpackers.Get().(*packing.Unpacker)
	defer unpackers.Put(in)
	src := io.NewSectionReader(f.source.r, p.offset, p.bytes)
	padding := (f.header.blockBytes() - f.header.bytes(b)) * f.header.together()
	switch err := in.Unpack(f.header.Compression, dst, src, padding); {
	case errors.Is(err, packing.ErrOldLZW), errors.Is(err, packing.ErrShortened):
		return &Error{Reason: err.Error(), Help: rewrite}
	case err != nil:
		return &Error{
			Reason: fmt.Sprintf("is damaged: the block of %v at %d cannot be unpacked: %v", b.area, p.offset, err),
			Help:   "copy or write the file again",
			Err:    err,
		}
	}
	if !f.header.Mixed {
		f.header.unpredict(dst, b.area.Width())
	}
	return nil
}

// repeat fills dst with copies of an element.
func repeat(dst, element []byte) {
	for n := copy(dst, element); n < len(dst); n *= 2 {
		copy(dst[n:], dst[:n])
	}
}
