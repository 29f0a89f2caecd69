package mat

import (
	"io"
	"slices"
	"strings"

	"weft/kernels/region"
	"weft/ops/files/element"
	"weft/ops/files/hdf5"
	"weft/ops/files/words"
)

// findNew looks through a file of MATLAB 7.3, which is one of HDF5: each variable is a dataset with the extents in the other order, a structure a group.
// What the groups # hold is reached from cells alone.
func findNew(r io.ReaderAt, size int64) (parts []part, err error) {
	all, err := hdf5.Find(r, size)
	if err != nil {
		return nil, err
	}
	sparse := map[string]int{} // rows of the matrices, by the groups that they are
	for _, g := range all.Groups {
		if rows := g.Attrs["MATLAB_sparse"].Numbers(); len(rows) == 1 && g.Path != "" {
			if rows[0] < 0 || rows[0] >= 1<<31 {
				return nil, damage("%s is a matrix of %v rows", g.Path, rows[0])
			}
			sparse[g.Path] = int(rows[0])
			p, err := entries(all, g.Path, int(rows[0]))
			if err != nil {
				return nil, err
			}
			parts = append(parts, p...)
		}
	}
	for _, d := range all.Datasets {
		group, _, within := strings.Cut(d.Path, "/")
		parent := d.Path[:max(0, strings.LastIndex(d.Path, "/"))]
		if _, known := sparse[parent]; within && strings.HasPrefix(group, "#") || known {
			continue
		}
		p := newPart(d, d.Path)
		class, _ := d.Attrs["MATLAB_class"].Text()
		switch empty := d.Attrs["MATLAB_empty"].Numbers(); {
		case len(empty) == 1 && empty[0] != 0:
			p.not = "is empty"
		case class == "char":
			p.not = "is a text"
		case class == "cell":
			p.not = "is a list of what is no number"
		case class == "logical" && p.class.Size() == 1:
			p.class = element.Bool
		}
		for _, n := range p.full {
			if n != 1 {
				p.shape = append(p.shape, n)
			}
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// newPart is a dataset as a variable.
func newPart(d *hdf5.Dataset, path string) part {
	p := part{name: strings.ReplaceAll(path, "/", "."), not: d.Not, class: d.DType, set: d, full: slices.Clone(d.Shape)}
	slices.Reverse(p.full)
	return p
}

// entries are the parts of a sparse matrix of so many rows.
func entries(all *hdf5.Content, group string, rows int) ([]part, error) {
	find := func(name string) *hdf5.Dataset {
		i := slices.IndexFunc(all.Datasets, func(d *hdf5.Dataset) bool { return d.Path == group+"/"+name })
		if i < 0 || all.Datasets[i].Not != "" {
			return nil
		}
		return all.Datasets[i]
	}
	data, in, from := find("data"), find("ir"), find("jc")
	name := strings.ReplaceAll(group, "/", ".")
	if data == nil || in == nil {
		return []part{{name: name, not: "is empty"}}, nil
	}
	if from == nil || len(data.Shape) != 1 || !slices.Equal(data.Shape, in.Shape) || len(from.Shape) != 1 {
		return nil, damage("%s is a sparse matrix whose parts do not go together", name)
	}
	value, row, start := newPart(data, group+".value"), newPart(in, group+".row"), newPart(from, group+".start")
	row.class, start.class = element.Int32, element.Int32
	start.below, row.below, row.starts = data.Shape[0]+1, rows, &start
	value.dims, row.dims, start.dims = []string{"entry"}, []string{"entry"}, []string{"start"}
	out := []part{value, row, start}
	for i := range out {
		out[i].shape = out[i].full
	}
	return out, nil
}

// fromSet reads the elements of a dataset, as they lie in the file.
func (p part) fromSet(r io.ReaderAt) ([]byte, error) {
	a, err := p.set.In("", r)
	if err != nil {
		return nil, err
	}
	n := 1
	for _, extent := range p.set.Shape {
		n *= extent
	}
	as := p.set.DType
	out := words.Bytes(n * as.Size())
	if err := a.Read(out, as, 0, region.Whole(p.set.Shape...)); err != nil {
		return nil, err
	}
	switch {
	case p.class == element.Bool && as != element.Bool: // stored as small whole numbers
		for i, v := range out {
			out[i] = min(v, 1)
		}
	case p.class != as:
		convert, err := element.Converter(as, p.class)
		if err != nil {
			return nil, err
		}
		raw := out
		out = words.Bytes(n * p.class.Size())
		if bad := convert(out, raw); bad >= 0 {
			return nil, damage("element %d of %s does not fit its type", bad, p.name)
		}
	}
	return out, nil
}
