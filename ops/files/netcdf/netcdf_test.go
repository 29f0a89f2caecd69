package netcdf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft/kernels/region"
	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/format"
	"weft/ops/files/words"
	"weft/ops/optest"
)

// joined are the bytes of numbers, most significant first, and of texts as they are.
func joined(parts ...any) []byte {
	var out []byte
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			out = append(out, p...)
		case int: // 4 bytes
			out = binary.BigEndian.AppendUint32(out, uint32(int32(p)))
		case []byte:
			out = append(out, p...)
		default:
			var err error
			if out, err = binary.Append(out, binary.BigEndian, p); err != nil {
				panic(err)
			}
		}
	}
	return out
}

// called is a name as headers of 4-byte counts have it.
func called(name string) []byte {
	return append(joined(len(name), name), make([]byte, padded(int64(len(name)))-int64(len(name)))...)
}

// records is a file of CDF-1 by hand: time is the dimension of records, t its coordinates in hours, v small numbers scaled by a half of which -1 is missing, w
// a column of floats in no unit that is known, and title a text.
var records = joined("CDF\x01", 3,
	10, 3, called("time"), 0, called("x"), 3, called("n"), 5,
	12, 1, called("history"), 2, called("by hand"),
	11, 4,
	called("time"), 1, 0, 12, 1, called("units"), 2, called("hours since 2000-01-01 06:00"), 6, 8, 428,
	called("v"), 2, 0, 1, 12, 3, called("scale_factor"), 6, 1, 0.5, called("_FillValue"), 1, 1, int8(-1), "\x00\x00\x00", called("units"), 2, called("degC"), 1, 4, 436,
	called("w"), 1, 1, 12, 1, called("units"), 2, called("furlong"), 5, 12, 408,
	called("title"), 1, 2, 0, 0, 2, 8, 420,
	float32(1.5), float32(-2), float32(4), "hello\x00\x00\x00",
	0.0, "\x02\x04\xff\x00", 1.0, "\x06\x08\x0a\x00", 2.5, "\xfe\xff\x00\x00")

