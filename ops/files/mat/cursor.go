package mat

import (
	"bufio"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/words"
)

// Types of data elements, and classes of arrays, by their numbers in files.
const (
	matrixType     = 14
	compressedType = 15

	cellClass, structClass, charClass, sparseClass = 1, 2, 4, 5
)

// stored are the types of elements as they lie in files.
var stored = map[uint32]element.DType{1: element.Int8, 2: element.Uint8, 3: element.Int16, 4: element.Uint16, 5: element.Int32, 6: element.Uint32,
	7: element.Float32, 9: element.Float64, 12: element.Int64, 13: element.Uint64}

// classes are the types of elements that they stand for.
var classes = map[byte]element.DType{6: element.Float64, 7: element.Float32, 8: element.Int8, 9: element.Uint8, 10: element.Int16, 11: element.Uint16,
	12: element.Int32, 13: element.Uint32, 14: element.Int64, 15: element.Uint64}

// damage is what breaks the rules of the format.
func damage(text string, args ...any) error {
	return &fileio.Error{Kind: fileio.BadHeader, Reason: "is damaged: " + fmt.Sprintf(text, args...), Help: "copy or save the file again"}
}

// variable is where one lies in a file.
type variable struct {
	at, size int64
	packed   bool
	order    binary.ByteOrder
}

// cursor goes through the data elements of a variable.
type cursor struct {
	from  io.Reader
	at    int64 // in the stream
	order binary.ByteOrder
}

// open begins at the front of a variable.
func (v variable) open(r io.ReaderAt) (*cursor, error) {
	section := bufio.NewReader(io.NewSectionReader(r, v.at, v.size))
	if !v.packed {
		return &cursor{from: section, order: v.order}, nil
	}
	z, err := zlib.NewReader(section)
	if err != nil {
		return nil, damage("unpacking fails at byte %d: %v", v.at, err)
	}
	return &cursor{from: z, order: v.order}, nil
}

// failed words a failure to read on.
func (c *cursor) failed(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &fileio.Error{Kind: fileio.Cut, Reason: "ends within a variable", Help: "copy or save the file again"}
	}
	return damage("unpacking fails: %v", err)
}

func (c *cursor) skip(n int64) error {
	skipped, err := io.CopyN(io.Discard, c.from, n)
	if c.at += skipped; err != nil {
		return c.failed(err)
	}
	return nil
}

// atOnce is the bytes for which memory is taken before it is known that there are so many.
const atOnce = 1 << 20

// bytes reads n bytes.
func (c *cursor) bytes(n int64) ([]byte, error) {
	out := words.Bytes(int(min(n, atOnce)))
	for have := 0; ; {
		got, err := io.ReadFull(c.from, out[have:])
		if c.at += int64(got); err != nil {
			return nil, c.failed(err)
		}
		if have = len(out); int64(have) == n {
			return out, nil
		}
		more := words.Bytes(int(min(n, 2*int64(have))))
		copy(more, out)
		out = more
	}
}

// data is a data element: its type, where its bytes lie in the stream, how many they are, and how many follow to the next element.
type data struct {
	kind     uint32
	at, size int64
	fill     int64
}

// next reads the tag of a data element and stands at its bytes. At the end of the stream there is none.
func (c *cursor) next() (d data, err error) {
	tag, err := c.bytes(4)
	if err != nil {
		return d, err
	}
	d.kind = c.order.Uint32(tag)
	if small := d.kind >> 16; small != 0 { // of four bytes at most, in the tag
		if d.kind, d.size, d.at = d.kind&0xffff, int64(small), c.at; d.size > 4 {
			return d, damage("a tag of %d bytes", d.size)
		}
		d.fill = 4 - d.size
		return d, nil
	}
	if tag, err = c.bytes(4); err != nil {
		return d, err
	}
	d.size, d.at = int64(c.order.Uint32(tag)), c.at
	if d.kind != compressedType {
		d.fill = -d.size & 7
	}
	return d, nil
}

// over passes the bytes of a data element.
func (c *cursor) over(d data) error { return c.skip(d.at + d.size + d.fill - c.at) }

// mostHead bounds what is read of a variable to find its arrays: names, extents.
const mostHead = 1 << 20

// read gives the bytes of a data element that is expected to have one of some types, and passes it.
func (c *cursor) read(what string, types ...uint32) ([]byte, error) {
	d, err := c.next()
	if err != nil {
		return nil, err
	}
	fits := false
	for _, t := range types {
		fits = fits || t == d.kind
	}
	if !fits || d.size > mostHead {
		return nil, damage("%s of type %d and %d bytes", what, d.kind, d.size)
	}
	b, err := c.bytes(d.size)
	if err != nil {
		return nil, err
	}
	return b, c.over(d)
}
