package tiff

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"weft/ops/files/words"
)

// container reads the bytes of a TIFF file within its size.
type container struct {
	r     io.ReaderAt
	size  int64
	order binary.ByteOrder
	big   bool // BigTIFF
}

const shortened = "became shorter while it was read"

// fill reads all of p from offset, which has been checked.
func (c *container) fill(p []byte, offset int64) error {
	if len(p) == 0 {
		return nil
	}
	n, err := c.r.ReadAt(p, offset)
	if n == len(p) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return &Error{Reason: shortened}
	}
	return err
}

// holds says whether n bytes from offset lie in the file.
func (c *container) holds(offset, n int64) bool {
	return offset >= 0 && n >= 0 && offset <= c.size && n <= c.size-offset
}

// bytes gives n bytes from offset. what names them in the error for bytes beyond the end of the file.
func (c *container) bytes(offset, n int64, what string) ([]byte, error) {
	if !c.holds(offset, n) {
		return nil, &Error{
			Reason: fmt.Sprintf("is truncated or damaged: %s would take %d bytes at %d, the file has %d", what, n, uint64(offset), c.size),
			Help:   "copy or write the file again",
		}
	}
	p := words.Bytes(int(n))
	return p, c.fill(p, offset)
}

// uint reads an unsigned integer of 2, 4 or 8 bytes.
func (c *container) uint(p []byte) uint64 {
	switch len(p) {
	case 2:
		return uint64(c.order.Uint16(p))
	case 4:
		return uint64(c.order.Uint32(p))
	}
	return c.order.Uint64(p)
}

// openContainer checks the first bytes of a file and gives the offset of its first directory.
func openContainer(r io.ReaderAt, size int64) (c *container, first int64, err error) {
	c = &container{r: r, size: size}
	head := make([]byte, min(16, size))
	if err := c.fill(head, 0); err != nil {
		return nil, 0, err
	}
	text := string(head)
	switch {
	case strings.HasPrefix(text, "II"):
		c.order = binary.LittleEndian
	case strings.HasPrefix(text, "MM"):
		c.order = binary.BigEndian
	default:
		return nil, 0, notTIFF(text)
	}
	if len(head) < 8 {
		return nil, 0, &Error{Reason: fmt.Sprintf("ends within the TIFF header, after %d bytes", size), Help: "copy or write the file again"}
	}
	switch version := c.order.Uint16(head[2:]); {
	case version == 42:
		return c, int64(c.order.Uint32(head[4:])), nil
	case version != 43:
		return nil, 0, &Error{Reason: fmt.Sprintf("begins like a TIFF file but has version %d; known are 42 (TIFF) and 43 (BigTIFF)", version)}
	case len(head) < 16:
		return nil, 0, &Error{Reason: fmt.Sprintf("ends within the BigTIFF header, after %d bytes", size), Help: "copy or write the file again"}
	case c.order.Uint16(head[4:]) != 8 || c.order.Uint16(head[6:]) != 0:
		return nil, 0, &Error{Reason: fmt.Sprintf("is a BigTIFF file with offsets of %d bytes; known are 8", c.order.Uint16(head[4:]))}
	}
	c.big = true
	return c, int64(c.order.Uint64(head[8:])), nil
}

// foreign names files that are no TIFF by how they begin.
var foreign = []struct{ prefix, reason, help string }{
	{"\x93NUMPY", "is an NPY file, not a TIFF file", ""},
	{"\x89HDF\r\n", "is an HDF5 file, not a TIFF file", "convert it first, e.g. gdal_translate in.h5 out.tif"},
	{"CDF", "is a NetCDF file, not a TIFF file", "end its name in .nc"},
	{"\x89PNG", "is a PNG picture, not a TIFF file", ""},
	{"\xff\xd8\xff", "is a JPEG picture, not a TIFF file", ""},
	{"PK\x03\x04", "is an archive (ZIP), not a TIFF file", "unpack it first"},
	{"\x1f\x8b", "is compressed with gzip", "uncompress it first (gunzip)"},
	{"ncols", "is an Esri ASCII grid, not a TIFF file", "convert it first, e.g. gdal_translate in.asc out.tif"},
}

func notTIFF(start string) error {
	if start == "" {
		return &Error{Reason: "is empty"}
	}
	for _, f := range foreign {
		if strings.HasPrefix(start, f.prefix) {
			return &Error{Reason: f.reason, Help: f.help}
		}
	}
	return &Error{Reason: "is not a TIFF file: it begins with neither II nor MM"}
}
