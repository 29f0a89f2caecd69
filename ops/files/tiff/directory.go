package tiff

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
)

// field is one entry of a directory. Values that fit the entry lie in it: offset then points there.
type field struct {
	kind   fieldType
	count  int64
	offset int64
}

// directory is what a file says of one image.
type directory struct {
	*container
	fields map[tag]field
}

const (
	maxFields      = 4096
	maxDirectories = 4096
	maxText        = 16 << 20 // bytes of a field other than those that list blocks
)

// directory reads the directory at offset and gives the offset of the next one, 0 for none.
func (c *container) directory(offset int64) (d directory, next int64, err error) {
	counter, entry, inline := int64(2), int64(12), int64(4)
	if c.big {
		counter, entry, inline = 8, 20, 8
	}
	head, err := c.bytes(offset, counter, "a directory")
	if err != nil {
		return d, 0, err
	}
	n := c.uint(head)
	if n == 0 || n > maxFields {
		return d, 0, &Error{Reason: fmt.Sprintf("is damaged: its directory at %d claims %d fields; 1 to %d are read", offset, n, maxFields)}
	}
	offset += counter
	body, err := c.bytes(offset, int64(n)*entry+inline, "a directory")
	if err != nil {
		return d, 0, err
	}
	d = directory{c, make(map[tag]field, n)}
	for i := range int64(n) {
		e := body[i*entry : (i+1)*entry]
		id := tag(c.uint(e[:2]))
		f := field{fieldType(c.uint(e[2:4])), int64(c.uint(e[4 : 4+inline])), int64(c.uint(e[4+inline:]))}
		if size := int64(fieldTypes[f.kind].size); size > 0 && f.count >= 0 && f.count <= inline/size {
			f.offset = offset + (i+1)*entry - inline
		}
		if _, twice := d.fields[id]; !twice { // the first counts, as in libtiff
			d.fields[id] = f
		}
	}
	return d, int64(c.uint(body[int64(n)*entry:])), nil
}

// has says whether the directory has the field at all.
func (d directory) has(t tag) bool {
	_, ok := d.fields[t]
	return ok
}

func malformed(t tag, format string, args ...any) error {
	return &Error{Reason: fmt.Sprintf("is damaged: %v %s", t, fmt.Sprintf(format, args...)), Help: "copy or write the file again"}
}

// raw gives the first n values of a field in the file's byte order, after checks that at least n are there.
func (d directory) raw(t tag, n int64) ([]byte, error) {
	f := d.fields[t]
	kind, known := fieldTypes[f.kind]
	switch {
	case !known:
		return nil, malformed(t, "has the unknown type %d", f.kind)
	case n < 0 || f.count < n:
		return nil, malformed(t, "has %d values, %d expected", uint64(f.count), n)
	case n > math.MaxInt64/int64(kind.size):
		return nil, malformed(t, "has %d values, more than the file has bytes", n)
	}
	return d.bytes(f.offset, n*int64(kind.size), t.String())
}

// ints gives the first n values of a field of unsigned integers.
func (d directory) ints(t tag, n int64) ([]int64, error) {
	f := d.fields[t]
	if kind, known := fieldTypes[f.kind]; known && !kind.unsigned {
		return nil, malformed(t, "has the type %d, an unsigned integer expected", f.kind)
	}
	data, err := d.raw(t, n)
	if err != nil {
		return nil, err
	}
	size := fieldTypes[f.kind].size
	values := make([]int64, n)
	for i := range values {
		v := uint64(data[i])
		if size > 1 {
			v = d.uint(data[i*size : (i+1)*size])
		}
		if v > math.MaxInt64 {
			return nil, malformed(t, "has the value %d", v)
		}
		values[i] = int64(v)
	}
	return values, nil
}

// int gives the first value of a field of unsigned integers, or missing where the field is not there.
func (d directory) int(t tag, missing int64) (int64, error) {
	if !d.has(t) {
		return missing, nil
	}
	v, err := d.ints(t, 1)
	if err != nil {
		return 0, err
	}
	return v[0], nil
}

// text gives a field of ASCII characters, or "" where it is not there. What follows a NUL is dropped.
func (d directory) text(t tag) (string, error) {
	if !d.has(t) {
		return "", nil
	}
	f, err := d.whole(t, typeASCII)
	if err != nil {
		return "", err
	}
	text, _, _ := strings.Cut(string(f.data), "\x00")
	return text, nil
}

// rawField is the values of a field in little-endian order, as they are carried from file to file.
type rawField struct {
	kind  fieldType
	count int64
	data  []byte
}

// whole gives all values of a field, which must be of the given type.
func (d directory) whole(t tag, kind fieldType) (rawField, error) {
	f := d.fields[t]
	switch {
	case f.kind != kind:
		return rawField{}, malformed(t, "has the type %d, %d expected", f.kind, kind)
	case f.count < 0 || f.count > maxText:
		return rawField{}, malformed(t, "has %d values; at most %d are read", uint64(f.count), maxText)
	}
	data, err := d.raw(t, f.count)
	if err != nil {
		return rawField{}, err
	}
	reorder(data, kind, d.order)
	return rawField{kind, f.count, data}, nil
}

// reorder swaps the values of a field between the byte order given and little-endian, in place.
func reorder(data []byte, kind fieldType, order binary.ByteOrder) {
	if order == binary.ByteOrder(binary.BigEndian) {
		for word := range slices.Chunk(data, fieldTypes[kind].word) {
			slices.Reverse(word)
		}
	}
}
