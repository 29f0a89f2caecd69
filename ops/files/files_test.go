package files

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/format"
	"weft/ops/files/npy"
	"weft/ops/files/picture"
	"weft/ops/optest"
	"weft/ops/problem"
)

// bind makes a call of an operator of this package.
func bind(s *ops.Spec, args map[string]ops.Value) *ops.Call { return optest.Call(s, args) }

// written puts values into a file through write and gives its path.
func written(t *testing.T, name string, h ops.HostArray, args map[string]ops.Value) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	all := map[string]ops.Value{"path": ops.Text(path), "array": optest.Array(h.Type)}
	for k, v := range args {
		all[k] = v
	}
	c := bind(writeSpec(), all)
	if _, err := c.Spec.Bind(c); err != nil {
		t.Fatal(err)
	}
	if _, err := optest.Bind(t, c).(*writing).Take(context.Background(), []ops.HostArray{h}, nil); err != nil {
		t.Fatal(err)
	}
	return path
}

// readBack runs read over a file, into memory with padded rows.
func readBack(t *testing.T, args map[string]ops.Value) (ops.HostArray, ops.Note) {
	t.Helper()
	c := bind(readSpec(), args)
	out, err := c.Spec.Bind(c)
	if err != nil {
		t.Fatal(err)
	}
	typ := out.Outputs()[0].Type
	h := optest.Host(typ, ir.Pad{Before: 3, After: 2})
	note, err := optest.Bind(t, c).(*reading).Fill(context.Background(), h)
	if err != nil {
		t.Fatal(err)
	}
	return h, note
}

func hostOf(t *testing.T, typ ops.Type, pad ir.Pad, seed uint64) ops.HostArray {
	t.Helper()
	h := optest.Host(typ, pad)
	d := optest.Random(typ, seed, 0)
	if b := typ.Elem.Base; b == ir.U8 || b == ir.U16 || b == ir.U32 {
		for i, v := range d.Re {
			d.Re[i] = math.Abs(v)
		}
	}
	if err := h.SetDense(d); err != nil {
		t.Fatal(err)
	}
	return h
}

func names(n ...string) ops.List {
	var l ops.List
	for _, s := range n {
		l = append(l, ops.Symbol(s))
	}
	return l
}

// TestRoundTrip writes and reads every element type, through padded memory, in NPY and NPZ.
func TestRoundTrip(t *testing.T) {
	shapes := [][]ops.Dim{optest.Dims("x", 3, "y", 70000), optest.Dims("x", 5), nil, optest.Dims("a", 2, "b", 3, "c", 4)}
	for _, e := range format.Elems() {
		for i, dims := range shapes {
			for _, name := range []string{"a.npy", "a.npz"} {
				typ := ops.Type{Elem: e, Dims: dims}
				h := hostOf(t, typ, ir.Pad{Before: 1, After: 4}, uint64(i))
				args := map[string]ops.Value{"path": ops.Text(written(t, name, h, nil))}
				var n []string
				for _, d := range dims {
					n = append(n, d.Name)
				}
				if len(n) > 0 {
					args["dims"] = names(n...)
				}
				got, note := readBack(t, args)
				if got.Type.String() != typ.String() {
					t.Fatalf("%s %s: read as %s", name, typ, got.Type)
				}
				if err := optest.Differ(got.Dense(), h.Dense(), ops.ErrorRule{Metric: ops.Exact}); err != nil {
					t.Errorf("%s %s: %v", name, typ, err)
				}
				if note.Bytes != typ.Bytes() || len(note.Warnings) > 0 {
					t.Errorf("%s %s: note %+v", name, typ, note)
				}
			}
		}
	}
}

func TestUnits(t *testing.T) {
	typ := ops.Type{Elem: ops.F32, Dims: optest.Dims("x", 3), Unit: ops.MustUnit("degC")}
	h := ops.NewHostArray(typ)
	h.Parts[0].StoreRow(0, []float64{273.15, 283.15, 293.15})
	path := written(t, "t.npy", h, nil)
	values, _, err := npy.Load[float32](path)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float32{0, 10, 20} {
		if math.Abs(float64(values[i]-want)) > 1e-4 {
			t.Errorf("file holds %v degC, want 0, 10, 20", values)
			break
		}
	}
	kelvin := written(t, "k.npy", h, map[string]ops.Value{"unit": ops.Symbol("K")})
	if values, _, err = npy.Load[float32](kelvin); err != nil || math.Abs(float64(values[2])-293.15) > 1e-4 {
		t.Errorf("in kelvin: %v, %v", values, err)
	}
	got, _ := readBack(t, map[string]ops.Value{"path": ops.Text(path), "unit": ops.Symbol("degC"), "dims": names("x")})
	if math.Abs(got.Float(1)-283.15) > 1e-4 || got.Type.Unit.String() != "degC" {
		t.Errorf("read back %v in %s", got.Float(1), got.Type.Unit)
	}
	counts := written(t, "i.npy", hostOf(t, ops.Type{Elem: ops.ElemType{Base: ir.I16}, Dims: optest.Dims("x", 3)}, ir.Pad{}, 1), nil)
	for unit, want := range map[string]string{"mm": "f32", "m": "i16"} {
		got, _ := readBack(t, map[string]ops.Value{"path": ops.Text(counts), "unit": ops.Symbol(unit)})
		if got.Type.Elem.String() != want {
			t.Errorf("int16 in %s is read as %s, want %s", unit, got.Type.Elem, want)
		}
	}
}

