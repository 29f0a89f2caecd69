package files

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/format"
	"weft/ops/problem"
)

func readSpec() *ops.Spec {
	return &ops.Spec{
		Name: "read", Doc: "An array from a file: " + named(reads) + ".", Group: group,
		Long: "Reads arrays of booleans, integers, floats and complex numbers of either byte order, in C or Fortran order. Element types are " +
			"kept unless `as` asks for another; uint64 becomes i64. Integers become floats and narrow floats wide ones freely, wide integers " +
			"narrow ones where they fit. With a unit, the numbers in the file are in that unit; those that must be multiplied to get SI units " +
			"(all but such as m, s or Pa) become floats. NaN and infinities are kept, and counted in a warning." + manual(func(f *format.Format) string { return f.Reads }),
		Returns: "an array over dims, in the order of the file, or a record of such. A part of a record that is a single number, such as the frequency that data were sampled at, is one that is known while checking, in place of an array.",
		Params: []ops.Param{
			ops.Str("path", "file ending in "+endings(those(reads), true, "or")+", relative to the folder where weft runs; a pattern with * or a list of files").Also(ops.KList),
			ops.Names("dims", "names of its dimensions, in the order of the file; y and x of a GeoTIFF, otherwise axis0, axis1 and so on when left out; for a record those that come first in its arrays, or the ones along which arrays of fewer dimensions have as many elements").New().Opt(),
			{Name: "unit", Doc: `unit of the numbers in the file: mm, "m/s"`, Accept: ops.KSymbol | ops.KText | ops.KNumber, Unit: "*", Optional: true},
			{Name: "hdu", Doc: "name of the part of a FITS file, or its number, from 0; the first with data when left out", Accept: ops.KSymbol | ops.KText | ops.KNumber, Integer: true, Optional: true},
			{Name: "band", Doc: "number of the band of a GeoTIFF file, from 1, where it holds several", Accept: ops.KNumber, Integer: true, Positive: true, Optional: true},
			ops.Str("member", "name of one array of an NPZ file, or of a column of a FITS or CSV table; all, as a record, when left out").Opt(),
			ops.Choose("as", "element type to read as", elementNames()...).Opt(),
			{Name: "along", Doc: "dimension of several files: one that they have, along which they lie behind each other, or a new one", Accept: ops.KSymbol, Optional: true},
			{Name: "numbers", Doc: "unit of the numbers in the names of several files, which are its coordinates then", Accept: ops.KSymbol | ops.KText | ops.KNumber, Unit: "*", Optional: true},
			ops.Num("pixel", "m", "size of a pixel of a raster over y and x whose file does not say it").Above0().Opt(),
		},
		Bind:   bindRead,
		Expand: expandRead, Expands: func(c *ops.Call) bool { return several(c) || partsOf(c) != nil },
	}
}

// reading is a use of read.
type reading struct {
	ops.Gives
	*ops.Call
	about  format.About // of the file as it was when the program was checked
	rows   []int        // its elements, if they are starts of rows
	looked bool         // whether they are was looked up
	within *span        // where its elements lie, if they are whole numbers and that was looked up
}

func bindRead(c *ops.Call) (ops.Op, error) {
	unit, unitErr := parseUnit(c)
	in, err := open(c)
	if err != nil {
		return nil, errors.Join(unitErr, err)
	}
	defer in.Close()
	if !c.Has("unit") {
		unit = in.Unit
	}
	elem, elemErr := elemFor(c, in, unit)
	dims, dimErr := dimsFor(c, in)
	if err := errors.Join(unitErr, elemErr, dimErr); err != nil {
		return nil, err
	}
	warnings, err := in.place(c, dims)
	if err != nil {
		return nil, err
	}
	return &reading{Gives: ops.One(ops.Type{Elem: elem, Dims: dims, Unit: unit}), Call: c, about: in.About}, warnings
}

// File is the path.
func (r *reading) File() string { return r.Text("path") }

