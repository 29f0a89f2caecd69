package mat

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft/kernels/region"
	"weft/ops/files/element"
	"weft/ops/files/format"
	"weft/ops/files/words"
)

// maker writes MAT files as MATLAB does.
type maker struct {
	order interface {
		binary.ByteOrder
		binary.AppendByteOrder
	}
}

// element is a data element of a type.
func (m maker) element(kind uint32, data []byte) []byte {
	if len(data) > 0 && len(data) <= 4 && kind != matrixType {
		return append(append(m.order.AppendUint32(nil, uint32(len(data))<<16|kind), data...), make([]byte, 4-len(data))...)
	}
	out := m.order.AppendUint32(m.order.AppendUint32(nil, kind), uint32(len(data)))
	return append(append(out, data...), make([]byte, -len(data)&7)...)
}

func (m maker) ints(v ...int) (out []byte) {
	for _, x := range v {
		out = m.order.AppendUint32(out, uint32(int32(x)))
	}
	return out
}

func (m maker) floats(v ...float64) (out []byte) {
	for _, x := range v {
		out = m.order.AppendUint64(out, math.Float64bits(x))
	}
	return out
}

// array is a variable or a part of one: flags and class, extents, and what follows the name.
func (m maker) array(name string, flags uint32, dims []int, body ...[]byte) []byte {
	head := [][]byte{m.element(6, m.order.AppendUint32(m.order.AppendUint32(nil, flags), 0)), m.element(5, m.ints(dims...)), m.element(1, []byte(name))}
	return m.element(matrixType, bytes.Join(append(head, body...), nil))
}

func (m maker) file(variables ...[]byte) []byte {
	out := append([]byte("MATLAB 5.0 MAT-file"), bytes.Repeat([]byte{' '}, 105)...)
	out = m.order.AppendUint16(out, 0x100)
	return append(m.order.AppendUint16(out, 'M'<<8|'I'), bytes.Join(variables, nil)...)
}

func (m maker) packed(variable []byte) []byte {
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	if _, err := w.Write(variable); err != nil || w.Close() != nil {
		panic("a buffer takes all")
	}
	return append(m.order.AppendUint32(m.order.AppendUint32(nil, compressedType), uint32(z.Len())), z.Bytes()...)
}

// sparse is a matrix of three rows and two columns, of the rows and starts given.
func (m maker) sparse(name string, rows, starts []int) []byte {
	values := make([]float64, len(rows))
	for i := range values {
		values[i] = float64(i) + 0.5
	}
	return m.array(name, sparseClass, []int{3, 2}, m.element(5, m.ints(rows...)), m.element(5, m.ints(starts...)), m.element(9, m.floats(values...)))
}

func (m maker) sample() []byte {
	inner := m.array("", 6, []int{2, 3}, m.element(2, []byte{1, 2, 3, 4, 5, 6}))
	names := append(append([]byte("grid"), make([]byte, 4)...), append([]byte("cell"), make([]byte, 4)...)...)
	return m.file(
		m.packed(m.array("a", 6, []int{1, 3}, m.element(9, m.floats(1, 2.5, -3)))),
		m.array("s", structClass, []int{1, 1}, m.element(5, m.ints(8)), m.element(1, names), inner, m.array("", cellClass, []int{1, 1}, m.sparse("", []int{0, 2, 1}, []int{0, 2, 3}))),
		m.packed(m.array("yes", 9|0x200, []int{2, 1}, m.element(2, []byte{0, 7}))),
		m.array("text", charClass, []int{1, 2}, m.element(16, []byte("ab"))),
		m.array("z", 6|0x800, []int{2, 3}, m.element(2, []byte{1, 2, 3, 4, 5, 6}), m.element(9, m.floats(-1, -2, -3, -4, -5, -6))),
		m.array("i", 7|0x800, []int{1, 2}, m.element(9, m.floats(1, 2)), m.element(7, m.singles(3, 4))),
		m.array("t", sparseClass|0x800, []int{1, 1}),
		m.array("none", 6, []int{0, 0}, m.element(9, nil)),
	)
}

func (m maker) singles(v ...float32) (out []byte) {
	for _, x := range v {
		out = m.order.AppendUint32(out, math.Float32bits(x))
	}
	return out
}

