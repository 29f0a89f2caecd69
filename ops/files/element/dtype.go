// Package element knows the types that elements of arrays have in files, how one becomes another, and how rows of them lie in memory:
// what all formats share.
package element

import (
	"fmt"

	"weft/ops/files/words"
)

// DType is the type of an array's elements.
type DType uint8

// The element types. The zero DType is none of them.
const (
	Bool DType = iota + 1
	Int8
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Float16
	Float32
	Float64
	Complex64
	Complex128
)

// Class is a kind of numbers.
type Class uint8

// The classes, each of which holds the real part of those before it.
const (
	Truth Class = iota + 1
	Signed
	Unsigned
	Floating
	Complex
)

// dtypes describes each DType: its name, its bytes, its class, and the bits of an integer it holds exactly (without sign).
var dtypes = [...]struct {
	name  string
	size  int
	class Class
	bits  int
}{
	Bool:       {"bool", 1, Truth, 1},
	Int8:       {"int8", 1, Signed, 7},
	Int16:      {"int16", 2, Signed, 15},
	Int32:      {"int32", 4, Signed, 31},
	Int64:      {"int64", 8, Signed, 63},
	Uint8:      {"uint8", 1, Unsigned, 8},
	Uint16:     {"uint16", 2, Unsigned, 16},
	Uint32:     {"uint32", 4, Unsigned, 32},
	Uint64:     {"uint64", 8, Unsigned, 64},
	Float16:    {"float16", 2, Floating, 11},
	Float32:    {"float32", 4, Floating, 24},
	Float64:    {"float64", 8, Floating, 53},
	Complex64:  {"complex64", 8, Complex, 24},
	Complex128: {"complex128", 16, Complex, 53},
}

// All are the element types in order.
func All() []DType {
	var all []DType
	for d := Bool; d.Valid(); d++ {
		all = append(all, d)
	}
	return all
}

// Valid says whether d is one of the types above.
func (d DType) Valid() bool { return d >= Bool && d <= Complex128 }

// Size is the bytes of one element.
func (d DType) Size() int { return dtypes[d].size }

// Class is the kind of its numbers.
func (d DType) Class() Class { return dtypes[d].class }

// Float says whether d is a real floating-point type.
func (d DType) Float() bool { return dtypes[d].class == Floating }

// Word is the bytes that are swapped together between byte orders: half an element of a complex type.
func (d DType) Word() int {
	if dtypes[d].class == Complex {
		return d.Size() / 2
	}
	return d.Size()
}

// String is NumPy's name of the type, such as "float32".
func (d DType) String() string {
	if !d.Valid() {
		return fmt.Sprintf("DType(%d)", uint8(d))
	}
	return dtypes[d].name
}

// Go is a Go type that arrays are made of. Float16 has none; its bits are read and written as bytes.
type Go interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64 | complex64 | complex128
}

// Of is the DType of a Go type.
func Of[T Go]() DType {
	var t T
	name := fmt.Sprintf("%T", t)
	for d := Bool; ; d++ {
		if dtypes[d].name == name {
			return d
		}
	}
}

// CheckRows says why memory does not hold rows of elements that begin stride bytes apart.
func CheckRows(memory []byte, d DType, rows, columns, stride int) error {
	if !d.Valid() {
		return fmt.Errorf("no element type in memory: %v", d)
	}
	if rows == 0 || columns == 0 {
		return nil
	}
	size := d.Size()
	switch {
	case stride/size < columns || stride%min(size, 8) != 0:
		return fmt.Errorf("a row stride of %d bytes does not fit rows of %d %v", stride, columns, d)
	case columns > len(memory)/size || rows-1 > (len(memory)-columns*size)/stride:
		return fmt.Errorf("%d x %d %v with rows %d bytes apart do not fit %d bytes of memory", rows, columns, d, stride, len(memory))
	case !words.Aligned(memory, size):
		return fmt.Errorf("the memory is not aligned for %v", d)
	}
	return nil
}
