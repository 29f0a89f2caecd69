package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/npy"
	"weft/ops/files/picture"
	"weft/ops/problem"
)

// format is a kind of file that write makes.
type format struct {
	check func(c *ops.Call, t ops.Type) error
	write func(ctx context.Context, c *ops.Call, h ops.HostArray) error
}

var formats = map[string]format{
	".npy":  {checkNumbers, writeNPY},
	".npz":  {checkNumbers, writeNPZ},
	".png":  {checkPicture, writePNG},
	".tif":  {checkRaster, writeRaster},
	".tiff": {checkRaster, writeRaster},
}

const formatNames = ".npy, .npz, .tif or .png"

func writeSpec() *ops.Spec {
	return &ops.Spec{
		Name: "write", Doc: "Write an array to a file: NPY, NPZ, GeoTIFF or a PNG picture, by the ending of its name.", Group: group,
		Long: "Numbers are written in the unit of the array, or the one given, in C order. NPZ files also hold the coordinates of each dimension under " +
			"its name. A GeoTIFF holds one real array of two dimensions, rows first, with its coordinates, map projection, and what it was made from. Pictures show two dimensions with axes and a colour bar, x across and z down where there are such; of three dimensions " +
			"they show the largest values along each, side by side. A file appears complete or not at all, and replaces one that is there.",
		Params: []ops.Param{
			ops.In("array", "what to write"),
			ops.Str("path", "file ending in "+formatNames+"; its folder must exist"),
			ops.Choose("as", "element type in the file; that of the array when left out", elementNames()...).Opt(),
			{Name: "unit", Doc: `unit of the numbers in the file: mm, "m/s"; that of the array when left out`, Accept: ops.KSymbol | ops.KText | ops.KNumber, Unit: "*", Optional: true},
			{Name: "map", Doc: "colours of pictures: " + strings.Join(mapNames(), ", ") + "; gray for dB, otherwise tide", Accept: ops.KText | ops.KSymbol, Optional: true},
			ops.Span("range", "*", "values at the ends of the colours of pictures; the least and the largest when left out").Opt(),
			ops.Str("title", "heading of pictures").Opt(),
		},
		Examples: []ops.Example{{Title: "Numbers and a picture",
			Code: "x = axis(x, -1 mm .. 1 mm in 33)\nz = axis(z, 0 mm .. 2 mm in 33)\na = exp(-(x ^ 2 + z ^ 2) / (1 mm) ^ 2)\na | write(\"spot.npy\")\na | write(\"spot.png\", map: \"kindlmann\")"}},
		Bind: bindWrite,
	}
}

// writing is a use of write.
type writing struct{ *ops.Call }

// Outputs are none.
func (writing) Outputs() []ops.Output { return nil }

// File is the path.
func (w writing) File() string { return w.Text("path") }

func mapNames() []string {
	var names []string
	for _, m := range picture.Maps {
		names = append(names, m.Name)
	}
	return names
}

// ending is the format of a path.
func ending(path string) string { return strings.ToLower(filepath.Ext(path)) }

func bindWrite(c *ops.Call) (ops.Op, error) {
	path, t := c.Text("path"), c.Type("array")
	f, known := formats[ending(path)]
	if !known {
		if err := writable(path); err != nil {
			return nil, err
		}
		return nil, unknownFormat(path, formatNames, false)
	}
	_, unitErr := unitIn(c, t)
	return writing{c}, errors.Join(f.check(c, t), unitErr, writable(path))
}

// unitIn is the unit in which the numbers are written.
func unitIn(c *ops.Call, t ops.Type) (ops.Unit, error) {
	if !c.Has("unit") {
		return t.Unit, nil
	}
	u, err := parseUnit(c)
	if err == nil && !u.Same(t.Unit) {
		return u, problem.Wrong(problem.WrongUnit, "unit", "give a unit of the same kind, or leave it out", "the array is %s, which cannot be written in %s", inUnit(t.Unit), u.Describe())
	}
	return u, err
}

func inUnit(u ops.Unit) string {
	if u.Plain() {
		return u.Describe()
	}
	return "in " + u.String()
}

