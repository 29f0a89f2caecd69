package npy

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"weft/ops/files/element"
	"weft/ops/files/fileio"
)

// Frames reads arrays that lie one behind another in NPY form, as numpy.save writes them to a socket or a pipe.
type Frames struct {
	name string
	r    *bufio.Reader
	read int
	body []byte
}

// longestHeader is that of frames: NumPy itself refuses headers above 10,000 characters.
const longestHeader = 16 << 10

// NewFrames reads from r, called name in errors.
func NewFrames(name string, r io.Reader) *Frames {
	return &Frames{name: name, r: bufio.NewReaderSize(r, longestHeader)}
}

// Next reads the next array, if fits has nothing against its header: what lies behind that is read then. It is valid until the next call.
// io.EOF says that there is none; what ends within an array is an error.
func (f *Frames) Next(fits func(Header) error) (*File, error) {
	start, err := f.r.Peek(12)
	if err == io.EOF && len(start) == 0 {
		return nil, io.EOF
	}
	if err != nil && err != io.EOF {
		return nil, fileio.Wrap(f.name, fileio.CannotRead, err)
	}
	f.read++
	name := fmt.Sprintf("%s, array %d", f.name, f.read)
	bytesOf := len(start)
	if len(start) == 12 && strings.HasPrefix(string(start), magic) { // others are refused by what they begin with
		bytesOf = 10 + int(binary.LittleEndian.Uint16(start[8:]))
		if start[6] != 1 {
			bytesOf = 12 + int(min(binary.LittleEndian.Uint32(start[8:]), longestHeader))
		}
		bytesOf = min(bytesOf, longestHeader)
	}
	header, err := f.r.Peek(bytesOf)
	if err != nil && err != io.EOF {
		return nil, fileio.Wrap(name, fileio.CannotRead, err)
	}
	h, err := headerAt(bytes.NewReader(header), int64(len(header)))
	if err != nil {
		return nil, fileio.Wrap(name, fileio.CannotRead, err)
	}
	if err := fits(h); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if _, err := f.r.Discard(int(h.DataOffset)); err != nil {
		return nil, fileio.Wrap(name, fileio.CannotRead, err)
	}
	size := int(h.Bytes())
	f.body = slices.Grow(f.body[:0], size)[:size]
	if n, err := io.ReadFull(f.r, f.body); err != nil {
		if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
			err = &Error{Kind: fileio.Cut, Reason: fmt.Sprintf("ends within the array: %v of %v has %d bytes, and %d came", element.Shape(h.Shape), h.DType, len(f.body), n)}
		}
		return nil, fileio.Wrap(name, fileio.CannotRead, err)
	}
	h.DataOffset = 0
	return &File{header: h, name: name, source: bytes.NewReader(f.body)}, nil
}

// FrameHeader is what stands before the elements of each of the arrays that Frames reads, in C order and this machine's byte order.
func FrameHeader(d element.DType, shape []int) ([]byte, error) {
	h, err := newHeader(d, shape)
	if err != nil {
		return nil, err
	}
	return h.encode(), nil
}

// Growing is an NPY file whose first axis grows with each of the equal arrays that are written to it.
type Growing struct {
	*fileio.Pending
	header Header
	room   int // bytes of the header
	count  int
}

// mostFrames is the longest axis that there is room for.
const mostFrames = 1 << 62

// CreateGrowing starts a file of arrays of a type and shape. Each is written, and then counted by Grown.
func CreateGrowing(path string, d element.DType, shape []int) (*Growing, error) {
	h, err := newHeader(d, append([]int{0}, shape...))
	if err != nil {
		return nil, fileio.Wrap(path, cannotWrite, err)
	}
	p, err := fileio.Create(path)
	if err != nil {
		return nil, err
	}
	g := &Growing{Pending: p, header: h}
	g.header.Shape[0] = mostFrames
	g.room = len(g.header.encode())
	if _, err := p.Write(make([]byte, g.room)); err != nil {
		return nil, errors.Join(err, p.Abort())
	}
	return g, nil
}

// Grown says that one more array is written.
func (g *Growing) Grown() { g.count++ }

// Len is how many there are.
func (g *Growing) Len() int { return g.count }

// Commit writes how many arrays there are, and gives the file its name.
func (g *Growing) Commit(durable bool) error {
	g.header.Shape[0] = g.count
	if _, err := g.WriteAt(encodeHeaderIn(g.room, g.header.descr(), g.header.Shape), 0); err != nil {
		return errors.Join(err, g.Abort())
	}
	return g.Pending.Commit(durable)
}
