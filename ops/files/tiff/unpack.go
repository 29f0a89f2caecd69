package tiff

import (
	"bufio"
	"compress/zlib"
	"errors"
	"fmt"
	"io"

	"weft/ops/files/words"
)

// input is what unpacking needs besides the block, reused.
type input struct {
	stream *bufio.Reader
	zlib   io.ReadCloser // also a zlib.Resetter
	packed []byte
	// padding is how many bytes more than the block's a stream may hold: some writers fill up the last strip.
	padding int64
}

// unpackers fill a block from its bytes in the file.
var unpackers = map[Compression]func(in *input, dst []byte, src *io.SectionReader) error{
	Deflate: (*input).inflate,
	LZW:     (*input).lzw,
}

// unpack fills dst with the elements of a block, in this machine's byte order.
func (f *File) unpack(b block, dst []byte) error {
	p := f.table[b.index]
	if p.absent() {
		repeat(dst, f.header.fill())
		return nil
	}
	in := f.inputs.Get().(*input)
	defer f.inputs.Put(in)
	src := io.NewSectionReader(f.source.r, p.offset, p.bytes)
	in.padding = f.header.blockBytes() - f.header.bytes(b)
	if err := unpackers[f.header.Compression](in, dst, src); err != nil {
		var known *Error
		if errors.As(err, &known) {
			return err
		}
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

// inflate reads a zlib stream to its end, so that zlib compares the checksum.
func (in *input) inflate(dst []byte, src *io.SectionReader) error {
	if in.stream == nil {
		in.stream = bufio.NewReaderSize(src, 32<<10)
	}
	in.stream.Reset(src)
	var err error
	if in.zlib == nil {
		in.zlib, err = zlib.NewReader(in.stream)
	} else {
		err = in.zlib.(zlib.Resetter).Reset(in.stream, nil)
	}
	if err != nil {
		in.zlib = nil
		return unexpected(err)
	}
	n, err := io.ReadFull(in.zlib, dst)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return short(n, len(dst))
	}
	if err != nil {
		return err
	}
	switch more, err := io.CopyN(io.Discard, in.zlib, in.padding+1); {
	case err == nil:
		return overlong(len(dst) + int(more-1))
	case err != io.EOF:
		return unexpected(err)
	}
	return nil
}

func overlong(want int) error {
	return fmt.Errorf("its bytes unpack to more than the %d expected", want)
}

// unexpected words an end of file in the middle of a stream.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("its bytes end too early")
	}
	return err
}

// lzw reads no more than what dst can need: a code per byte of 12 bits each, and a few clears.
func (in *input) lzw(dst []byte, src *io.SectionReader) error {
	n := min(src.Size(), 2*int64(len(dst))+64)
	in.packed = words.Resized(in.packed, int(n))
	if _, err := io.ReadFull(src, in.packed); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return &Error{Reason: shortened}
		}
		return err
	}
	return unpackLZW(dst, in.packed, in.padding > 0)
}
