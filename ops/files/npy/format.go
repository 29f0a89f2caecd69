package npy

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"weft/kernels/region"
	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/format"
	"weft/ops/files/words"
	"weft/ops/problem"
)

// Single is the format of NPY files.
var Single = &format.Format{
	Name: "NPY", Endings: []string{".npy"}, Holds: element.DType.Valid, Takes: []string{"as"},
	Open: func(path string, _ format.Choice) (format.Input, error) {
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
	Name: "NPZ", Endings: []string{".npz"}, Holds: element.DType.Valid, Takes: []string{"as"}, Choices: []string{"member"}, Open: openMember, List: list, Write: writeArchive, WriteRecord: writeRecord, CheckRecord: checkRecord, Texts: true,
	Reads:  "An NPZ file gives a record of its arrays, single texts and single numbers, or the only one as it is; what is not deflated is read by rows where memory is short.",
	Writes: "An NPZ file holds a record of arrays, texts and numbers, or one array. NPZ files also hold the coordinates of each dimension under its name.",
}

// input is an array of an NPY file or of an NPZ archive.
type input struct {
	*File
	archive *Archive // nil for NPY files
}

func openMember(path string, c format.Choice) (format.Input, error) {
	a, err := OpenArchive(path)
	if err != nil {
		return nil, err
	}
	f, err := a.only(c["member"])
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
	about := format.About{DType: h.DType, Shape: h.Shape, Band: max(1, band/max(1, int(h.Bytes())/rows)), Whole: n.deflated()}
	if h.Fortran && len(h.Shape) > 1 {
		about.Whole, about.Band = true, rows
	}
	return about
}

// deflated reports an array that cannot be read from where it is.
func (n input) deflated() bool {
	m, member := n.source.(*memberReader)
	return member && m.stored == nil
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

// writeArchive writes the array under the name of its variable, or "data".
func writeArchive(ctx context.Context, o format.Order, h ops.HostArray) error {
	a, _ := o.Call.Array("array")
	name := cmp.Or(a.Label(), "data")
	if slices.ContainsFunc(h.Type.Dims, func(d ops.Dim) bool { return d.Name == name && d.Coords != nil }) {
		name = "data"
	}
	return writeRecord(ctx, o.Path, []format.Named{{Name: name, Order: o, Array: h}})
}

// writeRecord writes arrays under their names, and the coordinates of their dims under those that no array has.
func writeRecord(ctx context.Context, path string, of []format.Named) error {
	w, err := CreateArchive(path)
	if err != nil {
		return err
	}
	if err := w.addAll(ctx, of); err != nil {
		return errors.Join(err, w.Abort())
	}
	return w.Commit(false)
}

func (w *ArchiveWriter) addAll(ctx context.Context, of []format.Named) error {
	taken := map[string]bool{}
	for _, n := range of {
		if taken[n.Name] = true; n.Text != nil {
			if err := w.AddText(n.Name, *n.Text); err != nil {
				return err
			}
			continue
		}
		if n.Number != nil {
			if err := w.Add(n.Name, element.Float64, nil, words.Raw([]float64{*n.Number})); err != nil {
				return err
			}
			continue
		}
		m, err := w.Create(n.Name, n.Order.DType, n.Order.Type.Shape())
		if err != nil {
			return err
		}
		if err := n.Encode(ctx, m); err != nil {
			return err
		}
	}
	dims, err := format.Placed(of, math.MaxInt)
	if err != nil {
		return err
	}
	for _, d := range dims {
		if taken[d.Name] {
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

// checkRecord finds elements that no array of NumPy has, and coordinates that differ from others under their name.
func checkRecord(of []format.Named) error {
	for _, n := range of {
		if n.Text == nil && !n.Order.DType.Valid() {
			return problem.Wrong(problem.CannotStore, "array", "convert it by cast first", "NPZ files hold no %s, which %s is", n.Order.Elem, n.Name)
		}
	}
	_, err := format.Placed(of, math.MaxInt)
	return err
}
