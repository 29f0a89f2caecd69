package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/format"
	"weft/ops/files/picture"
	"weft/ops/files/words"
	"weft/ops/problem"
)

// colours are what pictures are told.
var colours = []ops.Param{
	{Name: "map", Doc: "colours of pictures: " + strings.Join(picture.Names(), ", ") + "; gray for dB, otherwise tide", Accept: ops.KText | ops.KSymbol, Optional: true},
	ops.Span("range", "*", "values at the ends of the colours of pictures; the least and the largest when left out").Opt(),
	{Name: "steps", Doc: "values at which the colours of pictures change, and nowhere between, such as [9 degC, 26 degC, 32 degC] for thermal stress", Accept: ops.KList, Optional: true},
	ops.Str("title", "heading of pictures").Opt(),
	{Name: "behind", Doc: "array over the same dimensions that pictures show in gray where the array is NaN, such as tissue behind velocities of blood", Accept: ops.KArray, Unit: "*", Optional: true},
}

// draws says whether files are pictures.
func draws(f *format.Format) bool { return slices.Contains(f.Takes, "map") }

// imageSpec is write for pictures alone, beside the other plots.
func imageSpec() *ops.Spec {
	return &ops.Spec{
		Name: "plot.image", Doc: "Draw an array of two dimensions, or projections of one of three, to a file, with axes and a colour bar.", Group: "plots",
		Long: picture.PNG.Writes + " It is what `write` does with such a file. A file appears complete or not at all.",
		Params: append([]ops.Param{
			ops.In("array", "what to draw, in its unit"),
			ops.Str("path", "file ending in "+endings(those(draws), false, "or")+"; its folder must exist"),
		}, colours...),
		Examples: []ops.Example{{Title: "A spot", Code: "x = axis(x, -1 mm .. 1 mm in 33)\nz = axis(z, 0 mm .. 2 mm in 33)\nexp(-(x ^ 2 + z ^ 2) / (1 mm) ^ 2) | plot.image(\"spot.svg\", title: \"a spot\")"}},
		Counts:   true,
		Bind: func(c *ops.Call) (ops.Op, error) {
			if f := formatOf(c.Text("path"), draws); f == nil {
				list := endings(those(draws), false, "or")
				return nil, problem.Wrong(problem.UnknownFormat, "path", "end its name in "+list, "%s is no file of pictures", c.Text("path"))
			}
			return bindWrite(c)
		},
	}
}

func writeSpec() *ops.Spec {
	return &ops.Spec{
		Name: "write", Doc: "Write an array to a file: " + named(writes) + ", by the ending of its name.", Group: group,
		Long: "Numbers are written in the unit of the array, or the one given, in C order." + manual(func(f *format.Format) string { return f.Writes }) +
			"\n\nA file appears complete or not at all, and replaces one that is there. Where memory is short, " + endings(those(byRows), false, "and") +
			" files are written by rows as they are made, and so are records of which each array has as many rows: these lie in files beside the one that is named until all are there.",
		Params: []ops.Param{
			ops.In("array", "what to write; files ending in "+endings(those(records), false, "and")+" also take a record of arrays").Also(ops.KRecord),
			ops.Str("path", "file ending in "+endings(those(writes), false, "or")+"; its folder must exist"),
			ops.Choose("as", "element type in the file; that of the array when left out", elementNames()...).Opt(),
			{Name: "unit", Doc: `unit of the numbers in the file: mm, "m/s"; that of the array when left out`, Accept: ops.KSymbol | ops.KText | ops.KNumber, Unit: "*", Optional: true},
			ops.Num("nodata", "", "number in the file that stands for missing elements, which are NaN in the array").Opt(),
			colours[0], colours[1], colours[2], colours[3], colours[4],
			{Name: "each", Doc: "dimension of which each element has a file of its own, in whose name {DIMENSION} stands for its coordinate or index", Accept: ops.KSymbol, Optional: true},
		},
		Examples: []ops.Example{{Title: "Numbers and a picture",
			Code: "x = axis(x, -1 mm .. 1 mm in 33)\nz = axis(z, 0 mm .. 2 mm in 33)\na = exp(-(x ^ 2 + z ^ 2) / (1 mm) ^ 2)\na | write(\"spot.npy\")\na | write(\"spot.png\", map: \"kindlmann\")"}},
		Counts: true,
		Bind:   bindWrite,
		Expand: expandWrite, Expands: func(c *ops.Call) bool { return c.Has("each") },
	}
}

// writing is a use of write.
type writing struct {
	ops.Gives
	format *format.Format
	order  format.Order
}

