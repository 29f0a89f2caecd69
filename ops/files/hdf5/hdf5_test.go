package hdf5

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/kernels/region"
	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/words"
)

// versions are files of the same arrays, as programs of several ages write them (testdata/make.py).
var versions = []string{"earliest", "v108", "v110"}

func found(t testing.TB, path string) *Content {
	t.Helper()
	all, err := contentOf(path)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// read reads a part of a dataset as float64.
func read(d *Dataset, r *bytes.Reader, at region.Region) ([]float64, error) {
	a, err := d.In("a.h5", r)
	if err != nil {
		return nil, err
	}
	out := words.Bytes(int(at.Points()) * 16)
	if d.DType.Class() == element.Complex {
		err = a.Read(out, element.Complex128, 0, at)
		re := make([]float64, at.Points())
		for i, v := range words.View[complex128](out) {
			re[i] = real(v)
		}
		return re, err
	}
	err = a.Read(out, element.Float64, 0, at)
	return words.View[float64](out)[:at.Points()], err
}

func TestDatasets(t *testing.T) {
	types := map[string]element.DType{"types/i8": element.Int8, "types/u16": element.Uint16, "types/i32": element.Int32, "types/f32": element.Float32, "types/f64": element.Float64,
		"types/c64": element.Complex64, "types/bool": element.Bool}
	for _, version := range versions {
		path := filepath.Join("testdata", version+".h5")
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]string{}
		for _, d := range found(t, path).Datasets {
			if seen[d.Path] = d.Not; d.Not != "" {
				continue
			}
			if want, told := types[d.Path]; told && d.DType != want {
				t.Errorf("%s: %s is %v", version, d.Path, d.DType)
			}
			whole := region.Whole(d.Shape...)
			parts := []region.Region{whole}
			if len(d.Shape) == 2 {
				parts = append(parts, region.Region{{Lo: 1, Hi: d.Shape[0] - 1}, {Lo: 2, Hi: d.Shape[1]}})
			}
			for _, part := range parts {
				got, err := read(d, bytes.NewReader(file), part)
				if err != nil {
					t.Errorf("%s: %s: %v", version, d.Path, err)
					continue
				}
				k := 0
				for index := range part.Indices() {
					i := 0
					for axis, at := range index {
						i = i*d.Shape[axis] + at
					}
					want := float64(i % 50)
					switch {
					case d.Path == "types/bool":
						want = float64(i % 2)
					case d.Path == "number":
						want = 3.5
					case d.Path == "chunks/hole" && (index[0] > 3 || index[1] > 2):
						want = -1
					}
					if got[k] != want {
						t.Fatalf("%s: %s: element %v is %v, want %v", version, d.Path, index, got[k], want)
					}
					k++
				}
			}
		}
		if len(seen) != 35 || seen["text"] != "holds texts" || seen["empty"] != "is empty" || seen["many/name_of_19"] != "" {
			t.Errorf("%s: %d datasets: %v", version, len(seen), seen)
		}
		in, err := open(path, map[string]string{"member": "types/f64"})
		if err != nil {
			t.Fatal(err)
		}
		if about := in.About(); fmt.Sprint(about.Names, about.Unit, about.DType) != "[time axis1] mm float64" {
			t.Error(about.Names, about.Unit, about.DType)
		}
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	}
}

// tried reads all that is found in bytes.
func tried(t testing.TB, data []byte) {
	all, err := Find(bytes.NewReader(data), int64(len(data)))
	sane(t, err)
	if err != nil {
		return
	}
	for _, d := range all.Datasets {
		n := 1
		for _, extent := range d.Shape {
			n *= extent
		}
		all.Names(d)
		d.Attrs["units"].Text()
		d.Attrs["MATLAB_empty"].Numbers()
		if d.Not == "" && n < 1<<16 {
			_, err := read(d, bytes.NewReader(data), region.Whole(d.Shape...))
			sane(t, err)
		}
	}
}

// sane checks that an error is about the file.
func sane(t testing.TB, err error) {
	var e *fileio.Error
	if err != nil && !errors.As(err, &e) && !strings.Contains(err.Error(), "EOF") {
		t.Fatalf("%T: %v", err, err)
	}
}

// Files that are cut short or damaged are errors, wherever that is.
func TestDamage(t *testing.T) {
	for _, version := range versions {
		file, err := os.ReadFile(filepath.Join("testdata", version+".h5"))
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; n < len(file); n += 997 {
			if _, err := Find(bytes.NewReader(file[:n]), int64(n)); err == nil {
				t.Fatalf("%d bytes of %d are a file", n, len(file))
			}
		}
		for i := 0; i < len(file); i += 101 {
			spoilt := bytes.Clone(file)
			spoilt[i] ^= byte(1 + i%255)
			tried(t, spoilt)
		}
	}
	for text, want := range map[string]string{"": "is not an HDF5 file", "hello, this is no file of any kind": "is not an HDF5 file", Signature + "\x09 and not much else, though it is long enough": "versions 0 to 3 are read"} {
		_, err := Find(strings.NewReader(text), int64(len(text)))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, version := range versions {
		file, err := os.ReadFile(filepath.Join("testdata", version+".h5"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, data []byte) { tried(t, data) })
}

// Elements of more bytes than there are come from damage: they are not gone through one by one.
func TestShuffledByAnything(t *testing.T) {
	u := &unpacker{}
	if got := u.unshuffle([]byte{1, 2, 3}, 1<<62); string(got) != "\x01\x02\x03" {
		t.Errorf("% x", got)
	}
	if got := u.unshuffle([]byte{1, 2, 3, 4, 5, 6, 9}, 2); string(got) != "\x01\x04\x02\x05\x03\x06\x09" {
		t.Errorf("% x", got)
	}
}
