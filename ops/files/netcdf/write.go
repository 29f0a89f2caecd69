package netcdf

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"weft/ops"
	"weft/ops/files/cf"
	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/format"
	"weft/ops/files/tile"
	"weft/ops/files/units"
	"weft/ops/files/words"
	"weft/ops/problem"
)

// turned are elements as they are in files, most significant byte first, in memory of their own.
func turned(p []byte, d element.DType) []byte {
	out := append(words.Bytes(len(p))[:0], p...)
	if !words.HostBigEndian {
		words.Swap(out, d.Word())
	}
	return out
}

// coder does so again and again.
func coder(d element.DType) func([]byte) []byte {
	var out []byte
	return func(p []byte) []byte {
		out = append(words.Resized(out, len(p))[:0], p...)
		if !words.HostBigEndian {
			words.Swap(out, d.Word())
		}
		return out
	}
}

func holds(d element.DType) bool { return types[inFile(d)] != 0 }

// inFile is the type that elements have in a file.
func inFile(d element.DType) element.DType {
	if signed, is := asSigned[d]; is {
		return signed
	}
	return d
}

// mostName bounds the bytes of names.
const mostName = 256

// check finds what no file can hold.
func check(o format.Order) error {
	for _, d := range o.Type.Dims {
		if len(d.Name) > mostName {
			return problem.Wrong(problem.CannotStore, "array", "rename it", "names in netCDF files have at most %d bytes, and a dimension is named %.40s...", mostName, d.Name)
		}
	}
	if o.Elem.Complex {
		return problem.Wrong(problem.CannotStore, "array", "write a record of its parts: (re: real(a), im: imag(a))", "netCDF files hold real numbers: the array is complex (%s)", o.Type)
	}
	return nil
}

// checkRecord finds records that no file can hold.
func checkRecord(of []format.Named) error {
	sizes := map[string]int{}
	for _, n := range of {
		if err := check(n.Order); err != nil {
			return err
		}
		if !holds(n.Order.DType) {
			return problem.Wrong(problem.CannotStore, "array", "convert it by cast first", "netCDF files hold no %s, which %s is", n.Order.Elem, n.Name)
		}
		for _, d := range n.Order.Type.Dims {
			if size, known := sizes[d.Name]; known && size != d.Size {
				return problem.Wrong(problem.CannotStore, "array", "give one of them another name by rename", "a dimension of a netCDF file has one length, and %s is %d and %d long", d.Name, size, d.Size)
			}
			sizes[d.Name] = d.Size
		}
	}
	for _, n := range of {
		if _, is := sizes[n.Name]; is {
			return problem.Wrong(problem.CannotStore, "array", "give one of them another name", "what has the name of a dimension in a netCDF file is its coordinates, and %s is both a part and a dimension", n.Name)
		}
	}
	_, err := format.Placed(of, math.MaxInt)
	return err
}

// doubts are what should be known of a file that is written.
func doubts(o format.Order) error {
	geo, err := cf.PlaceOf(o.Type.Dims)
	if err != nil || geo == nil || geo.CRS.EPSG != 0 && cf.TextOf(geo.CRS) != "" {
		return err
	}
	name := geo.CRS.Citation
	if geo.CRS.EPSG != 0 {
		name = fmt.Sprintf("EPSG:%d", geo.CRS.EPSG)
	}
	w := problem.Wrong(problem.UnplacedRaster, "path", "a GeoTIFF holds it: write a .tif", "netCDF files name systems of coordinates by all of their numbers, and those of %q are not known here: other programs will find coordinates without a system", name)
	w.Warning = true
	return w
}

// fileOf describes a file of arrays, in this order at its end.
func fileOf(of []format.Named) (*head, error) {
	dims, err := format.Placed(of, math.MaxInt)
	if err != nil {
		return nil, err
	}
	h := &head{attrs: []attribute{{name: "Conventions", text: "CF-1.8"}}}
	taken := map[string]bool{}
	for _, n := range of {
		taken[n.Name] = true
		for _, d := range n.Order.Type.Dims {
			if h.dim(d.Name) < 0 {
				h.dims = append(h.dims, named{d.Name, d.Size})
				taken[d.Name] = true
			}
		}
	}
	for _, d := range dims {
		h.coordinates(d)
	}
	var own []*entry
	for _, n := range of {
		if n.Text != nil || n.Number != nil {
			if h.dim(n.Name) >= 0 {
				return nil, problem.Wrong(problem.CannotStore, "array", "give one of them another name", "what has the name of a dimension in a netCDF file is its coordinates, and %s is both a part and a dimension", n.Name)
			}
			h.single(n)
			continue
		}
		v := &entry{name: n.Name, dtype: inFile(n.Order.DType), bytes: int64(n.Order.DType.Size())}
		for _, d := range n.Order.Type.Dims {
			v.dims, v.bytes = append(v.dims, h.dim(d.Name)), v.bytes*int64(d.Size)
		}
		v.attrs = attributesOf(n.Order)
		geo, err := cf.PlaceOf(n.Order.Type.Dims)
		if err != nil {
			return nil, err
		}
		if geo != nil {
			v.attrs = append(v.attrs, attribute{name: "grid_mapping", text: h.mapping(*geo, taken)})
		}
		own = append(own, v)
	}
	h.vars = append(h.vars, own...)
	return h, nil
}

