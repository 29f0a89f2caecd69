package files

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/format"
	"weft/ops/files/words"
	"weft/ops/optest"
	"weft/ops/problem"
)

// column is the example of CONTRIBUTING: text files with a number a line.
var column = &format.Format{
	Name: "column", Endings: []string{".col"}, Reads: "A text file holds a number a line.",
	Open: openColumn, Holds: func(d element.DType) bool { return d == element.Float64 }, Takes: []string{"as"}, Write: writeColumn,
}

type columnInput []float64

func openColumn(path string, _ format.Choice) (format.Input, error) {
	file, _, err := fileio.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var in columnInput
	for s := bufio.NewScanner(file); s.Scan(); {
		v, err := strconv.ParseFloat(s.Text(), 64)
		if err != nil {
			return nil, &fileio.Error{Path: path, Kind: fileio.Foreign, Reason: fmt.Sprintf("line %d is no number", len(in)+1)}
		}
		in = append(in, v)
	}
	return in, nil
}

func (in columnInput) About() format.About {
	return format.About{DType: element.Float64, Shape: []int{len(in)}, Band: len(in)}
}

func (in columnInput) Read(dst []byte, as element.DType, _ int, t region.Region) error {
	convert, err := element.Converter(element.Float64, as)
	if err == nil {
		convert(dst[:t[0].Len()*as.Size()], words.Raw([]float64(in[t[0].Lo:t[0].Hi])))
	}
	return err
}

func (in columnInput) Close() error { return nil }

func writeColumn(_ context.Context, o format.Order, h ops.HostArray) error {
	return fileio.WriteFile(o.Path, func(w io.Writer) error {
		for i := range h.Type.Len() {
			if _, err := fmt.Fprintln(w, format.Shown(h.Float(i), o.Unit)); err != nil {
				return err
			}
		}
		return nil
	})
}

// A format needs no more than its line in the registry: it is read and written, whole and in parts, with units and types, and its
// mistakes are told like those of others.
func TestOneLineMakesAFormat(t *testing.T) {
	before := formats
	defer func() { formats = before }()
	formats = append(formats[:len(formats):len(formats)], column)

	typ := ops.Type{Elem: ops.F64, Dims: optest.Dims("x", 300), Unit: ops.MustUnit("mm")}
	h := hostOf(t, typ, ir.Pad{}, 3)
	path := written(t, "a.col", h, nil)
	text, err := os.ReadFile(path)
	if err != nil || strings.Count(string(text), "\n") != 300 {
		t.Fatalf("%d lines, %v", strings.Count(string(text), "\n"), err)
	}
	for as, rule := range map[string]ops.ErrorRule{"f64": {Metric: ops.Relative, Tolerance: 1e-15}, "f32": {Metric: ops.Relative, Tolerance: 1e-7}} {
		got, note := readBack(t, map[string]ops.Value{"path": ops.Text(path), "dims": names("x"), "unit": ops.Symbol("mm"), "as": ops.Symbol(as)})
		if err := optest.Differ(got.Dense(), h.Dense(), rule); err != nil || note.Bytes != 2400 {
			t.Errorf("as %s: %v, %d bytes", as, err, note.Bytes)
		}
	}
	read := optest.Bind(t, bind(readSpec(), map[string]ops.Value{"path": ops.Text(path), "unit": ops.Symbol("mm")})).(*reading)
	if lo, hi, err := read.Range(0); err != nil || lo >= hi {
		t.Errorf("range %g to %g, %v", lo, hi, err)
	}
	if doc := readSpec(); !strings.Contains(doc.Doc, "column") || !strings.Contains(doc.Long, "a number a line") || !strings.Contains(doc.Params[0].Doc, ".col") {
		t.Errorf("the manual does not know it: %s", doc.Doc)
	}
	folder := t.TempDir()
	bad := filepath.Join(folder, "bad.col")
	if err := os.WriteFile(bad, []byte("1\ntwo\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err = bindRead(bind(readSpec(), map[string]ops.Value{"path": ops.Text(bad)}))
	wantProblem(t, err, problem.NotThisFormat, "path", []string{"line 2"})
	for arg, value := range map[string]ops.Value{"title": ops.Text("x"), "as": ops.Symbol("i32")} {
		_, err := bindWrite(bind(writeSpec(), map[string]ops.Value{"array": optest.Array(typ), "path": ops.Text(filepath.Join(folder, "b.col")), arg: value}))
		wantProblem(t, err, map[string]string{"title": problem.ContradictArguments, "as": problem.CannotStore}[arg], map[string]string{"title": "title", "as": "array"}[arg], nil)
	}
	call := bind(writeSpec(), map[string]ops.Value{"array": optest.Array(typ), "path": ops.Text(filepath.Join(folder, "b.col"))})
	if err := optest.Bind(t, call).(*writing).Fits(); err == nil || !strings.Contains(err.Error(), ".npy, .zarr, .tif, .fits, .nc and .nrrd files are written by rows") {
		t.Errorf("by rows: %v", err)
	}
}