func bindWrite(c *ops.Call) (ops.Op, error) {
	path := c.Text("path")
	w := &writing{format: formatOf(path, writes)}
	switch r, record := c.Args["array"].(ops.Record); {
	case record:
		return bindRecord(c, r)
	case w.format != nil && w.format.Create == nil && w.format.Write == nil: // files of records
		a, _ := c.Array("array")
		name := cmp.Or(a.Label(), "data")
		return bindRecord(c, ops.Record{Names: []string{name}, Fields: map[string]ops.Value{name: a}})
	case w.format == nil:
		if err := Writable(path); err != nil {
			return nil, err
		}
		return nil, unknownFormat(path, endings(those(writes), false, "or"), false)
	}
	for _, d := range c.Type("array").Dims {
		if strings.Contains(path, "{"+d.Name+"}") {
			return nil, problem.Wrong(problem.ContradictArguments, "path", "add each: "+d.Name, "%s is the name of one file as it stands: {%s} stands for the number of each where each is given", c.Args["path"], d.Name)
		}
	}
	var err error
	w.order, err = order(w.format, c, c.Type("array"))
	if err := errors.Join(check(w.format, w.order), err, Writable(path)); err != nil {
		return nil, err
	}
	if w.format.Doubts == nil {
		return w, nil
	}
	return w, w.format.Doubts(w.order)
}

// File is the path.
func (w *writing) File() string { return w.order.Path }

// order is what a call of write asks for, of an array of a type. The error is about the unit.
func order(f *format.Format, c *ops.Call, t ops.Type) (format.Order, error) {
	o := format.Order{Path: c.Text("path"), Call: c, Type: t, Elem: t.Elem}
	if e, ok := ops.ParseElem(c.Symbol("as")); ok {
		o.Elem = e
	}
	o.DType, _ = format.DTypeOf(o.Elem)
	if f.Holds != nil && o.DType == element.Bool && !f.Holds(element.Bool) {
		o.DType = element.Uint8 // 0 and 1
	}
	var err error
	if o.Unit, err = unitIn(c, t); err != nil {
		return o, err
	}
	o.Nodata, err = nodataFor(f, o)
	return o, err
}

// nodataFor is the number that stands for missing elements: the one asked for, or that of the file whose elements are written, if nothing was made of
// them: a number that is computed may be the one that marks them there.
func nodataFor(f *format.Format, o format.Order) (*float64, error) {
	if !slices.Contains(f.Takes, "nodata") {
		return nil, nil
	}
	if v := o.Call.Number("nodata"); o.Call.Has("nodata") {
		if !holds(o.DType, v) {
			return nil, problem.Wrong(problem.CannotStore, "nodata", "give a number that elements can be, or another type with `as`", "no %s element is %v", o.Elem, v)
		}
		return &v, nil
	}
	a, is := o.Call.Array("array")
	for is {
		switch op := a.Of.Bound.(type) {
		case ops.Mover:
			a = op.From()
		case *reading:
			v, u := op.about.Nodata, op.Gives[0].Type.Unit
			if v != nil && op.about.Scale == 0 && o.Unit.SI() == u.SI() && o.Unit.Offset == u.Offset && holds(o.DType, *v) {
				return v, nil
			}
			return nil, nil
		default:
			return nil, nil
		}
	}
	return nil, nil
}

// holds says whether elements of a type can be a number, or what it is rounded to.
func holds(d element.DType, v float64) bool {
	if c := d.Class(); c != element.Signed && c != element.Unsigned {
		return c == element.Floating
	}
	convert, err := element.Converter(element.Int64, d)
	return err == nil && v == math.Trunc(v) && math.Abs(v) < 1<<63 && convert(words.Bytes(d.Size()), words.Raw([]int64{int64(v)})) < 0
}

// check finds what a file of a format cannot hold, and arguments that mean nothing for it.
func check(f *format.Format, o format.Order) error {
	if err := unmeant(f, o.Call); err != nil {
		return err
	}
	if f.Check != nil {
		if err := f.Check(o); err != nil || f.Holds == nil {
			return err
		}
	}
	from, _ := format.DTypeOf(o.Type.Elem.Widen())
	switch {
	case !f.Holds(o.DType):
		return problem.Wrong(problem.CannotStore, "array", "add as: f32", "%s files hold no %s", f.Name, o.Elem)
	case element.Conversion(from, o.DType) == element.Refused:
		return problem.Wrong(problem.CannotStore, "as", "convert it by abs, real or cast first", "%s elements cannot be written as %s", o.Type.Elem, o.Elem)
	}
	return nil
}

// unmeant finds arguments that mean nothing for a format.
func unmeant(f *format.Format, c *ops.Call) error {
	for _, p := range c.Spec.Params {
		takes := func(f *format.Format) bool { return slices.Contains(f.Takes, p.Name) }
		if others := those(takes); c.Has(p.Name) && !takes(f) && len(others) > 0 {
			return problem.Wrong(problem.ContradictArguments, p.Name, "leave it out, or write a "+others[0].Endings[0],
				"`%s` is for %s files, not for %s", p.Name, endings(others, false, "and"), c.Text("path"))
		}
	}
	return nil
}

