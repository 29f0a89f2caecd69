package tiff

import (
	"fmt"

	"weft/ops/files/element"
)

// Element is a Go type that rasters are made of.
type Element interface {
	integer | float32 | float64
}

type integer interface {
	uint8 | int8 | uint16 | int16 | uint32 | int32 | uint64 | int64
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

// formats are how TIFF calls the classes of elements.
var formats = map[element.Class]sampleFormat{element.Unsigned: formatUint, element.Signed: formatInt, element.Floating: formatFloat}

// Holds says whether a raster can have elements of a type.
func Holds(d element.DType) bool {
	return d.Valid() && formats[d.Class()] != 0 && d.Size() <= 8 && elements[d] != nil
}

// formatNames words the sample formats that a file may name.
var formatNames = map[sampleFormat]string{
	formatUint: "unsigned integers", formatInt: "signed integers", formatFloat: "floats",
	formatVoid: "untyped data", formatComplexInt: "complex integers", formatComplex: "complex numbers",
}

// dtypeOf finds the element type of a sample format and a width in bits.
func dtypeOf(format sampleFormat, bits int64) (element.DType, error) {
	for _, d := range element.All() {
		if Holds(d) && formats[d.Class()] == format && int64(8*d.Size()) == bits {
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
		Reason: fmt.Sprintf("holds %s of %d bits; readable are integers of 8, 16, 32 and 64 bits and floats of 16, 32 and 64", name, bits),
		Help:   help,
	}
}
