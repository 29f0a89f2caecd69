package npy

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft/ops/files/element"
)

func TestHeaderSpellings(t *testing.T) {
	for _, c := range []struct {
		dict  string
		dtype element.DType
		shape []int
	}{
		{`{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`, element.Float32, []int{3, 4}},
		{`{"descr":"<f4","fortran_order":False,"shape":(3,4)}`, element.Float32, []int{3, 4}},
		{"  {\n'shape'\t: ( 12 , ) ,'descr':'|u1', 'fortran_order' :True}  ", element.Uint8, []int{12}},
		{`{'descr': '|b1', 'fortran_order': False, 'shape': (3L, 4L)}`, element.Bool, []int{3, 4}},
		{`{'descr': '=i2', 'fortran_order': False, 'shape': ()}`, element.Int16, []int{}},
		{`{'descr': 'c8', 'fortran_order': False, 'shape': (0,)}`, element.Complex64, []int{0}},
	} {
		h := Header{}
		if err := h.decode(c.dict); err != nil {
			t.Errorf("%s: %v", c.dict, err)
			continue
		}
		if h.DType != c.dtype || !slices.Equal(h.Shape, c.shape) {
			t.Errorf("%s: got %v %v", c.dict, h.DType, h.Shape)
		}
	}
}

func TestHostileHeaders(t *testing.T) {
	dict := func(s string) []byte { return npyFile(1, s, make([]byte, 48)) }
	shape := func(s string) []byte {
		return dict("{'descr': '<f4', 'fortran_order': False, 'shape': " + s + "}")
	}
	descr := func(s string) []byte {
		return dict("{'descr': " + s + ", 'fortran_order': False, 'shape': (3, 4)}")
	}
	for _, c := range []struct {
		name string
		file []byte
		want []string
	}{
		{"empty", nil, []string{"is empty"}},
		{"text", []byte("x,y\n1,2\n"), []string{"not an NPY file"}},
		{"archive", []byte("PK\x03\x04............"), []string{"NPZ", "help"}},
		{"HDF5", []byte("\x89HDF\r\n\x1a\n........"), []string{"HDF5"}},
		{"magic only", []byte("\x93NUMPY"), []string{"incomplete"}},
		{"version 4", npyFile(4, "{}", nil), []string{"version 4.0"}},
		{"header past the end", npyFile(1, "{}", nil)[:11], []string{"ends within the NPY header", "13 bytes expected, the file has 11"}},
		{"header of 4 GB", []byte("\x93NUMPY\x02\x00\xff\xff\xff\xff{}"), []string{"header of 4294967295 bytes"}},
		{"header of 2 MiB", npyFile(2, strings.Repeat(" ", 2<<20), nil), []string{"at most 1048576"}},
		{"truncated", shape("(4, 4)"), []string{"is truncated", "(4, 4) of float32", "needs 64 bytes", "the file has 48"}},
		{"too long", shape("(3, 3)"), []string{"is too long", "needs 36 bytes", "the file has 48"}},
		{"negative", shape("(-3, -4)"), []string{"negative length, -3"}},
		{"overflow", shape("(4294967296, 4294967296, 4)"), []string{"more bytes than this machine can address"}},
		{"overflow behind zero", shape("(0, 4294967296, 4294967296, 4)"), []string{"more bytes"}},
		{"number too large", shape("(99999999999999999999,)"), []string{"too large for this machine"}},
		{"65 dimensions", shape("(" + strings.Repeat("1,", 65) + ")"), []string{"more than 64"}},
		{"number for tuple", shape("(12)"), []string{"tuple such as (3,)"}},
		{"list for tuple", shape("[3, 4]"), []string{"expected"}},
		{"float length", shape("(3.0, 4)"), []string{"a comma"}},
		{"two commas", shape("(3,,4)"), []string{"whole number"}},
		{"minus alone", shape("(-, 4)"), []string{"whole number"}},
		{"unclosed tuple", shape("(3, 4"), []string{"expected"}},
		{"duplicate key", dict("{'descr': '<f4', 'descr': '<f8', 'fortran_order': False, 'shape': (3, 4)}"), []string{`key "descr" twice`}},
		{"unknown key", dict("{'descr': '<f4', 'order': 1}"), []string{`unknown key "order"`}},
		{"missing key", dict("{'descr': '<f4', 'fortran_order': False}"), []string{`lacks the key "shape"`}},
		{"garbage after", dict("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4)} + 1"), []string{"nothing after the closing brace"}},
		{"code", dict("__import__('os').system('true')"), []string{"expected"}},
		{"escape", descr(`'<f\x34'`), []string{"string with the character"}},
		{"unclosed string", dict("{'descr"), []string{"string that does not end"}},
		{"no boolean", dict("{'descr': '<f4', 'fortran_order': 0, 'shape': (3, 4)}"), []string{"True or False"}},
		{"objects", descr("'|O'"), []string{"Python objects", `"|O"`, "astype"}},
		{"text elements", descr("'<U5'"), []string{"text", `"<U5"`}},
		{"dates", descr("'<M8[ns]'"), []string{"dates", `"<M8[ns]"`}},
		{"records", descr("[('x', '<f4'), ('y', '<i8', (2,))]"), []string{"several fields", "('y', '<i8', (2,))", "np.savez"}},
		{"unclosed records", descr("[('x', '<f4'"), []string{"list that does not end"}},
		{"long double", descr("'<f16'"), []string{"uncommon width", `"<f16"`}},
		{"long complex", descr("'<c32'"), []string{"uncommon width", `"<c32"`}},
		{"unknown type", descr("'<q9'"), []string{"unknown element type", "float32"}},
		{"empty type", descr("''"), []string{"unknown element type"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "bad.npy")
			if err := os.WriteFile(path, c.file, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Stat(path)
			wantError(t, err, path, c.want...)
			var e *Error
			if !errors.As(err, &e) || e.Path != path {
				t.Errorf("the error does not carry the path: %#v", err)
			}
		})
	}
}

func TestOpenNames(t *testing.T) {
	dir := t.TempDir()
	_, err := Open(filepath.Join(dir, "none.npy"))
	wantError(t, err, "none.npy", "no such file", "check the spelling")
	_, err = Open(dir)
	wantError(t, err, dir, "is a folder")
}

func TestEncodedHeaderIsAligned(t *testing.T) {
	for n := range 70 {
		shape := slices.Repeat([]int{1}, min(n, maxDims))
		h := Header{DType: element.Float32, Shape: shape}
		b := h.encode()
		if len(b)%64 != 0 || b[len(b)-1] != '\n' {
			t.Errorf("%d dimensions: %d bytes ending in %q", n, len(b), b[len(b)-1])
		}
		back, err := readHeader(bytes.NewReader(append(b, 0, 0, 0, 0)), int64(len(b)+4))
		if err != nil || !slices.Equal(back.Shape, shape) {
			t.Errorf("%d dimensions: read back %v, %v", n, back, err)
		}
	}
}
