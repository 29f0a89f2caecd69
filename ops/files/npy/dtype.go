package npy

import (
	"fmt"
	"strings"

	"weft/ops/files/fileio"
	"weft/ops/files/words"
)

// DType is the type of an array's elements.
type DType uint8

// The element types that are read and written. The zero DType is none of them.
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

type class uint8

const (
	classBool class = iota + 1
	classInt
	classUint
	classFloat
	classComplex
)

// dtypes describes each DType: its name, its NumPy code without byte order, its bytes, its class, and the bits of
// an integer it holds exactly (without sign).
var dtypes = [...]struct {
	name, code string
	size       int
	class      class
	bits       int
}{
	Bool:       {"bool", "b1", 1, classBool, 1},
	Int8:       {"int8", "i1", 1, classInt, 7},
	Int16:      {"int16", "i2", 2, classInt, 15},
	Int32:      {"int32", "i4", 4, classInt, 31},
	Int64:      {"int64", "i8", 8, classInt, 63},
	Uint8:      {"uint8", "u1", 1, classUint, 8},
	Uint16:     {"uint16", "u2", 2, classUint, 16},
	Uint32:     {"uint32", "u4", 4, classUint, 32},
	Uint64:     {"uint64", "u8", 8, classUint, 64},
	Float16:    {"float16", "f2", 2, classFloat, 11},
	Float32:    {"float32", "f4", 4, classFloat, 24},
	Float64:    {"float64", "f8", 8, classFloat, 53},
	Complex64:  {"complex64", "c8", 8, classComplex, 24},
	Complex128: {"complex128", "c16", 16, classComplex, 53},
}

// Valid says whether d is one of the types above.
func (d DType) Valid() bool { return d >= Bool && d <= Complex128 }

// Size is the bytes of one element.
func (d DType) Size() int { return dtypes[d].size }

// String is NumPy's name of the type, such as "float32".
func (d DType) String() string {
	if !d.Valid() {
		return fmt.Sprintf("DType(%d)", uint8(d))
	}
	return dtypes[d].name
}

// word is the bytes that are swapped together between byte orders: half an element of a complex type.
func (d DType) word() int {
	if dtypes[d].class == classComplex {
		return d.Size() / 2
	}
	return d.Size()
}

// refusals says why arrays of other kinds are not read, by the letter of their NumPy type.
var refusals = map[byte][2]string{
	'O': {"holds Python objects", "convert it to numbers in Python first, e.g. np.save(path, a.astype('f4'))"},
	'U': {"holds text", "only numbers can be read"},
	'S': {"holds text", "only numbers can be read"},
	'a': {"holds text", "only numbers can be read"},
	'V': {"holds records without a number type", "save each field as an array of its own, e.g. np.savez(path, x=a['x'], y=a['y'])"},
	'M': {"holds dates", "convert them to numbers first, e.g. (a - a[0]) / np.timedelta64(1, 's')"},
	'm': {"holds time differences", "convert them to numbers first, e.g. a / np.timedelta64(1, 's')"},
	'f': {"holds a float of an uncommon width", "convert it first, e.g. a.astype('f8')"},
	'c': {"holds complex numbers of an uncommon width", "convert them first, e.g. a.astype('c16')"},
}

// parseDescr reads NumPy's type string, such as "<f4" or "|b1".
func parseDescr(descr string) (d DType, bigEndian bool, err error) {
	bigEndian = words.HostBigEndian
	code := descr
	if code != "" {
		switch code[0] {
		case '<', '>':
			bigEndian = code[0] == '>'
			code = code[1:]
		case '=', '|':
			code = code[1:]
		}
	}
	for d := Bool; d <= Complex128; d++ {
		if dtypes[d].code == code {
			return d, bigEndian && d.word() > 1, nil
		}
	}
	refusal, known := [2]string{}, false
	if code != "" {
		refusal, known = refusals[code[0]]
	}
	if !known {
		refusal = [2]string{"has an unknown element type", "readable are " + names()}
	}
	kind := fileio.BadType
	if strings.HasPrefix(code, "O") {
		kind = fileio.Objects
	}
	return 0, false, &Error{Kind: kind, Reason: fmt.Sprintf("%s (NumPy dtype %s)", refusal[0], clip(descr)), Help: refusal[1]}
}

func names() string {
	var all []string
	for d := Bool; d <= Complex128; d++ {
		all = append(all, d.String())
	}
	return strings.Join(all, ", ")
}

// clip quotes text from a file for an error message, shortened.
func clip(text string) string {
	const most = 60
	if len(text) > most {
		text = text[:most] + "..."
	}
	return fmt.Sprintf("%q", text)
}