func TestConversions(t *testing.T) {
	typ := ops.Type{Elem: ops.C64, Dims: optest.Dims("x", 4, "y", 3)}
	h := hostOf(t, typ, ir.Pad{}, 7)
	path := written(t, "c.npy", h, map[string]ops.Value{"as": ops.Symbol("c128")})
	if head, err := npy.Stat(path); err != nil || head.DType != element.Complex128 {
		t.Errorf("header %+v, %v", head, err)
	}
	got, _ := readBack(t, map[string]ops.Value{"path": ops.Text(path), "as": ops.Symbol("c64"), "dims": names("x", "y")})
	if err := optest.Differ(got.Dense(), h.Dense(), ops.ErrorRule{Metric: ops.Exact}); err != nil {
		t.Error(err)
	}
	real32 := hostOf(t, ops.Type{Elem: ops.F32, Dims: optest.Dims("x", 9)}, ir.Pad{}, 3)
	half, _ := readBack(t, map[string]ops.Value{"path": ops.Text(written(t, "h.npy", real32, map[string]ops.Value{"as": ops.Symbol("f16")}))})
	if half.Type.Elem.String() != "f16" {
		t.Errorf("read as %s", half.Type.Elem)
	}
	if err := optest.Differ(half.Dense(), real32.Dense(), ops.ErrorRule{Metric: ops.Relative, Tolerance: 0x1p-11}); err != nil {
		t.Error(err)
	}
}