// Parts of complex numbers lie apart in a file, of any types each.
func TestComplex(t *testing.T) {
	for _, m := range []maker{{binary.LittleEndian}, {binary.BigEndian}} {
		path := written(t, m.sample())
		for name, want := range map[string][]complex128{"z": {1 - 1i, 3 - 3i, 5 - 5i, 2 - 2i, 4 - 4i, 6 - 6i}, "i": {1 + 3i, 2 + 4i}} {
			in, err := openPart(path, format.Choice{"member": name})
			if err != nil {
				t.Fatal(err)
			}
			out := make([]complex128, len(want))
			if err := in.Read(words.Raw(out), element.Complex128, 0, region.Whole(in.About().Shape...)); err != nil || !slices.Equal(out, want) {
				t.Errorf("%s is %v, want %v: %v", name, out, want, err)
			}
			if is := in.About().DType; is != map[string]element.DType{"z": element.Complex128, "i": element.Complex64}[name] {
				t.Errorf("%s is of %v", name, is)
			}
			if err := in.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// elementsOf reads an array as float64.
func elementsOf(t *testing.T, path, name string) ([]float64, error) {
	in, err := openPart(path, format.Choice{"member": name})
	if err != nil {
		return nil, err
	}
	n := 1
	for _, e := range in.About().Shape {
		n *= e
	}
	out := make([]float64, n)
	err = in.Read(words.Raw(out), element.Float64, 0, region.Whole(in.About().Shape...))
	if closed := in.Close(); closed != nil {
		t.Error(closed)
	}
	return out, err
}

func written(t *testing.T, data []byte) string {
	path := filepath.Join(t.TempDir(), "a.mat")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRead(t *testing.T) {
	for _, m := range []maker{{binary.LittleEndian}, {binary.BigEndian}} {
		path := written(t, m.sample())
		parts, err := list(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		var told []string
		for _, p := range parts {
			told = append(told, strings.TrimSpace(p.Name+" "+p.Not))
		}
		want := []string{"a", "s.grid", "s.cell.value", "s.cell.row", "s.cell.start", "yes", "text is a text", "z", "i", "t is a sparse matrix of complex numbers", "none is empty"}
		if !slices.Equal(told, want) {
			t.Errorf("the arrays are %q, want %q", told, want)
		}
		for name, want := range map[string][]float64{"a": {1, 2.5, -3}, "s.grid": {1, 3, 5, 2, 4, 6}, "yes": {0, 1},
			"s.cell.value": {0.5, 1.5, 2.5}, "s.cell.row": {0, 2, 1}, "s.cell.start": {0, 2, 3}} {
			if got, err := elementsOf(t, path, name); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s is %v, want %v: %v", name, got, want, err)
			}
		}
	}
}

func TestDamage(t *testing.T) {
	m := maker{binary.LittleEndian}
	good := m.sample()
	for _, c := range []struct {
		data []byte
		part string
		want string
	}{
		{[]byte("PK"), "a", "is not a MAT file"},
		{[]byte("MATLAB 7.3 MAT-file" + strings.Repeat(" ", 200)), "a", "is not an HDF5 file"},
		{good[:len(good)-9], "a", "ends within a variable"},
		{good[:170], "a", "ends within a variable"},
		{m.file(m.array("a", 6, []int{1 << 30, 1 << 30}, m.element(9, m.floats(1)))), "a", "more elements than there are bytes"},
		{m.file(m.array("a", 6, []int{1, -3}, m.element(9, m.floats(1)))), "a", "-3 elements"},
		{m.file(m.array("a", 6, []int{2, 1}, m.element(9, m.floats(1)))), "a", "8 bytes of type 9 for 2 elements"},
		{m.file(m.packed(good)[:40]), "a", "ends within"},
		{m.file(m.sparse("a", []int{0, 3, 1}, []int{0, 2, 3})), "a.row", "entry 1 of a.row is 3, and has to be 0 to 2"},
		{m.file(m.sparse("a", []int{0, -1, 1}, []int{0, 2, 3})), "a.row", "entry 1 of a.row is -1"},
		{m.file(m.sparse("a", []int{2, 0, 1}, []int{0, 2, 3})), "a.row", "the rows of column 0 of a.row are not in order: 2, 0"},
		{m.file(m.sparse("a", []int{1, 1, 1}, []int{0, 2, 3})), "a.row", "the rows of column 0 of a.row are not in order: 1, 1"},
		{m.file(m.sparse("a", []int{0, 1, 2}, []int{1, 2, 3})), "a.start", "a.start begins with 1"},
		{m.file(m.sparse("a", []int{0, 1, 2}, []int{0, 4, 3})), "a.start", "is 4, and has to be 0 to 3"},
		{m.file(m.sparse("a", []int{0, 1, 2}, []int{0, 2, 9})), "a.start", "9 entries, and rows of 3"},
		{m.file(m.sparse("a", []int{0, 1, 2}, []int{0, 3, 2})), "a.start", "is 3, and has to be 0 to 2"},
		{good, "text", "text is a text"},
		{good, "other", "holds no array other"},
	} {
		if _, err := elementsOf(t, written(t, c.data), c.part); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s gave %v, want %s", c.part, err, c.want)
		}
	}
}

// FuzzRead feeds arbitrary bytes. What is found must be readable or told to be wrong.
func FuzzRead(f *testing.F) {
	little, big := maker{binary.LittleEndian}, maker{binary.BigEndian}
	f.Add(little.sample())
	f.Add(big.sample())
	f.Add(little.file(little.sparse("a", []int{0, 2, 1}, []int{0, 2, 3})))
	f.Fuzz(func(t *testing.T, data []byte) {
		parts, err := find(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		for _, p := range parts {
			if p.not != "" {
				continue
			}
			raw, err := p.from(bytes.NewReader(data))
			n := p.class.Size()
			for _, e := range p.shape {
				n *= e
			}
			if err == nil && len(raw) != n {
				t.Errorf("%s is %d bytes, want %d", p.name, len(raw), n)
			}
		}
	})
}
