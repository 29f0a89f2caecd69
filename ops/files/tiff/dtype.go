package tiff

import "fmt"

// DType is the type of a raster's elements.
type DType uint8

// The element types that are read and written. The zero DType is none of them.
const (
	Uint8 DType = iota + 1
	Int8
	Uint16
	Int16
	Uint32
	Int32
	Float32
	Float64
)

// Element is a Go type that rasters are made of.
type Element interface {
	uint8 | int8 | uint16 | int16 | uint32 | int32 | float32 | float64
}

type integer interface {
	uint8 | int8 | uint16 | int16 | uint32 | int32
}

// sampleFormat is the value of the tag SampleFormat.
type sampleFormat uint16

const (
	formatUint sampleFormat = iota + 1
	formatInt
	formatFloat
	formatVoid
	formatComplexInt
	formatComplex
)

// dtypes describes each DType: its name, its bytes, how TIFF calls it, and the bits it holds exactly (without sign).
var dtypes = [...]struct {
	name   string
	size   int
	format sampleFormat
	bits   int
}{
	Uint8:   {"uint8", 1, formatUint, 8},
	Int8:    {"int8", 1, formatInt, 7},
	Uint16:  {"uint16", 2, formatUint, 16},
	Int16:   {"int16", 2, formatInt, 15},
	Uint32:  {"uint32", 4, formatUint, 32},
	Int32:   {"int32", 4, formatInt, 31},
	Float32: {"float32", 4, formatFloat, 24},
	Float64: {"float64", 8, formatFloat, 53},
}

// Valid says whether d is one of the types above.
func (d DType) Valid() bool { return d >= Uint8 && d <= Float64 }

// Size is the bytes of one element.
func (d DType) Size() int { return dtypes[d].size }

// Float says whether d is a floating-point type.
func (d DType) Float() bool { return dtypes[d].format == formatFloat }

// String is the name of the type, such as "float32".
func (d DType) String() string {
	if !d.Valid() {
		return fmt.Sprintf("DType(%d)", uint8(d))
	}
	return dtypes[d].name
}

// TypeOf is the DType of a Go type.
func TypeOf[T Element]() DType {
	var t T
	switch any(t).(type) {
	case uint8:
		return Uint8
	case int8:
		return Int8
	case uint16:
		return Uint16
	case int16:
		return Int16
	case uint32:
		return Uint32
	case int32:
		return Int32
	case float32:
		return Float32
	}
	return Float64
}

// formatNames words the sample formats that a file may name.
var formatNames = map[sampleFormat]string{
	formatUint: "unsigned integers", formatInt: "signed integers", formatFloat: "floats",
	formatVoid: "untyped data", formatComplexInt: "complex integers", formatComplex: "complex numbers",
}

// dtypeOf finds the element type of a sample format and a width in bits.
func dtypeOf(format sampleFormat, bits int64) (DType, error) {
	for d := Uint8; d <= Float64; d++ {
		if dtypes[d].format == format && int64(8*dtypes[d].size) == bits {
			return d, nil
		}
	}
	name, known := formatNames[format]
	if !known {
		return 0, &Error{Reason: fmt.Sprintf("has the sample format %d, which TIFF does not define", format)}
	}
	help := "convert it first, e.g. gdal_translate -ot Float32 in.tif out.tif"
	if format == formatComplex || format == formatComplexInt {
		help = "take one part of it first, e.g. with gdal_calc.py, as Float32"
	}
	return 0, &Error{
		Reason: fmt.Sprintf("holds %s of %d bits; readable are integers of 8, 16 and 32 bits and floats of 32 and 64", name, bits),
		Help:   help,
	}
}
