package packing

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"weft/ops/files/words"
)

// Unpacker unpacks blocks. What it needs besides is used again.
type Unpacker struct {
	stream  *bufio.Reader
	zlib    io.ReadCloser // also a zlib.Resetter
	zstd    *zstd.Decoder
	packed  []byte
	padding int64
}

// Unpack fills a block from its bytes in the file, of which some writers have so many more: they fill up the last strip.
func (in *Unpacker) Unpack(m Method, dst []byte, src *io.SectionReader, padding int64) error {
	in.padding = padding
	return unpackers[m](in, dst, src)
}

var unpackers = map[Method]func(in *Unpacker, dst []byte, src *io.SectionReader) error{
	Deflate:   (*Unpacker).inflate,
	LZW:       (*Unpacker).lzw,
	PackBits:  (*Unpacker).packBits,
	Zstandard: (*Unpacker).zstandard,
}

// inflate reads a zlib stream to its end, so that zlib compares the checksum.
func (in *Unpacker) inflate(dst []byte, src *io.SectionReader) error {
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
	return in.exactly(in.zlib, dst)
}

// widest is how far back a stream may refer: what decoders take unless they are told otherwise.
const widest = 128 << 20

func (in *Unpacker) zstandard(dst []byte, src *io.SectionReader) (err error) {
	if in.zstd == nil {
		in.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(widest))
		if err != nil {
			return err
		}
	}
	if err := in.zstd.Reset(src); err != nil {
		return unexpected(err)
	}
	return in.exactly(in.zstd, dst)
}

// exactly fills dst from a stream that ends there, so that checksums are compared.
func (in *Unpacker) exactly(stream io.Reader, dst []byte) error {
	n, err := io.ReadFull(stream, dst)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return short(n, len(dst))
	}
	if err != nil {
		return err
	}
	switch more, err := io.CopyN(io.Discard, stream, in.padding+1); {
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

// read gives the bytes of a block, but no more than so many.
func (in *Unpacker) read(src *io.SectionReader, most int64) ([]byte, error) {
	in.packed = words.Resized(in.packed, int(min(src.Size(), most)))
	_, err := io.ReadFull(src, in.packed)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, ErrShortened
	}
	return in.packed, err
}

// lzw reads no more than what dst can need: a code per byte of 12 bits each, and a few clears.
func (in *Unpacker) lzw(dst []byte, src *io.SectionReader) error {
	packed, err := in.read(src, 2*int64(len(dst))+64)
	if err != nil {
		return err
	}
	return unpackLZW(dst, packed, in.padding > 0)
}

// packBits reads runs, as TIFF 6.0 section 9 has them: a count below 128 is of that many bytes and one more that follow, one above it of as
// many times the next byte as 257 has more, and 128 is nothing. No byte needs more than two.
func (in *Unpacker) packBits(dst []byte, src *io.SectionReader) error {
	packed, err := in.read(src, 2*(int64(len(dst))+in.padding)+64)
	if err != nil {
		return err
	}
	want := len(dst)
	for len(dst) > 0 {
		if len(packed) < 2 {
			return short(want-len(dst), want)
		}
		switch n := int(packed[0]); {
		case n < 128:
			run := packed[1:min(n+2, len(packed))]
			if len(run) > len(dst) && in.padding == 0 {
				return overlong(want)
			}
			dst, packed = dst[copy(dst, run):], packed[1+len(run):]
		case n > 128:
			n = 257 - n
			if n > len(dst) && in.padding == 0 {
				return overlong(want)
			}
			n = min(n, len(dst))
			for i := range dst[:n] {
				dst[i] = packed[1]
			}
			dst, packed = dst[n:], packed[2:]
		default:
			packed = packed[1:]
		}
	}
	if in.padding == 0 && len(packed) > 1 {
		return overlong(want)
	}
	return nil
}
