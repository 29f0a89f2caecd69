package npy

import (
	"fmt"

	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/tile"
	"weft/ops/files/words"
)

const cannotWrite = "cannot write"

// newHeader checks what is to be written.
func newHeader(d element.DType, shape []int) (Header, error) {
	if !d.Valid() {
		return Header{}, fmt.Errorf("no element type: %v", d)
	}
	if len(shape) > maxDims {
		return Header{}, fmt.Errorf("the array has %d dimensions; NPY files hold at most %d", len(shape), maxDims)
	}
	for _, n := range shape {
		if n < 0 {
			return Header{}, fmt.Errorf("the shape %v has a negative length", element.Shape(shape))
		}
	}
	if !addressable(shape, d) {
		return Header{}, fmt.Errorf("the shape %v of %v has more bytes than this machine can address", element.Shape(shape), d)
	}
	return Header{DType: d, Shape: shape, BigEndian: words.HostBigEndian && d.Word() > 1, Version: [2]uint8{1, 0}}, nil
}

// layoutOf is an NPY file of version 1.0, in C order and this machine's byte order.
func layoutOf(path string, d element.DType, shape []int) (tile.File, error) {
	header, err := newHeader(d, shape)
	if err != nil {
		return tile.File{}, fileio.Wrap(path, cannotWrite, err)
	}
	return tile.File{DType: d, Shape: shape, Head: header.encode()}, nil
}

// create starts an NPY file.
func create(path string, d element.DType, shape []int) (*tile.Writer, error) {
	f, err := layoutOf(path, d, shape)
	if err != nil {
		return nil, err
	}
	return f.Create(path, false, nil)
}