// unitIn is the unit in which the numbers are written.
func unitIn(c *ops.Call, t ops.Type) (ops.Unit, error) {
	if !c.Has("unit") {
		return t.Unit, nil
	}
	u, err := parseUnit(c)
	if err == nil && !u.Same(t.Unit) {
		return u, problem.Wrong(problem.WrongUnit, "unit", "give a unit of the same kind, or leave it out", "the array is %s, which cannot be written in %s", format.InUnit(t.Unit), u.Describe())
	}
	return u, err
}

// Writable tells why a file cannot be created or replaced, before anything runs.
func Writable(path string) error {
	f := formatOf(path, writes)
	folders := f != nil && f.Folder != nil
	if folders {
		path = filepath.Clean(path)
	}
	folder := filepath.Dir(path)
	info, err := os.Stat(folder)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return problem.Wrong(problem.MissingFolder, "path", "create the folder first: mkdir -p "+folder, "%s cannot be written: there is no folder %s", path, folder)
	case err != nil:
		return problem.Wrong(problem.Unwritable, "path", "", "%s: %v", path, err)
	case !info.IsDir():
		return problem.Wrong(problem.MissingFolder, "path", "name another folder", "%s cannot be written: %s is a file, not a folder", path, folder)
	}
	target := fileio.Target(path)
	if at, f := within(target); f != nil {
		return problem.Wrong(problem.Unwritable, "path", "name a file beside it", "%s cannot be written: it would lie in %s, a %s store, and go with it when that is written anew", path, at, f.Name)
	}
	if _, err := os.Stat(filepath.Dir(target)); errors.Is(err, os.ErrNotExist) {
		return problem.Wrong(problem.MissingFolder, "path", "create the folder first: mkdir -p "+filepath.Dir(target), "%s cannot be written: it leads to %s, and there is no such folder", path, target)
	}
	switch info, err := os.Stat(target); {
	case err == nil && info.IsDir() && folders:
		var why *fileio.Error
		if err := f.Folder(target); errors.As(err, &why) {
			return problem.Wrong(problem.Unwritable, "path", "remove it, or name another one", "%s cannot be written: it is a folder that %s", path, why.Reason)
		}
	case err == nil && folders:
		return problem.Wrong(problem.Unwritable, "path", "remove it, or name another one", "%s is a file, which no folder replaces, and a %s store is one", path, f.Name)
	case err == nil && info.IsDir():
		return problem.Wrong(problem.Unwritable, "path", "name a file in it", "%s is a folder, not a file", path)
	case err == nil && !info.Mode().IsRegular():
		return problem.Wrong(problem.Unwritable, "path", "name another file", "%s is a device or pipe, which cannot be replaced by a file", path)
	}
	if !mayWrite(filepath.Dir(target)) {
		return problem.Wrong(problem.Unwritable, "path", "check the permissions of the folder, or write elsewhere", "%s cannot be written: no permission to write in %s", path, filepath.Dir(target))
	}
	return nil
}

// within finds the folder around a path that is an array itself.
func within(path string) (at string, f *format.Format) {
	for at = filepath.Dir(path); at != filepath.Dir(at); at = filepath.Dir(at) {
		if f := formatOf(at, writes); f != nil && f.Folder != nil && f.Folder(at) == nil {
			return at, f
		}
	}
	return "", nil
}

// Take writes all of the array.
func (w *writing) Take(ctx context.Context, in []ops.HostArray, _ ops.Terminal) (ops.Note, error) {
	w.order.Type = in[0].Type // of which there may be fewer elements than there is room for
	write := w.format.Write
	if write == nil {
		write = w.send
	}
	order := w.order
	order.Path, order.Other = ops.PathFor(ctx, order.Path), in[1:]
	if err := write(ctx, order, in[0]); err != nil {
		return ops.Note{}, failure(err, true)
	}
	return wrote(ctx, w.format, order.Path, order.Type.String())
}

// send writes a file in order.
func (w *writing) send(ctx context.Context, o format.Order, h ops.HostArray) error {
	out, err := w.format.Create(o, false, nil)
	if err != nil {
		return err
	}
	if err := errors.Join(format.Send(ctx, out, o, h.Type.Whole(), h), annotate(ctx, out)); err != nil {
		return errors.Join(err, out.Abort())
	}
	return out.Commit(false)
}

// wrote says what a file holds now, and notes beside it where it comes from if it has no room for that.
func wrote(ctx context.Context, f *format.Format, path, what string) (ops.Note, error) {
	bytes, _, err := fileio.Stamp(path)
	if err != nil {
		return ops.Note{}, problem.Wrong(problem.Unwritable, "path", "", "%s: %v", path, err)
	}
	if p := ops.ProvenanceOf(ctx); p != nil && p.Beside && f.Provenance == nil {
		if err := writeBeside(path, p); err != nil {
			return ops.Note{}, failure(err, true)
		}
	}
	return ops.Note{Text: fmt.Sprintf("wrote %s: %s", path, what), Bytes: bytes}, nil
}