// writable finds out whether a file can be made at path, without making it.
func writable(path string) error {
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
	if _, err := os.Stat(filepath.Dir(target)); errors.Is(err, os.ErrNotExist) {
		return problem.Wrong(problem.MissingFolder, "path", "create the folder first: mkdir -p "+filepath.Dir(target), "%s cannot be written: it leads to %s, and there is no such folder", path, target)
	}
	switch info, err := os.Stat(target); {
	case err == nil && info.IsDir():
		return problem.Wrong(problem.Unwritable, "path", "name a file in it", "%s is a folder, not a file", path)
	case err == nil && !info.Mode().IsRegular():
		return problem.Wrong(problem.Unwritable, "path", "name another file", "%s is a device or pipe, which cannot be replaced by a file", path)
	case !mayWrite(filepath.Dir(target)):
		return problem.Wrong(problem.Unwritable, "path", "check the permissions of the folder, or write elsewhere", "%s cannot be written: no permission to write in %s", path, filepath.Dir(target))
	}
	return nil
}

// Take writes all of the array.
func (w writing) Take(ctx context.Context, in []ops.HostArray, _ ops.Terminal) (ops.Note, error) {
	path, h := w.Text("path"), in[0]
	if err := formats[ending(path)].write(ctx, w.Call, h); err != nil {
		return ops.Note{}, failure(err, true)
	}
	return wrote(ctx, path, h.Type)
}

// wrote says what a file holds now, and notes beside it where it comes from if it has no room for that.
func wrote(ctx context.Context, path string, t ops.Type) (ops.Note, error) {
	info, err := os.Stat(path)
	if err != nil {
		return ops.Note{}, problem.Wrong(problem.Unwritable, "path", "", "%s: %v", path, err)
	}
	if p := ops.ProvenanceOf(ctx); p != nil && p.Beside && !isRaster(path) {
		if err := writeBeside(path, p); err != nil {
			return ops.Note{}, failure(err, true)
		}
	}
	return ops.Note{Text: fmt.Sprintf("wrote %s: %s", path, t), Bytes: info.Size()}, nil
}

// elemIn is the element type in the file.
func elemIn(c *ops.Call, t ops.Type) ops.ElemType {
	if e, ok := ops.ParseElem(c.Symbol("as")); ok {
		return e
	}
	return t.Elem
}

func checkNumbers(c *ops.Call, t ops.Type) error {
	for _, name := range []string{"map", "range", "title"} {
		if c.Has(name) {
			return problem.Wrong(problem.ContradictArguments, name, "leave it out, or write a .png", "`%s` is for pictures, and %s holds numbers", name, c.Text("path"))
		}
	}
	to := elemIn(c, t)
	file, known := fileType(to)
	from, _ := fileType(t.Elem.Widen())
	switch {
	case !known:
		return problem.Wrong(problem.CannotStore, "array", "add as: f32", "NPY files hold no %s", to)
	case element.Conversion(from, file) == element.Refused:
		return problem.Wrong(problem.CannotStore, "as", "convert it by abs, real or cast first", "%s elements cannot be written as %s", t.Elem, to)
	}
	return nil
}

func writeNPY(ctx context.Context, c *ops.Call, h ops.HostArray) error {
	e, err := newEncoder(c, h)
	if err != nil {
		return err
	}
	w, err := npy.Create(c.Text("path"), e.file, h.Type.Shape())
	if err != nil {
		return err
	}
	if err := e.encode(ctx, w); err != nil {
		return errors.Join(err, w.Abort())
	}
	return w.Commit(false)
}

func writeNPZ(ctx context.Context, c *ops.Call, h ops.HostArray) error {
	e, err := newEncoder(c, h)
	if err != nil {
		return err
	}
	w, err := npy.CreateArchive(c.Text("path"))
	if err != nil {
		return err
	}
	if err := addMembers(ctx, w, c, h, e); err != nil {
		return errors.Join(err, w.Abort())
	}
	return w.Commit(false)
}

// addMembers writes the array under the name of its variable, or "data", and the coordinates under those of their dims.
func addMembers(ctx context.Context, w *npy.ArchiveWriter, c *ops.Call, h ops.HostArray, e *encoder) error {
	a, _ := c.Array("array")
	name := cmp.Or(a.Label(), "data")
	if slices.ContainsFunc(h.Type.Dims, func(d ops.Dim) bool { return d.Name == name && d.Coords != nil }) {
		name = "data"
	}
	m, err := w.Create(name, e.file, h.Type.Shape())
	if err != nil {
		return err
	}
	if err := e.encode(ctx, m); err != nil {
		return err
	}
	for _, d := range h.Type.Dims {
		if d.Coords == nil || d.Name == name {
			continue
		}
		shown := make([]float64, d.Size)
		for i, v := range d.Coords {
			shown[i] = (v - d.Unit.Offset) / d.Unit.SI()
		}
		if err := w.Add(d.Name, element.Float64, []int{d.Size}, bytesOf(shown)); err != nil {
			return err
		}
	}
	return nil
}
