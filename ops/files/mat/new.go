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
// What the groups # hold is reached from cells alone: a cell of one element is what it holds.
func findNew(r io.ReaderAt, size int64) (parts []part, err error) {
	all, err := hdf5.Find(r, size)
	if err != nil {
		return nil, err
	}
	names := cells(all)
	sparse := map[string]bool{} // groups that are matrices
	for _, g := range all.Groups {
		rows, name := g.Attrs["MATLAB_sparse"].Numbers(), names.of(g.Path)
		if len(rows) != 1 || g.Path == "" {
			continue
		}
		if sparse[g.Path] = true; name == "" {
			continue
		}
		if rows[0] < 0 || rows[0] >= 1<<31 {
			return nil, damage("%s is a matrix of %v rows", name, rows[0])
		}
		p, err := entries(all, g.Path, name, int(rows[0]))
		if err != nil {
			return nil, err
		}
		parts = append(parts, p...)
	}
	for _, d := range all.Datasets {
		name := names.of(d.Path)
		class, _ := d.Attrs["MATLAB_class"].Text()
		if name == "" || sparse[above(d.Path)] || class == "cell" && names.leads[d.Path] {
			continue
		}
		p := newPart(d, name)
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

// above is the path of the group that something is in.
func above(path string) string { return path[:max(0, strings.LastIndex(path, "/"))] }

// held are the cells of one element: what each holds is called like the cell, by the path of either.
type held struct {
	called map[string]string
	leads  map[string]bool
}

func cells(all *hdf5.Content) held {
	paths := map[uint64]string{}
	for _, g := range all.Groups {
		paths[g.Addr] = g.Path
	}
	h := held{map[string]string{}, map[string]bool{}}
	for _, d := range all.Datasets {
		if class, _ := d.Attrs["MATLAB_class"].Text(); class != "cell" || d.Leads == 0 {
			continue
		}
		path := paths[d.Leads]
		if to := all.At(d.Leads); to != nil {
			path = to.Path
		}
		if hidden(path) && h.called[path] == "" {
			h.called[path], h.leads[d.Path] = d.Path, true
		}
	}
	return h
}

// hidden reports whether a path is of what only cells lead to.
func hidden(path string) bool { return strings.HasPrefix(path, "#") && strings.Contains(path, "/") }

// of is what something is called for people; empty: nothing leads to it. What a cell holds may be in what another one holds.
func (h held) of(path string) string {
	for range deepest {
		if !strings.HasPrefix(path, "#") {
			return path
		}
		at, rest := path, ""
		for at != "" && h.called[at] == "" {
			at = above(at)
			rest = path[len(at):]
		}
		if at == "" {
			return ""
		}
		path = h.called[at] + rest
	}
	return ""
}

// newPart is a dataset as a variable.
func newPart(d *hdf5.Dataset, path string) part {
	p := part{name: strings.ReplaceAll(path, "/", "."), not: d.Not, class: d.DType, set: d, full: slices.Clone(d.Shape)}
	slices.Reverse(p.full)
	return p
}

// entries are the parts of a sparse matrix of so many rows, which is a group.
func entries(all *hdf5.Content, group, called string, rows int) ([]part, error) {
	find := func(name string) *hdf5.Dataset {
		i := slices.IndexFunc(all.Datasets, func(d *hdf5.Dataset) bool { return d.Path == group+"/"+name })
		if i < 0 || all.Datasets[i].Not != "" {
			return nil
		}
		return all.Datasets[i]
	}
	data, in, from := find("data"), find("ir"), find("jc")
	name := strings.ReplaceAll(called, "/", ".")
	if data == nil || in == nil {
		return []part{{name: name, not: "is empty"}}, nil
	}
	if from == nil || len(data.Shape) != 1 || !slices.Equal(data.Shape, in.Shape) || len(from.Shape) != 1 {
		return nil, damage("%s is a sparse matrix whose parts do not go together", name)
	}
	value, row, start := newPart(data, called+".value"), newPart(in, called+".row"), newPart(from, called+".start")
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
