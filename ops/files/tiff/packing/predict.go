package packing

import (
	"slices"

	"weft/ops/files/words"
)

// Predictor says what is done to the rows of a block before they are compressed.
type Predictor uint8

// The predictors, by their numbers in files.
const (
	NoPredictor   Predictor = iota + 1
	Horizontal              // differences of neighbours along a row
	FloatingPoint           // the bytes of equal weight of a row together, then differences of bytes
)

var predictorNames = map[Predictor]string{NoPredictor: "none", Horizontal: "horizontal", FloatingPoint: "floating point"}

// String is the name of the predictor.
func (p Predictor) String() string { return predictorNames[p] }

// Undo undoes the prediction of a block of rows, each of the given number of elements of so many bytes, and leaves the elements
// in this machine's byte order; swapped: the file has the other one. TIFF 6.0 section 14; TIFF technical note 3 for floats.
func (p Predictor) Undo(b []byte, columns, size int, swapped bool) {
	if p == FloatingPoint {
		scratch := words.Bytes(columns * size)
		for row := range slices.Chunk(b, columns*size) {
			joinPlanes(row, scratch, size)
		}
		return
	}
	if swapped {
		words.Swap(b, size)
	}
	if p == Horizontal {
		for row := range slices.Chunk(b, columns*size) {
			accumulate[size](row)
		}
	}
}

// Do does what Undo undoes.
func (p Predictor) Do(b []byte, columns, size int, swapped bool) {
	if p == FloatingPoint {
		scratch := words.Bytes(columns * size)
		for row := range slices.Chunk(b, columns*size) {
			splitPlanes(row, scratch, size)
		}
		return
	}
	if p == Horizontal {
		for row := range slices.Chunk(b, columns*size) {
			difference[size](row)
		}
	}
	if swapped {
		words.Swap(b, size)
	}
}

// accumulate and difference work on elements of each size as unsigned integers, which wrap around.
var (
	accumulate = map[int]func([]byte){1: sum[uint8], 2: sum[uint16], 4: sum[uint32], 8: sum[uint64]}
	difference = map[int]func([]byte){1: diff[uint8], 2: diff[uint16], 4: diff[uint32], 8: diff[uint64]}
)

func sum[T uint8 | uint16 | uint32 | uint64](row []byte) {
	var v T
	all := words.View[T](row)
	for i := range all {
		v += all[i]
		all[i] = v
	}
}

func diff[T uint8 | uint16 | uint32 | uint64](row []byte) {
	var last T
	all := words.View[T](row)
	for i, v := range all {
		all[i] = v - last
		last = v
	}
}

// joinPlanes adds up the bytes of a row, which are the first, most significant bytes of all elements, then the second
// ones and so on, and puts them together to elements. scratch is as long as the row.
func joinPlanes(row, scratch []byte, size int) {
	var v byte
	for i, b := range row {
		v += b
		scratch[i] = v
	}
	n := len(row) / size
	for plane := range size {
		from := scratch[plane*n : (plane+1)*n]
		at := placeOf(plane, size)
		for i, b := range from {
			row[i*size+at] = b
		}
	}
}

// splitPlanes does what joinPlanes undoes.
func splitPlanes(row, scratch []byte, size int) {
	n := len(row) / size
	for plane := range size {
		to := scratch[plane*n : (plane+1)*n]
		at := placeOf(plane, size)
		for i := range to {
			to[i] = row[i*size+at]
		}
	}
	var last byte
	for i, b := range scratch {
		row[i] = b - last
		last = b
	}
}

// placeOf is where an element has its plane-th most significant byte in this machine's order.
func placeOf(plane, size int) int {
	if words.HostBigEndian {
		return plane
	}
	return size - 1 - plane
}