// OpenSource opens the file for reading by parts.
func (r *reading) OpenSource() (ops.TileSource, error) { return r.open(r.Gives[0].Type) }

// elemFor is the element type to read as.
func elemFor(c *ops.Call, in input, unit ops.Unit) (ops.ElemType, error) {
	elem := in.elem()
	scaled := unit.SI() != 1 || unit.Offset != 0 || in.Scale != 0
	if as, ok := ops.ParseElem(c.Symbol("as")); ok {
		switch {
		case !in.reads(as):
			return elem, problem.Wrong(problem.WrongElementType, "as", "read it as it is and convert it by abs, real or cast", "%s of the file cannot be read as %s", elem, as)
		case in.Scale != 0 && !as.Base.Float():
			return elem, problem.Wrong(problem.WrongElementType, "as", "read it as f32", "elements of %s stand for %v times themselves and %v, which are no whole numbers", c.Text("path"), in.Scale, in.Offset)
		case scaled && !as.Base.Float():
			return elem, problem.Wrong(problem.WrongElementType, "as", "read it as f32", "whole numbers of %s are no whole numbers of SI units", unit)
		case scaled && as.Size() < ops.F32.Size():
			return elem, problem.Wrong(problem.WrongElementType, "as", "read it as f32", "in SI units the numbers may be too large or too small for %s", as)
		}
		return as, nil
	}
	switch {
	case (in.Gaps || in.Scale != 0) && elem.Base == ir.I32: // f32 has not all of its numbers
		elem.Base = ir.F64
	case scaled || in.Gaps && !elem.Base.Float():
		elem.Base = ops.Inexact(elem.Base)
	}
	return elem, nil
}

func dimsFor(c *ops.Call, in input) ([]ops.Dim, error) {
	shape := in.Shape
	names, err := c.Names("dims")
	if err != nil {
		return nil, err
	}
	switch {
	case c.Has("dims"):
	case in.Names != nil:
		names = in.Names
	default:
		for i := range shape {
			names = append(names, fmt.Sprintf("axis%d", i))
		}
	}
	if len(names) != len(shape) {
		return nil, problem.Wrong(problem.DimsCount, "dims", fmt.Sprintf("name %d dimensions, in the order of the file", len(shape)), "%s has %d dimensions, of shape %v, and dims names %d",
			c.Text("path"), len(shape), element.Shape(shape), len(names))
	}
	dims := make([]ops.Dim, len(shape))
	for i, n := range shape {
		switch {
		case n == 0:
			return nil, problem.Wrong(problem.EmptyArray, "path", "", "%s holds no elements: its shape is %v", c.Text("path"), element.Shape(shape))
		case slices.Contains(names[:i], names[i]):
			return nil, problem.Wrong(problem.DuplicateDim, fmt.Sprintf("dims.%d", i), "give each dimension a name of its own", "dimension %s is named twice", names[i])
		}
		dims[i] = ops.Dim{Name: names[i], Size: n}
	}
	return dims, nil
}

// Pairs says that complex files are read in pairs, as they are.
func (r *reading) Pairs(int) bool { return r.Gives[0].Type.Elem.Complex }

// Fill reads all of the file.
func (r *reading) Fill(ctx context.Context, h ops.HostArray) (note ops.Note, err error) {
	s, err := r.open(h.Type)
	if err != nil {
		return note, err
	}
	err = s.Read(ctx, h.Type.Whole(), h)
	note, closing := s.Close(ctx)
	return note, errors.Join(err, closing)
}

// stretch turns values v into scale v + offset.
func stretch(values []float64, scale, offset float64) {
	for i, v := range values {
		values[i] = v * scale
		if offset != 0 { // -0 + 0 is 0
			values[i] += offset
		}
	}
}

// bytesOf is s seen as bytes.
func bytesOf[T float64 | complex128](s []T) []byte {
	var t T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(t)))
}
