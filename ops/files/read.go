package files

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"weft/ops"
	"weft/ops/files/npy"
)

func readSpec() *ops.Spec {
	return &ops.Spec{
		Name: "read", Doc: "An array from an NPY or NPZ file.", Group: group,
		Long: "Reads arrays of booleans, integers, floats and complex numbers of either byte order, in C or Fortran order. Element types are " +
			"kept unless `as` asks for another; uint64 becomes i64. Integers become floats and narrow floats wide ones freely, wide integers " +
			"narrow ones where they fit. With a unit, the numbers in the file are in that unit; those that must be multiplied to get SI units " +
			"(all but such as m, s or Pa) become floats. NaN and infinities are kept, and counted in a warning.",
		Returns: "an array over dims, in the order of the file.",
		Params: []ops.Param{
			ops.Str("path", "file ending in .npy or .npz; relative to the folder where weft runs"),
			ops.Names("dims", "names of its dimensions, in the order of the file; axis0, axis1 and so on when left out").Opt(),
			{Name: "unit", Doc: `unit of the numbers in the file: mm, "m/s"`, Accept: ops.KSymbol | ops.KText | ops.KNumber, Unit: "*", Optional: true},
			ops.Str("member", "name of the array in an NPZ file; the only one when left out").Opt(),
			ops.Choose("as", "element type to read as", elementNames()...).Opt(),
		},
		Infer: inferRead, Source: sourceRead,
	}
}

// array is an open array of a file.
type array struct {
	*npy.File
	archive *npy.Archive // nil for NPY files
}

func (a array) Close() error {
	err := a.File.Close()
	if a.archive != nil {
		err = errors.Join(err, a.archive.Close())
	}
	return err
}

// open opens the array a call names.
func open(c *ops.Call) (array, error) {
	path := c.Text("path")
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return array{}, ops.Wrong(ops.CodeIsDirectory, "path", "name a file in it", "%s is a folder, not a file", path)
	}
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".npy":
		if c.Has("member") {
			return array{}, ops.Wrong(ops.CodeContradictArguments, "member", "leave it out", "`member` is for NPZ archives: an NPY file holds a single array without a name")
		}
		f, err := npy.Open(path)
		return array{File: f}, besides(path, problem(err, false))
	case ".npz":
		return openMember(c, path)
	default:
		return array{}, unknownFormat(path, ext, ".npy or .npz")
	}
}

func unknownFormat(path, ext, known string) error {
	if ext == "" {
		return ops.Wrong(ops.CodeUnknownFormat, "path", "end it in "+known, "the name %q has no ending that tells the format", path)
	}
	return ops.Wrong(ops.CodeUnknownFormat, "path", "end it in "+known, "%s files are not known: %s", ext, path)
}

func openMember(c *ops.Call, path string) (array, error) {
	a, err := npy.OpenArchive(path)
	if err != nil {
		return array{}, besides(path, problem(err, false))
	}
	name, names := c.Text("member"), a.Names()
	switch {
	case name != "":
	case len(names) == 1:
		name = names[0]
	case len(names) == 0:
		return array{}, errors.Join(ops.Wrong(ops.CodeEmptyArray, "path", "", "%s holds no array", path), a.Close())
	default:
		return array{}, errors.Join(ops.Wrong(ops.CodeAmbiguousMember, "path", "choose one: member: "+fmt.Sprintf("%q", names[0]),
			"%s holds %d arrays: %s", path, len(names), strings.Join(names, ", ")), a.Close())
	}
	f, err := a.Open(name)
	if err != nil {
		return array{}, errors.Join(among(problem(err, false), names), a.Close())
	}
	return array{File: f, archive: a}, nil
}

func inferRead(c *ops.Call) ([]ops.Output, error) {
	unit, unitErr := parseUnit(c)
	a, err := open(c)
	if err != nil {
		return nil, errors.Join(unitErr, err)
	}
	h := a.Header()
	if err := a.Close(); err != nil {
		return nil, problem(err, false)
	}
	elem, elemErr := elemFor(c, h.DType, unit)
	dims, dimErr := dimsFor(c, h.Shape)
	if err := errors.Join(unitErr, elemErr, dimErr); err != nil {
		return nil, err
	}
	return []ops.Output{{Type: ops.Type{Elem: elem, Dims: dims, Unit: unit}}}, nil
}

// elemFor is the element type to read as.
func elemFor(c *ops.Call, file npy.DType, unit ops.Unit) (ops.ElemType, error) {
	elem := elemOf(file)
	scaled := unit.SI() != 1 || unit.Offset != 0
	if as, ok := ops.ParseElem(c.Symbol("as")); ok {
		to, _ := fileType(as)
		switch {
		case npy.Conversion(file, to) == npy.Refused:
			return elem, ops.Wrong(ops.CodeWrongElementType, "as", "read it as it is and convert it by abs, real or cast", "%s of the file cannot be read as %s", elem, as)
		case scaled && !as.Base.Float():
			return elem, ops.Wrong(ops.CodeWrongElementType, "as", "read it as f32", "whole numbers of %s are no whole numbers of SI units", unit)
		}
		return as, nil
	}
	if scaled && !elem.Base.Float() {
		return ops.ElemType{Base: ops.Inexact(elem.Base)}, nil
	}
	return elem, nil
}