// dim is the place of a dimension; -1: there is none of the name.
func (h *head) dim(name string) int {
	return slices.IndexFunc(h.dims, func(d named) bool { return d.name == name })
}

// single is a text or a number, which has no dimensions of others.
func (h *head) single(n format.Named) {
	if n.Number != nil {
		a := numbers("", *n.Number)
		h.vars = append(h.vars, &entry{name: n.Name, dtype: element.Float64, bytes: 8, data: turned(a.raw, element.Float64)})
		return
	}
	text := []byte(*n.Text)
	if len(text) == 0 {
		text = []byte{0} // a dimension of nothing is one of records
	}
	name := n.Name + "_length"
	for h.dim(name) >= 0 {
		name += "_"
	}
	h.dims = append(h.dims, named{name, len(text)})
	h.vars = append(h.vars, &entry{name: n.Name, dims: []int{len(h.dims) - 1}, bytes: int64(len(text)), data: text})
}

// attributesOf are those of an array.
func attributesOf(o format.Order) []attribute {
	var all []attribute
	if o.Elem != ops.Bool {
		all = append(all, attribute{name: "units", text: units.CF(o.Unit)})
	}
	if inFile(o.DType) != o.DType {
		all = append(all, attribute{name: unsigned, text: "true"})
	}
	missing := math.NaN()
	switch {
	case o.Nodata != nil:
		missing = *o.Nodata
	case !o.DType.Float():
		return all
	}
	return append(all, attribute{name: fillValue, dtype: inFile(o.DType), raw: wordOf(o.DType, missing)})
}

// coordinates adds the variable of a dimension.
func (h *head) coordinates(d ops.Dim) {
	values, about := cf.Coordinates(d)
	h.vars = append(h.vars, &entry{name: d.Name, dims: []int{h.dim(d.Name)}, dtype: element.Float64, bytes: int64(8 * d.Size), data: turned(words.Raw(values), element.Float64), attrs: attributesAs(about)})
}

// create starts the file of an array.
func create(o format.Order, resumable bool, marks []ops.Mark) (format.Output, error) {
	h, err := fileOf([]format.Named{{Name: cf.NameOf(o, mostName), Order: o}})
	if err != nil {
		return nil, err
	}
	text, _ := h.encode()
	for _, v := range h.vars[:len(h.vars)-1] {
		text = append(text, make([]byte, v.begin-int64(len(text)))...)
		text = append(text, v.data...)
	}
	last := h.vars[len(h.vars)-1]
	text = append(text, make([]byte, last.begin-int64(len(text)))...)
	f := tile.File{DType: o.DType, Shape: o.Type.Shape(), Head: text, Tail: make([]byte, padded(last.bytes)-last.bytes), Code: coder(o.DType)}
	return f.Create(o.Path, resumable, marks)
}

// writeRecord writes arrays, texts and numbers.
func writeRecord(ctx context.Context, path string, of []format.Named) error {
	h, err := fileOf(of)
	if err != nil {
		return err
	}
	arrays := map[string]format.Named{}
	for _, n := range of {
		arrays[n.Name] = n
	}
	return fileio.WriteFile(path, func(w io.Writer) error {
		text, _ := h.encode()
		out := &counted{w: w}
		if _, err := out.Write(text); err != nil {
			return err
		}
		for _, v := range h.vars {
			if err := out.fill(v.begin); err != nil {
				return err
			}
			var err error
			if v.data != nil {
				_, err = out.Write(v.data)
			} else {
				err = arrays[v.name].Encode(ctx, &turning{w: out, code: coder(v.dtype), each: v.dtype.Size()})
			}
			if err == nil && out.n != v.begin+v.bytes {
				err = fmt.Errorf("%d bytes of %s were written of %d", out.n-v.begin, v.name, v.bytes)
			}
			if err != nil {
				return err
			}
		}
		return out.fill(padded(out.n))
	})
}

// counted counts what is written.
type counted struct {
	w io.Writer
	n int64
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// fill writes zeros up to a place less than 4 bytes away.
func (c *counted) fill(to int64) error {
	_, err := c.Write(make([]byte, to-c.n))
	return err
}

// turning turns elements round, which may come in pieces.
type turning struct {
	w    io.Writer
	code func([]byte) []byte
	each int
	rest []byte
}

func (t *turning) Write(p []byte) (int, error) {
	n := len(p)
	if len(t.rest) > 0 {
		p = append(t.rest, p...)
	}
	whole := len(p) / t.each * t.each
	_, err := t.w.Write(t.code(p[:whole]))
	t.rest = append([]byte(nil), p[whole:]...)
	return n, err
}
