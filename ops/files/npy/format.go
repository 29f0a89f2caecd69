package npy

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"weft/kernels/region"
	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/format"
	"weft/ops/files/words"
)

// Single is the format of NPY files.
var Single = &format.Format{
	Name: "NPY", Endings: []string{".npy"}, Holds: element.DType.Valid, Takes: []string{"as"},
	Open: func(path, _ string) (format.Input, error) {
		f, err := Open(path)
		if err != nil {
			return nil, err
		}
		return input{File: f}, nil
	},
	Create: func(o format.Order, resumable bool, marks []ops.Mark) (format.Output, error) {
		f, err := layoutOf(o.Path, o.DType, o.Type.Shape())
		if err != nil {
			return nil, err
		}
		return f.Create(o.Path, resumable, marks)
	},
}

// Several is the format of NPZ files.
var Several = &format.Format{
	Name: "NPZ", Endings: []string{".npz"}, Holds: element.DType.Valid, Takes: []string{"as"}, Members: true, Open: openMember, Write: writeArchive,
	Writes: "NPZ files also hold the coordinates of each dimension under its name.",
}

// input is an array of an NPY file or of an NPZ archive.
type input struct {
	*File
	archive *Archive // nil for NPY files
}

func openMember(path, name string) (format.Input, error) {
	a, err := OpenArchive(path)
	if err != nil {
		return nil, err
	}
	f, err := a.only(name)
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return input{f, a}, nil
}

// band is the bytes that are read together: what is looked at behind that is still near.
const band = 1 << 20

func (n input) About() format.About {
	h := n.Header()
	rows := max(1, append(h.Shape, 1)[0])
	about := format.About{DType: h.DType, Shape: h.Shape, Band: max(1, band/max(1, int(h.Bytes())/rows)), Whole: n.archive != nil}
	if h.Fortran && len(h.Shape) > 1 {
		about.Whole, about.Band = true, rows
	}
	return about
}

func (n input) Read(dst []byte, as element.DType, stride int, t region.Region) error {
	return n.ReadTile(dst, Layout{DType: as, RowStride: stride}, t)
}

func (n input) Close() error {
	err := n.File.Close()
	if n.archive != nil {
		err = errors.Join(err, n.archive.Close())
	}
	return err
}

// writeArchive writes the array under the name of its variable, or "data", and the coordinates under those of their dims.
func writeArchive(ctx context.Context, o format.Order, h ops.HostArray) error {
	w, err := CreateArchive(o.Path)
	if err != nil {
		return err
	}
	if err := w.addMembers(ctx, o, h); err != nil {
		return errors.Join(err, w.Abort())
	}
	return w.Commit(false)
}

func (w *ArchiveWriter) addMembers(ctx context.Context, o format.Order, h ops.HostArray) error {
	a, _ := o.Call.Array("array")
	name := cmp.Or(a.Label(), "data")
	if slices.ContainsFunc(h.Type.Dims, func(d ops.Dim) bool { return d.Name == name && d.Coords != nil }) {
		name = "data"
	}
	m, err := w.Create(name, o.DType, h.Type.Shape())
	if err != nil {
		return err
	}
	if err := format.Encode(ctx, m, o, h); err != nil {
		return err
	}
	for _, d := range h.Type.Dims {
		if d.Coords == nil || d.Name == name {
			continue
		}
		shown := make([]float64, d.Size)
		for i, v := range d.Coords {
			shown[i] = format.Shown(v, d.Unit)
		}
		if err := w.Add(d.Name, element.Float64, []int{d.Size}, words.Raw(shown)); err != nil {
			return err
		}
	}
	return nil
}
