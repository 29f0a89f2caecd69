package netcdf

import (
	"io"
	"path"
	"strings"

	"weft/ops/files/element"
	"weft/ops/files/hdf5"
	"weft/ops/files/tile"
)

// What netCDF-4 says in files of HDF5, beside what HDF5 does.
const (
	onlyDimension = "This is a netCDF dimension but not a netCDF variable"
	notCoordinate = "_nc4_non_coord_" // before the name of a variable that has the name of a dimension it does not lie along
)

// hierarchical reads what there is in a file of netCDF-4.
func hierarchical(r io.ReaderAt, size int64) (*content, error) {
	all, err := hdf5.Find(r, size)
	if err != nil {
		return nil, err
	}
	c := &content{}
	if len(all.Groups) > 0 {
		c.attrs = given(all.Groups[0].Attrs)
	}
	of := map[*hdf5.Dataset]*variable{}
	for _, d := range all.Datasets {
		v := &variable{name: plainName(d.Path), dtype: d.DType, shape: d.Shape, not: d.Not, set: d, attrs: given(d.Attrs)}
		of[d] = v
		if !strings.HasPrefix(v.attrs["NAME"].text, onlyDimension) {
			c.vars = append(c.vars, v)
		}
	}
	scales := map[uint64]*hdf5.Dataset{}
	at := func(addr uint64) *hdf5.Dataset {
		d, known := scales[addr]
		if !known {
			d = all.At(addr)
			scales[addr] = d
		}
		return d
	}
	for _, v := range c.vars {
		v.dims, v.along = make([]string, len(v.shape)), make([]*variable, len(v.shape))
		lists := v.set.Attrs["DIMENSION_LIST"].References()
		for i := range v.dims {
			scale := (*hdf5.Dataset)(nil)
			switch {
			case len(lists) == len(v.dims) && len(lists[i]) > 0:
				scale = at(lists[i][0])
			case len(v.dims) == 1 && v.attrs["CLASS"].text == "DIMENSION_SCALE":
				scale = v.set
			}
			if scale == nil {
				continue
			}
			v.dims[i] = path.Base(plainName(scale.Path))
			if s := of[scale]; !strings.HasPrefix(s.attrs["NAME"].text, onlyDimension) && len(s.shape) == 1 && s.not == "" {
				v.along[i] = s
			}
		}
	}
	return c, nil
}

// plainName is the name of a variable without what netCDF-4 puts before it.
func plainName(name string) string {
	group, last := path.Split(name)
	return group + strings.TrimPrefix(last, notCoordinate)
}

// given are the attributes of an object.
func given(all hdf5.Attributes) attributes {
	out := attributes{}
	for name, a := range all {
		if text, is := a.Text(); is {
			out[name] = value{text: strings.TrimRight(text, "\x00"), is: true}
		} else if d, raw := a.Value(); d != 0 {
			out[name] = value{dtype: d, raw: raw}
		} else if many := a.Numbers(); many != nil {
			out[name] = value{dtype: element.Float64, raw: numbers("", many...).raw}
		}
	}
	return out
}

// openSet opens the elements of a dataset.
func openSet(path string, v *variable, as element.DType, missing tile.Missing) (source, error) {
	d := *v.set
	d.DType = as // of the other sign, perhaps
	a, err := d.Open(path)
	if err != nil {
		return nil, err
	}
	a.Missing = missing
	return a, nil
}
