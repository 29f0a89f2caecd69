package npy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"weft/kernels/device"
	"weft/kernels/region"
	"weft/ops/files/element"
	"weft/ops/files/words"
)

// sample is an array for tests, made element by element from a formula, written as a file by code that shares
// nothing with the package but device.HalfFromFloat, which has tests of its own.
type sample struct {
	dtype   element.DType
	shape   []int
	fortran bool
	order   binary.ByteOrder
	version byte
}

// value is the element at a place counted in C order: small whole numbers that every type holds, with an imaginary part.
func (s sample) value(at int) complex128 {
	switch s.dtype.Class() {
	case element.Truth:
		return complex(float64(at*7%3%2), 0)
	case element.Unsigned:
		return complex(float64(at*13%101), 0)
	case element.Complex:
		return complex(float64(at*13%101-50), float64(at*29%97)/4)
	}
	return complex(float64(at*13%101-50), 0)
}

func (s sample) size() int {
	n := 1
	for _, d := range s.shape {
		n *= d
	}
	return n
}

// encoded appends one element of type d.
func encoded(b []byte, order binary.ByteOrder, d element.DType, v complex128) []byte {
	ints := func(size int, u uint64) []byte {
		all := make([]byte, 8)
		if order == binary.ByteOrder(binary.LittleEndian) {
			binary.LittleEndian.PutUint64(all, u)
			return append(b, all[:size]...)
		}
		binary.BigEndian.PutUint64(all, u)
		return append(b, all[8-size:]...)
	}
	switch re := real(v); d {
	case element.Float16:
		return ints(2, uint64(device.HalfFromFloat(re)))
	case element.Float32:
		return ints(4, uint64(math.Float32bits(float32(re))))
	case element.Float64:
		return ints(8, math.Float64bits(re))
	case element.Complex64:
		b = ints(4, uint64(math.Float32bits(float32(re))))
		return ints(4, uint64(math.Float32bits(float32(imag(v)))))
	case element.Complex128:
		b = ints(8, math.Float64bits(re))
		return ints(8, math.Float64bits(imag(v)))
	default:
		return ints(d.Size(), uint64(int64(re)))
	}
}

// packed is the sample's elements in C order and host order, as a read with d should give them.
func (s sample) packed(d element.DType) []byte {
	var b []byte
	for i := range s.size() {
		b = encoded(b, hostOrder(), d, s.value(i))
	}
	return b
}

func hostOrder() binary.ByteOrder {
	if words.HostBigEndian {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// file is the sample as an NPY file.
func (s sample) file() []byte {
	mark := "<"
	if s.order == binary.ByteOrder(binary.BigEndian) {
		mark = ">"
	}
	flag := "False"
	if s.fortran {
		flag = "True"
	}
	b := npyFile(s.version, fmt.Sprintf("{'descr': '%s%s', 'fortran_order': %s, 'shape': %v, }", mark, codes[s.dtype], flag, element.Shape(s.shape)), nil)
	if !s.fortran {
		for i := range s.size() {
			b = encoded(b, s.order, s.dtype, s.value(i))
		}
		return b
	}
	reversed := slices.Clone(s.shape)
	slices.Reverse(reversed)
	for index := range region.Whole(reversed...).Indices() {
		at := 0
		for i, n := range s.shape {
			at = at*n + index[len(index)-1-i]
		}
		b = encoded(b, s.order, s.dtype, s.value(at))
	}
	return b
}

// alignedFile is a version 1.0 file with the elements at a multiple of 64 bytes, as NumPy aligns them; file does not.
func (s sample) alignedFile() []byte {
	file := s.file()
	header := len(file) - s.size()*s.dtype.Size()
	padding := (64 - header%64) % 64
	out := slices.Concat(file[:header-1], bytes.Repeat([]byte{' '}, padding), file[header-1:])
	binary.LittleEndian.PutUint16(out[8:], uint16(header-10+padding))
	return out
}

// npyFile frames a header text and data.
func npyFile(version byte, dict string, data []byte) []byte {
	b := append([]byte("\x93NUMPY"), version, 0)
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(dict)+1))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(dict)+1))
	}
	b = append(b, dict...)
	b = append(b, '\n')
	return append(b, data...)
}

func open(t testing.TB, file []byte) *File {
	t.Helper()
	f, err := New("memory.npy", bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// wantError checks that err is an *Error about path whose text has the parts.
func wantError(t *testing.T, err error, path string, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; want one with %q", parts)
	}
	text := err.Error()
	for _, p := range append(parts, path) {
		if !strings.Contains(text, p) {
			t.Errorf("error %q lacks %q", text, p)
		}
	}
}