func kept(t testing.TB, data []byte) string {
	path := filepath.Join(t.TempDir(), "a.nc")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// opened is a variable of a file with its dims.
func opened(t testing.TB, path, member string) (*input, []ops.Dim, error) {
	t.Helper()
	in, err := open(path, format.Choice{"member": member})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	n := in.(*input)
	about := n.About()
	dims := make([]ops.Dim, len(about.Shape))
	for i, size := range about.Shape {
		dims[i] = ops.Dim{Name: about.Names[i], Size: size}
	}
	spec := &ops.Spec{Name: "read", Params: []ops.Param{ops.Str("path", ""), ops.Num("pixel", "m", "").Opt()}}
	warnings, err := n.Place(optest.Call(spec, map[string]ops.Value{"path": ops.Text(path)}), dims)
	if err != nil {
		t.Fatal(err)
	}
	return n, dims, warnings
}

func floats(t testing.TB, n *input, at region.Region) []float64 {
	t.Helper()
	out := make([]float64, at.Points())
	if err := n.Read(words.Raw(out), element.Float64, 0, at); err != nil {
		t.Fatal(err)
	}
	return out
}

// A file of records that was made by hand is read: coordinates in seconds, what is missing as NaN, texts, and doubts about units.
func TestRecords(t *testing.T) {
	for name, data := range map[string][]byte{"whole": records, "streamed": slices.Concat(records[:4], joined(-1), records[8:])} {
		path := kept(t, data)
		parts, err := list(path, nil)
		if err != nil || len(parts) != 3 || *parts[2].Text != "hello" || fmt.Sprint(parts[0].Dims) != "[time x]" {
			t.Fatalf("%s: %+v, %v", name, parts, err)
		}
		v, dims, warnings := opened(t, path, "v")
		about := v.About()
		if about.Scale != 0.5 || !about.Gaps || about.Nodata == nil || *about.Nodata != -1 || about.Unit.Offset != 273.15 || warnings != nil {
			t.Errorf("%s: %+v, %v", name, about, warnings)
		}
		const first = 946706400 // 2000-01-01 06:00
		if d := dims[0]; !slices.Equal(d.Coords, []float64{first, first + 3600, first + 9000}) || !d.Unit.Same(ops.MustUnit("s")) || dims[1].Coords != nil {
			t.Errorf("%s: %v", name, dims)
		}
		if got := floats(t, v, region.Whole(3, 3)); fmt.Sprint(got) != "[2 4 NaN 6 8 10 -2 NaN 0]" {
			t.Errorf("%s: %v", name, got)
		}
		if got := floats(t, v, region.Region{{Lo: 1, Hi: 3}, {Lo: 1, Hi: 2}}); fmt.Sprint(got) != "[8 NaN]" {
			t.Errorf("%s: %v", name, got)
		}
		w, _, _ := opened(t, path, "w")
		if about := w.About(); len(about.Doubts) != 1 || !strings.Contains(about.Doubts[0].Error(), "furlong") || !about.Unit.Plain() {
			t.Errorf("%s: %v", name, w.About().Doubts)
		}
		if got := floats(t, w, region.Whole(3)); fmt.Sprint(got) != "[1.5 -2 4]" {
			t.Errorf("%s: %v", name, got)
		}
		if _, err := open(path, format.Choice{"member": "title"}); err == nil || !strings.Contains(err.Error(), "holds a text in title") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := open(path, format.Choice{}); err == nil || !strings.Contains(err.Error(), "holds 3 variables: v, w, title") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// One variable of records alone is not filled up to 4 bytes, as the specification has it.
func TestRecordsAlone(t *testing.T) {
	path := kept(t, joined("CDF\x01", 3, 10, 1, called("n"), 0, 0, 0, 11, 1, called("v"), 1, 0, 0, 0, 3, 4, 80, int16(5), int16(-6), int16(7)))
	v, _, _ := opened(t, path, "")
	if got := floats(t, v, region.Whole(3)); fmt.Sprint(got) != "[5 -6 7]" {
		t.Error(got)
	}
}

// Elements that are not valid are missing: by limits in the type that is stored, or in floats of what elements stand for.
func TestValid(t *testing.T) {
	for _, c := range []struct {
		attributes []byte
		n          int
		want       string
	}{
		{joined(called("valid_range"), 3, 2, int16(-5), int16(5)), 1, "[5 NaN NaN] 0"},
		{joined(called("valid_max"), 3, 1, int16(6), "\x00\x00"), 1, "[5 -6 NaN] 0"},
		{joined(called("scale_factor"), 6, 1, -0.5, called("valid_min"), 6, 1, -3.0), 2, "[-2.5 3 NaN] 0"},
		{joined(called("scale_factor"), 6, 1, 0.5, called("valid_range"), 3, 2, int16(-6), int16(6)), 2, "[2.5 -3 NaN] 0"},
		{joined(called("_Unsigned"), 2, called("true"), called("valid_range"), 3, 2, int16(6), int16(-6)), 2, "[NaN 65530 7] 0"},
		{joined(called("valid_range"), 3, 1, int16(6), "\x00\x00"), 1, "[5 -6 7] 1"},
		{joined(called("valid_range"), 3, 2, int16(6), int16(5)), 1, "[5 -6 7] 1"},
	} {
		head := joined("CDF\x01", 0, 10, 1, called("n"), 3, 0, 0, 11, 1, called("v"), 1, 0, 12, c.n, c.attributes, 3, 8)
		v, _, _ := opened(t, kept(t, joined(head, len(head)+4, int16(5), int16(-6), int16(7), "\x00\x00")), "")
		got := floats(t, v, region.Whole(3))
		if s := v.About().Scale; s != 0 {
			for i := range got {
				got[i] *= s
			}
		}
		if text := fmt.Sprint(got, len(v.About().Doubts)); text != c.want {
			t.Errorf("%q: %s, want %s", c.attributes, text, c.want)
		}
	}
}

// A file of CDF-5 by hand has counts of 8 bytes and whole numbers of 64 bits.
func TestLongCounts(t *testing.T) {
	name := func(s string) []byte {
		return append(joined(int64(len(s)), s), make([]byte, padded(int64(len(s)))-int64(len(s)))...)
	}
	head := joined("CDF\x05", int64(0), 10, int64(1), name("n"), int64(2), 0, int64(0), 11, int64(1), name("big"), int64(1), int64(0),
		12, int64(1), name("missing_value"), 11, int64(1), uint64(1<<63+1), 11, int64(16))
	path := kept(t, joined(head, int64(len(head)+8), uint64(1<<63+1), uint64(1<<63)))
	v, _, _ := opened(t, path, "")
	if got := floats(t, v, region.Whole(2)); v.About().DType != element.Uint64 || !math.IsNaN(got[0]) || got[1] != 1<<63 {
		t.Error(v.About(), got)
	}
}

// What is written is, byte for byte, what the specification asks for.
func TestWritten(t *testing.T) {
	x := ops.Dim{Name: "x", Size: 3, Unit: ops.MustUnit("mm"), Coords: []float64{0.001, 0.002, 0.004}}
	typ := ops.Type{Elem: ops.ElemType{Base: ops.I32.Base}, Dims: []ops.Dim{x}, Unit: ops.MustUnit("m/s")}
	missing := -1.0
	h, err := fileOf([]format.Named{{Name: "v", Order: format.Order{Type: typ, Elem: typ.Elem, DType: element.Int32, Unit: typ.Unit, Nodata: &missing}}})
	if err != nil {
		t.Fatal(err)
	}
	text, end := h.encode()
	want := joined("CDF\x02", 0, 10, 1, called("x"), 3, 12, 1, called("Conventions"), 2, called("CF-1.8"), 11, 2,
		called("x"), 1, 0, 12, 1, called("units"), 2, called("mm"), 6, 24, int64(236),
		called("v"), 1, 0, 12, 2, called("units"), 2, called("m s-1"), called("_FillValue"), 4, 1, -1, 4, 12, int64(260))
	if !bytes.Equal(text, want) || len(want) != 236 || end != 272 {
		t.Errorf("%q\n%q, %d", text, want, end)
	}
	if got := h.vars[0].data; !bytes.Equal(got, joined(1.0, 2.0, 4.0)) {
		t.Errorf("% x", got)
	}
	for d, version := range map[element.DType]byte{element.Float32: 2, element.Uint8: 2, element.Uint16: 2, element.Bool: 2, element.Uint32: 5, element.Int64: 5} {
		h := &head{vars: []*entry{{name: "v", dtype: inFile(d)}}}
		if got := h.version(); got != version {
			t.Errorf("%s is in CDF-%d", d, got)
		}
	}
	long := &head{vars: []*entry{{name: "v", dtype: element.Int8, bytes: 1 << 33}, {name: "w", dtype: element.Int8, bytes: 1 << 33}}}
	if long.version() != 5 || (&head{vars: long.vars[:1]}).version() != 2 {
		t.Error("a long variable is in CDF-2 unless it is the last")
	}
}

// tried reads all that is found in bytes.
func tried(t testing.TB, data []byte) {
	all, err := find(bytes.NewReader(data), int64(len(data)))
	sane(t, err)
	if err != nil {
		return
	}
	for _, v := range all.arrays() {
		v.names()
		v.unit()
		all.gridMapping(v)
		m, err := v.meaning()
		sane(t, err)
		if n := region.Whole(v.shape...).Points(); err != nil || v.not != "" || v.wrong != nil || v.text != nil || v.set != nil || n > 1<<16 {
			continue
		} else if m.dtype.Class() != element.Complex {
			e := &elements{r: bytes.NewReader(data), of: v, dtype: m.dtype, missing: m.missing}
			sane(t, e.Read(words.Raw(make([]float64, n)), element.Float64, 0, region.Whole(v.shape...)))
		}
	}
}

// sane checks that an error is about the file.
func sane(t testing.TB, err error) {
	var e *fileio.Error
	if err != nil && !errors.As(err, &e) {
		t.Fatalf("%T: %v", err, err)
	}
}

// Files that are cut short or damaged are errors, wherever that is.
func TestDamage(t *testing.T) {
	for n := range len(records) - 1 { // the last byte fills up
		c, err := find(bytes.NewReader(records[:n]), int64(n))
		sane(t, err)
		if err == nil && !slices.ContainsFunc(c.vars, func(v *variable) bool { return v.wrong != nil && strings.Contains(v.wrong.Error(), "is cut short") }) {
			t.Fatalf("%d bytes of %d are a file", n, len(records))
		}
	}
	for i := range records {
		for _, by := range []byte{1, 0x80, 0xff} {
			spoilt := bytes.Clone(records)
			spoilt[i] ^= by
			tried(t, spoilt)
		}
	}
	for text, want := range map[string]string{"": "is not a netCDF file", "hello, this is no file of any kind": "is not a netCDF file", "CDF\x07 and more": "versions 1, 2 and 5 are read"} {
		if _, err := find(strings.NewReader(text), int64(len(text))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	huge := joined("CDF\x05", int64(0), 10, int64(2), int64(1), "x\x00\x00\x00", int64(1<<50), int64(1), "y\x00\x00\x00", int64(1<<50), 0, int64(0), 11, int64(1), int64(1), "v\x00\x00\x00", int64(2), int64(0), int64(1))
	if _, err := find(bytes.NewReader(huge), int64(len(huge))); err == nil || !strings.Contains(err.Error(), "more elements than there are bytes") {
		t.Error(err)
	}
}

func FuzzFind(f *testing.F) {
	f.Add(records)
	four, err := os.ReadFile("testdata/four.nc")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(four)
	f.Add(joined("CDF\x05", int64(0), 0, int64(0), 0, int64(0), 0, int64(0)))
	f.Fuzz(func(t *testing.T, data []byte) { tried(t, data) })
}