// TestNarrowIntegers: what does not fit is an error, and leaves no file.
func TestNarrowIntegers(t *testing.T) {
	h := ops.NewHostArray(ops.Type{Elem: ops.I32, Dims: optest.Dims("x", 2, "y", 2)})
	h.Parts[0].StoreRow(1, []float64{3, 300})
	folder := t.TempDir()
	c := bind(writeSpec(), map[string]ops.Value{"path": ops.Text(filepath.Join(folder, "a.npy")), "array": optest.Array(h.Type), "as": ops.Symbol("u8")})
	_, err := optest.Bind(t, c).(*writing).Take(context.Background(), []ops.HostArray{h}, nil)
	var p problem.Problem
	if !errors.As(err, &p) || p.Code != problem.CannotStore || !strings.Contains(p.Message, "[x: 1, y: 1] is 300") {
		t.Errorf("got %v", err)
	}
	if left, _ := os.ReadDir(folder); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestNonFinite(t *testing.T) {
	h := hostOf(t, ops.Type{Elem: ops.C64, Dims: optest.Dims("a", 4, "b", 5)}, ir.Pad{}, 1)
	d := h.Dense()
	d.Im[13], d.Re[17], d.Re[18] = math.NaN(), math.Inf(1), math.NaN()
	if err := h.SetDense(d); err != nil {
		t.Fatal(err)
	}
	_, note := readBack(t, map[string]ops.Value{"path": ops.Text(written(t, "a.npy", h, nil)), "dims": names("a", "b")})
	if len(note.Warnings) != 1 {
		t.Fatalf("warnings %v", note.Warnings)
	}
	w := note.Warnings[0]
	if w.Code != problem.NonFinite || !w.Warning || !strings.Contains(w.Message, "2 NaN and 1 infinite values, the first at [a: 2, b: 3]") {
		t.Errorf("warning %+v", w)
	}
}

// header is an NPY file of version 1.0 with the given header and body.
func header(dict string, body int) []byte {
	var b bytes.Buffer
	b.WriteString("\x93NUMPY\x01\x00")
	b.Write([]byte{byte(len(dict)), byte(len(dict) >> 8)})
	b.WriteString(dict)
	b.Write(make([]byte, body))
	return b.Bytes()
}

func TestReadErrors(t *testing.T) {
	folder := t.TempDir()
	put := func(name string, data []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := put("good.npy", header("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 24))
	two := filepath.Join(folder, "two.npz")
	w, err := npy.CreateArchive(two)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []string{"a", "b"} {
		if err := w.Add(n, element.Uint8, []int{1}, []byte{1}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(false); err != nil {
		t.Fatal(err)
	}
	type args = map[string]ops.Value
	for _, tt := range []struct {
		name  string
		args  args
		code  string
		arg   string
		words []string
	}{
		{"missing", args{"path": ops.Text("none.npy")}, problem.MissingFile, "path", []string{"none.npy", "no such file", "spelling"}},
		{"folder", args{"path": ops.Text(folder + ".npy")}, problem.IsDirectory, "path", []string{"folder"}},
		{"no ending", args{"path": ops.Text("data")}, problem.UnknownFormat, "path", []string{".npy, .npz, .zarr, .tif, .tiff, .fits, .fit, .csv, .tsv, .txt, .dat, .epw, .mat, .h5, .hdf5, .uff, .nc, .nc4 or .cdf"}},
		{"other ending", args{"path": ops.Text("data.json")}, problem.UnknownFormat, "path", []string{".json"}},
		{"truncated", args{"path": ops.Text(put("t.npy", header("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 20)))}, problem.TruncatedFile, "path", []string{"24", "20"}},
		{"objects", args{"path": ops.Text(put("o.npy", header("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }", 16)))}, problem.ObjectArray, "path", []string{"Python objects"}},
		{"text", args{"path": ops.Text(put("u.npy", header("{'descr': '<U5', 'fortran_order': False, 'shape': (2,), }", 40)))}, problem.UnsupportedType, "path", []string{"text"}},
		{"huge header", args{"path": ops.Text(put("h.npy", []byte("\x93NUMPY\x02\x00\xff\xff\xff\x7f")))}, problem.HugeHeader, "path", []string{"2147483647"}},
		{"bad header", args{"path": ops.Text(put("b.npy", header("{'descr': ", 20)))}, problem.BadHeader, "path", nil},
		{"not npy", args{"path": ops.Text(put("n.npy", []byte("hello, this is text")))}, problem.NotThisFormat, "path", nil},
		{"empty array", args{"path": ops.Text(put("e.npy", header("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 3), }", 0)))}, problem.EmptyArray, "path", []string{"(0, 3)"}},
		{"wrong number of dims", args{"path": ops.Text(good), "dims": names("x")}, problem.DimsCount, "dims", []string{"(2, 3)", "names 1", "name 2 dimensions"}},
		{"dim twice", args{"path": ops.Text(good), "dims": names("x", "x")}, problem.DuplicateDim, "dims.1", []string{"x is named twice"}},
		{"dims not names", args{"path": ops.Text(good), "dims": ops.List{ops.Integer(1)}}, problem.NotANameList, "dims", nil},
		{"several members", args{"path": ops.Text(two)}, problem.AmbiguousMember, "path", []string{"a, b", `member: "a"`}},
		{"missing member", args{"path": ops.Text(two), "member": ops.Text("c")}, problem.MissingMember, "member", []string{"a, b"}},
		{"member of npy", args{"path": ops.Text(good), "member": ops.Text("c")}, problem.ContradictArguments, "member", nil},
		{"unknown unit", args{"path": ops.Text(good), "unit": ops.Symbol("parsec")}, problem.UnknownUnit, "unit", []string{"parsec"}},
		{"float as integer", args{"path": ops.Text(good), "as": ops.Symbol("i32")}, problem.WrongElementType, "as", []string{"f32", "cast"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.name == "folder" {
				if err := os.Mkdir(folder+".npy", 0o777); err != nil {
					t.Fatal(err)
				}
			}
			c := bind(readSpec(), tt.args)
			_, err := c.Spec.Bind(c)
			wantProblem(t, err, tt.code, tt.arg, tt.words)
		})
	}
}

func wantProblem(t *testing.T, err error, code, arg string, words []string) {
	t.Helper()
	var p problem.Problem
	if !errors.As(err, &p) {
		t.Fatalf("got %v, want a problem %s", err, code)
	}
	if p.Code != code || p.Arg != arg {
		t.Errorf("code %s of %s (%s), want %s of %s", p.Code, p.Arg, p.Message, code, arg)
	}
	for _, w := range words {
		if !strings.Contains(p.Message+" / "+p.Help, w) {
			t.Errorf("%q does not say %q", p.Message+" / "+p.Help, w)
		}
	}
}

// TestChangedInput: a file that was replaced since the check is not read into an array of another shape.
func TestChangedInput(t *testing.T) {
	path := written(t, "a.npy", hostOf(t, ops.Type{Elem: ops.F32, Dims: optest.Dims("x", 4)}, ir.Pad{}, 1), nil)
	c := bind(readSpec(), map[string]ops.Value{"path": ops.Text(path), "dims": names("x")})
	h := ops.NewHostArray(ops.Type{Elem: ops.F32, Dims: optest.Dims("x", 5)})
	_, err := optest.Bind(t, c).(*reading).Fill(context.Background(), h)
	wantProblem(t, err, problem.InputChanged, "path", []string{"(4,)", "(5,)"})
}

// TestComplexFilesInPairs: a complex file gives the same numbers in pairs as in parts, whole and by rows, as it is and in a unit.
func TestComplexFilesInPairs(t *testing.T) {
	for _, elem := range []ops.ElemType{ops.C64, ops.C128} {
		path := written(t, "a.npy", hostOf(t, ops.Type{Elem: elem, Dims: optest.Dims("y", 7, "x", 300)}, ir.Pad{}, 3), nil)
		for _, unit := range []string{"", "mV"} {
			args := map[string]ops.Value{"path": ops.Text(path), "dims": names("y", "x")}
			if unit != "" {
				args["unit"] = ops.Text(unit)
			}
			r := optest.Bind(t, bind(readSpec(), args)).(*reading)
			apart := ops.NewHostArrayIn(r.Gives[0].Type, []*ir.Buffer{
				{Name: "re", Type: elem.Base, Shape: []int{7, 300}, Pad: ir.Pad{Before: 3, After: 5}}, {Name: "im", Type: elem.Base, Shape: []int{7, 300}},
			})
			whole, rows := ops.NewHostArray(r.Gives[0].Type.InPairs()), ops.NewHostArray(r.Gives[0].Type.InPairs())
			for _, h := range []ops.HostArray{apart, whole} {
				if _, err := r.Fill(t.Context(), h); err != nil {
					t.Fatal(err)
				}
			}
			source, err := r.OpenSource()
			if err != nil {
				t.Fatal(err)
			}
			for _, at := range []region.Interval{{Hi: 2}, {Lo: 2, Hi: 7}} {
				part := rows.Type.Rows(at)
				if err := source.Read(t.Context(), part, rows.Sub(part)); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := source.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			for i := range 7 * 300 {
				want := apart.Complex(i)
				for _, h := range []ops.HostArray{whole, rows} {
					if got := complex(h.Float(2*i), h.Float(2*i+1)); got != want || i == 9 && got == 0 {
						t.Fatalf("%s in %q: element %d is %g in pairs, %g apart", elem, unit, i, got, want)
					}
				}
			}
		}
	}
}

func TestWriteErrors(t *testing.T) {
	folder := t.TempDir()
	in := func(name string) ops.Value { return ops.Text(filepath.Join(folder, name)) }
	plane := optest.Array(ops.Type{Elem: ops.F32, Dims: optest.Dims("x", 4, "y", 3), Unit: ops.MustUnit("dB")})
	complexPlane := optest.Array(ops.Type{Elem: ops.C64, Dims: optest.Dims("x", 4, "y", 3)})
	type args = map[string]ops.Value
	if err := os.Mkdir(filepath.Join(folder, "d.npy"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		args  args
		code  string
		arg   string
		words []string
	}{
		{"no folder", args{"array": plane, "path": in("no/a.npy")}, problem.MissingFolder, "path", []string{"create"}},
		{"folder", args{"array": plane, "path": in("d.npy")}, problem.Unwritable, "path", []string{"is a folder"}},
		{"ending", args{"array": plane, "path": in("a.xyz")}, problem.UnknownFormat, "path", []string{".xyz", ".png"}},
		{"complex picture", args{"array": complexPlane, "path": in("a.png")}, problem.CannotStore, "array", []string{"complex", "abs"}},
		{"line as picture", args{"array": optest.Array(ops.Type{Elem: ops.F32, Dims: optest.Dims("x", 4)}), "path": in("a.png")}, problem.CannotStore, "array", []string{"has 1"}},
		{"map", args{"array": plane, "path": in("a.png"), "map": ops.Text("rainbow")}, problem.UnknownChoice, "map", []string{"rainbow", "tide"}},
		{"range unit", args{"array": plane, "path": in("a.png"), "range": ops.Range{From: ops.Quantity(0, "mm"), To: ops.Quantity(1, "mm")}}, problem.UnitMismatch, "range", []string{"mm", "dB"}},
		{"steps that fall", args{"array": plane, "path": in("a.png"), "steps": ops.List{ops.Quantity(3, "dB"), ops.Quantity(2, "dB")}}, problem.NotMonotone, "steps", []string{"2 dB"}},
		{"steps of another unit", args{"array": plane, "path": in("a.png"), "steps": ops.List{ops.Quantity(3, "mm")}}, problem.UnitMismatch, "steps", []string{"mm", "dB"}},
		{"steps of names", args{"array": plane, "path": in("a.png"), "steps": ops.List{ops.Symbol("warm")}}, problem.NotANumber, "steps", nil},
		{"no steps", args{"array": plane, "path": in("a.png"), "steps": ops.List{}}, problem.OutOfBounds, "steps", nil},
		{"steps and range", args{"array": plane, "path": in("a.png"), "steps": ops.List{ops.Quantity(3, "dB")}, "range": ops.Range{From: ops.Quantity(0, "dB"), To: ops.Quantity(1, "dB")}}, problem.ContradictArguments, "steps", nil},
		{"empty range", args{"array": plane, "path": in("a.png"), "range": ops.Range{From: ops.Quantity(0, "dB"), To: ops.Quantity(-60, "dB")}}, problem.EmptyRange, "range", nil},
		{"map of numbers", args{"array": plane, "path": in("a.npy"), "map": ops.Text("gray")}, problem.ContradictArguments, "map", []string{".png and .svg files"}},
		{"type of a picture", args{"array": plane, "path": in("a.png"), "as": ops.Symbol("f16")}, problem.ContradictArguments, "as", nil},
		{"complex as real", args{"array": complexPlane, "path": in("a.npy"), "as": ops.Symbol("f32")}, problem.CannotStore, "as", []string{"abs"}},
		{"float as integer", args{"array": plane, "path": in("a.npy"), "as": ops.Symbol("i16")}, problem.CannotStore, "as", []string{"cast"}},
		{"unit", args{"array": plane, "path": in("a.npy"), "unit": ops.Symbol("mm")}, problem.WrongUnit, "unit", []string{"dB", "mm"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := bind(writeSpec(), tt.args)
			_, err := c.Spec.Bind(c)
			wantProblem(t, err, tt.code, tt.arg, tt.words)
		})
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 {
		t.Errorf("checking left files: %v, %v", left, err)
	}
}

func TestUnwritableFolder(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	folder := t.TempDir()
	if err := os.Chmod(folder, 0o555); err != nil {
		t.Fatal(err)
	}
	wantProblem(t, Writable(filepath.Join(folder, "a.npy")), problem.Unwritable, "path", []string{"permission"})
}

func TestPictures(t *testing.T) {
	dims := []ops.Dim{{Name: "x", Size: 6}, {Name: "y", Size: 4}, {Name: "z", Size: 5, Unit: ops.MustUnit("mm"), Coords: []float64{0, 1e-3, 2e-3, 3e-3, 4e-3}}}
	for n := 2; n <= 3; n++ {
		h := hostOf(t, ops.Type{Elem: ops.F32, Dims: dims[3-n:], Unit: ops.MustUnit("dB")}, ir.Pad{Before: 2}, 1)
		data, err := os.ReadFile(written(t, "a.png", h, map[string]ops.Value{"map": ops.Text("gray"), "title": ops.Text("title")}))
		if err != nil || !bytes.HasPrefix(data, []byte("\x89PNG")) {
			t.Errorf("%d dims: %d bytes, %v", n, len(data), err)
		}
		images := picture.Panels(h, h.Type.Unit)
		if want := []int{0, 0, 1, 3}[n]; len(images) != want {
			t.Fatalf("%d dims: %d panels, want %d", n, len(images), want)
		}
		first := images[0] // z down
		if first.Rows != 5 || first.Y.Name != "z" || first.Y.Unit != "mm" || math.Abs(first.Y.Last-4) > 1e-12 {
			t.Errorf("%d dims: first panel %dx%d, axis %+v", n, first.Rows, first.Cols, first.Y)
		}
	}
}

func TestBlocks(t *testing.T) {
	for _, shape := range [][]int{nil, {1}, {200000}, {3, 70000}, {70000, 3}, {2, 300, 400}, {1, 1, 65536, 2}} {
		next := 0
		for from, tile := range blocks(shape) {
			if n := int(tile.Points()); from != next || n > blockLen || n == 0 {
				t.Fatalf("%v: tile %v of %d elements at %d, expected at %d", shape, tile, n, from, next)
			}
			next += int(tile.Points())
		}
		if want := int(region.Whole(shape...).Points()); next != want {
			t.Errorf("%v: %d elements, want %d", shape, next, want)
		}
	}
}
