package hdf5

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"weft/ops/files/fileio"
)

// Signature is what a file begins with, behind what a program may have put before it.
const Signature = "\x89HDF\r\n\x1a\n"

// Limits of what describes arrays: beyond them it is damage, or meant to harm.
const (
	mostMeta    = 64 << 20 // bytes that are read at once
	mostObjects = 100_000
	deepest     = 64
	mostDims    = 32
	mostUser    = 1 << 26 // bytes before the signature
)

// file is an open file, whose addresses count from base.
type file struct {
	r           io.ReaderAt
	size, base  int64
	wide, long  int // bytes of addresses and of lengths
	root        uint64
	collections map[uint64]map[uint64][]byte // of texts and lists, by address and number
}

// undefined reports the address of nothing.
func (f *file) undefined(addr uint64) bool { return addr == math.MaxUint64>>(64-8*f.wide) }

func damage(format string, args ...any) error {
	return &fileio.Error{Kind: fileio.BadHeader, Reason: "is damaged: " + fmt.Sprintf(format, args...), Help: "copy or write the file again"}
}

func unread(format string, args ...any) error {
	return &fileio.Error{Kind: fileio.BadType, Reason: fmt.Sprintf(format, args...), Help: "write it again without that, e.g. by h5repack"}
}

// cut is a file that is shorter than it says.
func cut(format string, args ...any) error {
	return &fileio.Error{Kind: fileio.Cut, Reason: "is cut short or damaged: " + fmt.Sprintf(format, args...), Help: "copy or write the file again"}
}

// begin finds the superblock.
func begin(r io.ReaderAt, size int64) (*file, error) {
	f := &file{r: r, size: size, collections: map[uint64]map[uint64][]byte{}}
	mark := make([]byte, len(Signature))
	for at := int64(0); at+int64(len(mark)) <= min(size, mostUser); at = max(512, 2*at) {
		if _, err := r.ReadAt(mark, at); err != nil {
			return nil, err
		}
		if string(mark) == Signature {
			f.base = at
			return f, f.superblock()
		}
	}
	return nil, &fileio.Error{Kind: fileio.Foreign, Reason: "is not an HDF5 file"}
}

func (f *file) superblock() error {
	head, err := f.read(0, 16)
	if err != nil {
		return err
	}
	version := head[8]
	at := map[byte]uint64{0: 24, 1: 28, 2: 12, 3: 12}[version]
	if at == 0 {
		return unread("is an HDF5 file of version %d, and versions 0 to 3 are read", version)
	}
	sizes := head[13:15]
	if version >= 2 {
		sizes = head[9:11]
	}
	for i, into := range []*int{&f.wide, &f.long} {
		if *into = int(sizes[i]); *into != 2 && *into != 4 && *into != 8 {
			return damage("numbers of %d bytes", *into)
		}
	}
	c, err := f.cursor(at, 6*f.wide)
	if err != nil {
		return err
	}
	c.skip(2 * f.wide) // where addresses begin, which is where the mark was found, and what is free or behind the superblock
	end := c.uint(f.wide)
	if version < 2 {
		c.skip(2 * f.wide) // drivers, and the name of the root
	}
	f.root = c.uint(f.wide)
	if c.err == nil && end > uint64(f.size) {
		return cut("it has %d bytes of %d", f.size, end)
	}
	return c.err
}

// read gives bytes at an address.
func (f *file) read(addr uint64, n int) ([]byte, error) {
	if n < 0 || n > mostMeta {
		return nil, damage("%d bytes of description", n)
	}
	if addr > uint64(f.size) || int64(addr) > f.size-f.base-int64(n) {
		return nil, cut("%d bytes at %d are not there", n, addr)
	}
	b := make([]byte, n)
	_, err := f.r.ReadAt(b, f.base+int64(addr))
	if errors.Is(err, io.EOF) {
		err = nil // what is read ends with the file
	}
	return b, err
}

// cursor reads numbers one after the other.
type cursor struct {
	b   []byte
	f   *file
	err error
}

func (f *file) cursor(addr uint64, n int) (*cursor, error) {
	b, err := f.read(addr, n)
	return &cursor{b: b, f: f, err: err}, err
}

// within is a cursor over the next bytes.
func (c *cursor) within(n int) *cursor { return &cursor{b: c.bytes(n), f: c.f, err: c.err} }

func (c *cursor) bytes(n int) []byte {
	if c.err == nil && (n < 0 || n > len(c.b)) {
		c.err = damage("a description ends too early")
	}
	if c.err != nil {
		return nil
	}
	b := c.b[:n]
	c.b = c.b[n:]
	return b
}

func (c *cursor) skip(n int) { c.bytes(n) }

// uint is a number of up to 8 bytes.
func (c *cursor) uint(n int) uint64 {
	var all [8]byte
	if n < 0 || n > 8 {
		c.bytes(-1)
		return 0
	}
	copy(all[:], c.bytes(n))
	return binary.LittleEndian.Uint64(all[:])
}

func (c *cursor) int(n int) int        { return int(c.uint(n) & math.MaxInt64) }
func (c *cursor) address() uint64      { return c.uint(c.f.wide) }
func (c *cursor) length() int          { return int(c.uint(c.f.long) & math.MaxInt64) }
func (c *cursor) mark(want string)     { c.is(string(c.bytes(len(want))) == want, "no "+want) }
func (c *cursor) is(ok bool, s string) { c.check(ok, "%s", s) }

func (c *cursor) check(ok bool, format string, args ...any) {
	if c.err == nil && !ok {
		c.err = damage(format, args...)
	}
}

// text is one that ends in a zero.
func (c *cursor) text() string {
	for i, b := range c.b {
		if b == 0 {
			s := string(c.bytes(i))
			c.skip(1)
			return s
		}
	}
	c.bytes(-1)
	return ""
}
