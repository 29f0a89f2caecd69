package npy

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"weft/kernels/region"
	"weft/ops/files/element"
	"weft/ops/files/words"
)

// FuzzRead feeds arbitrary bytes as NPY and NPZ. Whatever is accepted must be readable as its own type, give the same elements by
// slabs as at once, and never need more memory than the input has bytes.
func FuzzRead(f *testing.F) {
	for i, d := range element.All() {
		s := sample{d, []int{2, 3}, i%2 == 1, binary.LittleEndian, byte(1 + i%3)}
		if i%3 == 0 {
			s.order = binary.BigEndian
		}
		f.Add(s.file())
	}
	small := string(sample{element.Int16, []int{5}, false, binary.LittleEndian, 1}.file())
	f.Add(zipFile(f, zip.Store, "a.npy", small, "b.npy", small))
	f.Add(zipFile(f, zip.Deflate, "a.npy", small))
	for _, dict := range []string{
		"{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (3,)}",
		"{'descr': '|O', 'fortran_order': False, 'shape': (4294967296, 4294967296)}",
		"{'descr': '<f4', 'fortran_order': True, 'shape': (0, 99999999999)}",
	} {
		f.Add(npyFile(1, dict, nil))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		array, err := New("input", bytes.NewReader(input), int64(len(input)))
		if err == nil {
			checkReadable(t, array, len(input))
		}
		if !bytes.HasPrefix(input, []byte("PK")) {
			return
		}
		path := filepath.Join(t.TempDir(), "a.npz")
		if err := os.WriteFile(path, input, 0o600); err != nil {
			t.Fatal(err)
		}
		a, err := OpenArchive(path)
		if err != nil {
			return
		}
		defer a.Close()
		for _, name := range a.names {
			if member, err := a.Open(name); err == nil {
				checkReadable(t, member, 1100*len(input))
			}
		}
	})
}

func checkReadable(t *testing.T, f *File, most int) {
	h := f.Header()
	if h.Bytes() > int64(most) {
		t.Fatalf("an array of %d bytes was accepted", h.Bytes())
	}
	as := Layout{DType: h.DType}
	whole := words.Bytes(int(h.Bytes()))
	if err := f.Read(whole, as); err != nil {
		if _, plain := f.source.(*bytes.Reader); plain {
			t.Fatalf("accepted, but not readable: %v", err)
		}
		return
	}
	if len(h.Shape) == 0 || h.Shape[0] > 100 {
		return
	}
	var bySlab []byte
	for i := range h.Shape[0] {
		slab := region.Whole(h.Shape...).Along(0, region.Interval{Lo: i, Hi: i + 1})
		part := words.Bytes(as.Span(slab.Shape()))
		if err := f.ReadTile(part, as, slab); err != nil {
			t.Fatal(err)
		}
		bySlab = append(bySlab, part...)
	}
	if !bytes.Equal(bySlab, whole) {
		t.Fatal("slabs differ from the whole")
	}
}
