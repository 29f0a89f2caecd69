package npy

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"testing"

	"weft/kernels/region"
	"weft/ops/files/element"
	"weft/ops/files/words"
)

func readZipMember(t *testing.T, path, name string) []byte {
	t.Helper()
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	r, err := z.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// zipFile packs members as np.savez_compressed (deflated) or np.savez (stored) does.
func zipFile(t testing.TB, method uint16, members ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i := 0; i < len(members); i += 2 {
		w, err := z.CreateHeader(&zip.FileHeader{Name: members[i], Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, members[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestDeflatedArchive(t *testing.T) {
	for _, fortran := range []bool{false, true} {
		s := sample{element.Int32, []int{200, 300}, fortran, binary.BigEndian, 1}
		path := filepath.Join(t.TempDir(), "a.npz")
		if err := os.WriteFile(path, zipFile(t, zip.Deflate, "readme.txt", "hello", "a.npy", string(s.file())), 0o600); err != nil {
			t.Fatal(err)
		}
		a, err := OpenArchive(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := a.Open("a")
		if err != nil {
			t.Fatal(err)
		}
		dst := words.Bytes(s.size() * 8)
		if err := f.Read(dst, Layout{DType: element.Float64}); err != nil || !bytes.Equal(dst, s.packed(element.Float64)) {
			t.Errorf("Fortran %v: wrong elements, %v", fortran, err)
		}
		if len(a.names) != 1 {
			t.Errorf("names %v", a.names)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDamagedArchives(t *testing.T) {
	array := string(sample{element.Uint8, []int{4000}, false, binary.LittleEndian, 1}.file())
	stored := zipFile(t, zip.Store, "a.npy", array)
	flip := func(b []byte, at int) []byte {
		b = bytes.Clone(b)
		b[at] ^= 0x55
		return b
	}
	// The directory entry of the only member: sizes at 20 (packed) and 24 (unpacked) from its signature.
	directory := bytes.LastIndex(stored, []byte("PK\x01\x02"))
	claim := func(b []byte, unpacked uint32) []byte {
		b = bytes.Clone(b)
		at := bytes.LastIndex(b, []byte("PK\x01\x02"))
		binary.LittleEndian.PutUint32(b[at+24:], unpacked)
		return b
	}
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"no archive", []byte(array), "is not an NPZ archive"},
		{"empty", nil, "is not an NPZ archive"},
		{"cut", stored[:directory], "is not an NPZ archive"},
		{"one byte changed", flip(stored, 1000), "checksum"},
		{"claims 4 GB stored", claim(stored, 0xfffffff0), "cannot be 4294967280 bytes"},
		{"claims 4 GB deflated", claim(zipFile(t, zip.Deflate, "a.npy", array), 0xfffffff0), "cannot be 4294967280 bytes"},
		{"claims a little more", claim(zipFile(t, zip.Deflate, "a.npy", array), uint32(len(array)+1)), "is too long"},
		{"twice", zipFile(t, zip.Store, "a.npy", array, "a.npy", array), `two arrays named "a"`},
		{"truncated member", zipFile(t, zip.Store, "a.npy", array[:500]), "is truncated"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.npz")
			if err := os.WriteFile(path, c.file, 0o600); err != nil {
				t.Fatal(err)
			}
			wantError(t, readAll(path, "a"), path, c.want)
		})
	}
}

// Rows of what is stored are read from where they are, in any order, by several; a changed byte is found before any element is given out of order.
func TestRowsOfStoredArrays(t *testing.T) {
	s := sample{element.Int32, []int{200, 300}, false, binary.LittleEndian, 1}
	whole := s.packed(element.Int32)
	for _, c := range []struct {
		method  uint16
		changed bool
	}{{zip.Store, false}, {zip.Deflate, false}, {zip.Store, true}} {
		file := zipFile(t, c.method, "a.npy", string(s.file()))
		if c.changed {
			file[len(file)/2] ^= 0x55
		}
		path := filepath.Join(t.TempDir(), "a.npz")
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		in, err := openMember(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := in.About().Whole, c.method == zip.Deflate; got != want {
			t.Errorf("method %d: read as a whole: %v", c.method, got)
		}
		for _, row := range []int{150, 3, 4, 199} {
			dst := words.Bytes(300 * 4)
			err := in.Read(dst, element.Int32, 0, region.Region{{Lo: row, Hi: row + 1}, {Lo: 0, Hi: 300}})
			if c.changed {
				wantError(t, err, path, "checksum")
			} else if err != nil || !bytes.Equal(dst, whole[row*1200:(row+1)*1200]) {
				t.Errorf("method %d: row %d: wrong elements, %v", c.method, row, err)
			}
		}
		if err := in.Close(); err != nil && !c.changed {
			t.Fatal(err)
		}
	}
}

func readAll(path, name string) error {
	a, err := OpenArchive(path)
	if err != nil {
		return err
	}
	defer a.Close()
	f, err := a.Open(name)
	if err != nil {
		return err
	}
	return f.Read(words.Bytes(int(f.header.Bytes())), Layout{DType: f.header.DType})
}
