package tiff

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"weft/ops/files/tiff/packing"
)

var unpackers = sync.Pool{New: func() any { return new(packing.Unpacker) }}

// unpack fills dst with the elements of a block, in this machine's byte order.
func (f *File) unpack(b block, dst []byte) error {
	p := f.table[b.index]
	if p.absent() {
		repeat(dst, f.header.fill())
		return nil
	}
	in := unpackers.Get().(*packing.Unpacker)
	defer unpackers.Put(in)
	src := io.NewSectionReader(f.source.r, p.offset, p.bytes)
	padding := f.header.blockBytes() - f.header.bytes(b)
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
	f.header.unpredict(dst, b.area.Width())
	return nil
}

// repeat fills dst with copies of an element.
func repeat(dst, element []byte) {
	for n := copy(dst, element); n < len(dst); n *= 2 {
		copy(dst[n:], dst[:n])
	}
}
