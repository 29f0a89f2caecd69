package npy

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"weft/ops/files/element"
	"weft/ops/files/words"
)

// The size of a shot through a 1024-element probe: 560 x 1024 complex64, 4.6 MB.
var benchShape = []int{560, 1024}

func BenchmarkRead(b *testing.B) {
	for _, c := range []struct {
		name    string
		file    element.DType
		fortran bool
		order   binary.ByteOrder
		as      element.DType
		padding int
	}{
		{"f32", element.Float32, false, binary.LittleEndian, element.Float32, 0},
		{"c64", element.Complex64, false, binary.LittleEndian, element.Complex64, 0},
		{"c64-padded", element.Complex64, false, binary.LittleEndian, element.Complex64, 64},
		{"c64-big-endian", element.Complex64, false, binary.BigEndian, element.Complex64, 0},
		{"c64-fortran", element.Complex64, true, binary.LittleEndian, element.Complex64, 0},
		{"f32-fortran", element.Float32, true, binary.LittleEndian, element.Float32, 0},
		{"f64-to-f32", element.Float64, false, binary.LittleEndian, element.Float32, 0},
		{"f16-to-f32", element.Float16, false, binary.LittleEndian, element.Float32, 0},
		{"f32-to-f16", element.Float32, false, binary.LittleEndian, element.Float16, 0},
		{"i16-to-f32", element.Int16, false, binary.LittleEndian, element.Float32, 0},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := sample{c.file, benchShape, c.fortran, c.order, 1}
			path := filepath.Join(b.TempDir(), "a.npy")
			if err := os.WriteFile(path, s.alignedFile(), 0o600); err != nil {
				b.Fatal(err)
			}
			as := Layout{DType: c.as}
			if c.padding > 0 {
				as.RowStride = benchShape[1]*c.as.Size() + c.padding
			}
			dst := words.Bytes(as.Span(benchShape))
			b.SetBytes(int64(s.size() * c.file.Size()))
			for b.Loop() {
				f, err := Open(path)
				if err != nil {
					b.Fatal(err)
				}
				if err := f.Read(dst, as); err != nil {
					b.Fatal(err)
				}
				if err := f.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkWrite(b *testing.B) {
	for _, d := range []element.DType{element.Float32, element.Complex64} {
		b.Run(d.String(), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "a.npy")
			src := words.Bytes(560 * 1024 * d.Size())
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				w, err := create(path, d, benchShape)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := w.Write(src); err != nil {
					b.Fatal(err)
				}
				if err := w.Commit(false); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