func dimsFor(c *ops.Call, shape []int) ([]ops.Dim, error) {
	names, err := c.Names("dims")
	if err != nil {
		return nil, err
	}
	if !c.Has("dims") {
		for i := range shape {
			names = append(names, fmt.Sprintf("axis%d", i))
		}
	}
	if len(names) != len(shape) {
		return nil, ops.Wrong(ops.CodeDimsCount, "dims", fmt.Sprintf("name %d dimensions, in the order of the file", len(shape)), "%s has %d dimensions, of shape %v, and dims names %d",
			c.Text("path"), len(shape), npy.Shape(shape), len(names))
	}
	dims := make([]ops.Dim, len(shape))
	for i, n := range shape {
		switch {
		case n == 0:
			return nil, ops.Wrong(ops.CodeEmptyArray, "path", "", "%s holds no elements: its shape is %v", c.Text("path"), npy.Shape(shape))
		case slices.Contains(names[:i], names[i]):
			return nil, ops.Wrong(ops.CodeDuplicateDim, fmt.Sprintf("dims.%d", i), "give each dimension a name of its own", "dimension %s is named twice", names[i])
		}
		dims[i] = ops.Dim{Name: names[i], Size: n}
	}
	return dims, nil
}

func sourceRead(ctx context.Context, c *ops.Call, h ops.HostArray) (note ops.Note, err error) {
	a, err := open(c)
	if err != nil {
		return note, err
	}
	defer func() { err = errors.Join(err, problem(a.Close(), false)) }()
	if !slices.Equal(a.Header().Shape, h.Type.Shape()) {
		return note, ops.Wrong(ops.CodeInputChanged, "path", "run again", "%s has become %v since it was checked, from %v",
			c.Text("path"), npy.Shape(a.Header().Shape), npy.Shape(h.Type.Shape()))
	}
	if err := fill(ctx, a, h); err != nil {
		return note, problem(err, false)
	}
	note.Bytes = a.Header().Bytes()
	note.Text = fmt.Sprintf("read %s: %s", c.Text("path"), h.Type)
	note.Warnings, err = nonFinite(ctx, c, h)
	return note, err
}

// fill reads the elements into memory: as they are where the layout allows it, otherwise by blocks.
func fill(ctx context.Context, a array, h ops.HostArray) error {
	stored, known := fileType(ops.ElemType{Base: h.Buf.Type})
	unit := h.Type.Unit
	if known && !h.Type.Elem.Complex && unit.SI() == 1 && unit.Offset == 0 {
		layout := npy.Layout{DType: stored}
		if len(h.Type.Dims) > 0 {
			layout.RowStride = h.Stride()
		}
		return a.Read(h.Data[h.Offset():], layout)
	}
	for from, t := range blocks(h.Type.Shape()) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := fillBlock(a, h, from, t); err != nil {
			return err
		}
	}
	return nil
}

// fillBlock reads one tile, which begins at element from, through float64.
func fillBlock(a array, h ops.HostArray, from int, t npy.Tile) error {
	n := tileLen(t)
	unit := h.Type.Unit
	if !h.Type.Elem.Complex {
		values := make([]float64, n)
		if err := a.ReadTile(bytesOf(values), npy.Layout{DType: npy.Float64}, t); err != nil {
			return err
		}
		toSI(values, unit)
		h.StoreRange(0, from, values)
		return nil
	}
	pairs := make([]complex128, n)
	if err := a.ReadTile(bytesOf(pairs), npy.Layout{DType: npy.Complex128}, t); err != nil {
		return err
	}
	re, im := make([]float64, n), make([]float64, n)
	for i, v := range pairs {
		re[i], im[i] = real(v), imag(v)
	}
	for plane, part := range [][]float64{re, im} {
		toSI(part, unit)
		h.StoreRange(plane, from, part)
	}
	return nil
}

// toSI converts numbers in a unit.
func toSI(values []float64, u ops.Unit) {
	if u.SI() == 1 && u.Offset == 0 {
		return
	}
	for i, v := range values {
		values[i] = v*u.SI() + u.Offset
	}
}

// bytesOf is s seen as bytes.
func bytesOf[T float64 | complex128](s []T) []byte {
	var t T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(t)))
}

// nonFinite warns about NaN and infinities.
func nonFinite(ctx context.Context, c *ops.Call, h ops.HostArray) ([]ops.Problem, error) {
	if !h.Buf.Type.Float() {
		return nil, nil
	}
	first, count, nan := -1, 0, 0
	values := make([]float64, blockLen)
	for plane := range h.Planes() {
		for from := 0; from < h.Type.Len(); from += blockLen {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			part := values[:min(blockLen, h.Type.Len()-from)]
			h.LoadRange(part, plane, from)
			for i, v := range part {
				if v-v == 0 { // finite
					continue
				}
				count++
				if math.IsNaN(v) {
					nan++
				}
				if first < 0 || from+i < first {
					first = from + i
				}
			}
		}
	}
	if count == 0 {
		return nil, nil
	}
	w := ops.Wrong(ops.CodeNonFinite, "path", "they spread to all that is computed of them; where(is_nan(a), 0, a) replaces NaN", "%s holds %d NaN and %d infinite values, the first at %s",
		c.Text("path"), nan, count-nan, indexText(h.Type, first))
	w.Warning = true
	return []ops.Problem{w}, nil
}

// indexText writes the place of element i: [sample: 3, element: 17].
func indexText(t ops.Type, i int) string {
	parts := make([]string, len(t.Dims))
	for k, d := range slices.Backward(t.Dims) {
		parts[k] = fmt.Sprintf("%s: %d", d.Name, i%d.Size)
		i /= d.Size
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
