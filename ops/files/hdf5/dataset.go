package hdf5

import (
	"errors"
	"io"
	"math"
	"slices"

	"weft/ops/files/element"
	"weft/ops/files/words"
)

// Dataset is an array in a file, or what is one no further than its name.
type Dataset struct {
	Path  string // the names of the groups that it is in and its own, with a slash between
	DType element.DType
	Shape []int
	Not   string // why it cannot be read: "holds texts"; empty: it can
	Attrs Attributes
	Leads uint64 // of a single reference: the address of what it leads to

	file    *file // as it was
	addr    uint64
	swapped bool
	size    int // bytes of an element in the file
	layout
}

// Group is a group with its attributes.
type Group struct {
	Path  string
	Attrs Attributes
	Addr  uint64
}

// Content is what there is in a file.
type Content struct {
	Datasets []*Dataset
	Groups   []Group // the first is the root, without a name
}

// Find reads what a file of so many bytes holds, and no elements.
func Find(r io.ReaderAt, size int64) (*Content, error) {
	f, err := begin(r, size)
	if err != nil {
		return nil, err
	}
	out := &Content{}
	seen := map[uint64]bool{}
	objects := 0
	var visit func(path string, addr uint64, depth int) error
	visit = func(path string, addr uint64, depth int) error {
		if objects++; objects > mostObjects || depth > deepest {
			return damage("more than %d objects, or %d groups within each other", mostObjects, deepest)
		}
		all, err := f.headerOf(addr)
		if err != nil {
			return err
		}
		links, group, err := f.links(all)
		if err != nil {
			return err
		}
		attrs, err := f.attributes(all)
		if err != nil {
			return err
		}
		if !group {
			d, err := f.dataset(all)
			if d != nil {
				d.Path, d.Attrs, d.file, d.addr = path, attrs, f, addr
				out.Datasets = append(out.Datasets, d)
			}
			return err
		}
		if seen[addr] { // a link to a group that is known, perhaps to one around it
			return nil
		}
		seen[addr] = true
		out.Groups = append(out.Groups, Group{path, attrs, addr})
		if path != "" {
			path += "/"
		}
		for _, l := range links {
			if l.addr == 0 || f.undefined(l.addr) {
				continue
			}
			if err := visit(path+l.name, l.addr, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	return out, visit("", f.root, 0)
}

// At is the dataset that a reference leads to.
func (c *Content) At(addr uint64) *Dataset {
	for _, d := range c.Datasets {
		if d.addr == addr {
			return d
		}
	}
	return nil
}

// dataset reads what describes an array; nil: the object is none.
func (f *file) dataset(all []message) (*Dataset, error) {
	d := &Dataset{}
	kinds := map[int]bool{}
	var t *datatype
	var nothing bool
	for _, m := range all {
		m, err := f.resolve(m)
		if err != nil {
			return nil, err
		}
		c := &cursor{b: m.data, f: f}
		kinds[m.kind] = true
		switch m.kind {
		case typeMessage:
			t = c.datatype(0)
		case spaceMessage:
			d.Shape, nothing = c.space()
		case layoutMessage:
			d.layout.read(c)
		case filtersMessage:
			d.layout.filters(c)
		case fillMessage, oldFillMessage:
			d.layout.filled(c, m.kind)
		}
		if c.err != nil {
			return nil, c.err
		}
	}
	if !kinds[typeMessage] || !kinds[spaceMessage] || !kinds[layoutMessage] {
		return nil, nil // a type with a name, or something else
	}
	d.DType, d.swapped, d.size = t.dtype, t.swapped, t.size
	elements := 1
	for _, n := range d.Shape {
		elements *= n
	}
	switch {
	case d.DType == 0:
		d.Not = t.not
	case nothing || elements == 0:
		d.Not = "is empty"
	case d.layout.not != "":
		d.Not = d.layout.not
	}
	if d.Not != "" {
		if t.class == referenceClass && t.size == f.wide && elements == 1 && d.layout.not == "" {
			return d, d.follow(f)
		}
		return d, nil
	}
	return d, d.layout.check(f, d, int64(elements))
}

// follow reads a single reference.
func (d *Dataset) follow(f *file) (err error) {
	b := d.inside
	if d.kind == contiguousLayout && !d.missing {
		b, err = f.read(d.at, f.wide)
	}
	if c := (&cursor{b: b, f: f}); err == nil && len(b) >= f.wide {
		d.Leads = c.address()
	}
	return err
}

// Attributes are those of an object by their names.
type Attributes map[string]*Attribute

// Attribute is a small array.
type Attribute struct {
	file  *file
	of    *datatype
	count int
	raw   []byte
	lists [][]byte // the elements of each, if they are lists
}

// mostLists bounds the lists of an attribute that are read.
const mostLists = 1 << 12

// attributes reads those of an object.
func (f *file) attributes(all []message) (Attributes, error) {
	out := Attributes{}
	for _, m := range all {
		c := &cursor{b: m.data, f: f}
		var err error
		switch {
		case m.kind == attributeMessage && m.shared: // as no program writes them
		case m.kind == attributeMessage:
			err = f.attribute(c, out)
		case m.kind == attributesInfo:
			c.skip(1)
			if c.int(1)&1 != 0 {
				c.skip(2)
			}
			heap, tree := c.address(), c.address()
			if err = c.err; err == nil && !f.undefined(heap) {
				err = f.dense(heap, tree, 8, func(_, object *cursor) error { return f.attribute(object, out) })
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (f *file) attribute(c *cursor, out Attributes) error {
	version, flags := c.int(1), c.int(1)
	c.check(version >= 1 && version <= 3, "an attribute of the version %d", version)
	sizes := [3]int{c.int(2), c.int(2), c.int(2)}
	if version == 3 {
		c.skip(1)
	}
	pad := 1
	if version == 1 {
		pad = 8
	}
	var parts [3][]byte
	for i, n := range sizes {
		parts[i] = c.bytes((n + pad - 1) / pad * pad)
	}
	if c.err != nil {
		return c.err
	}
	kind, err := f.resolve(message{kind: typeMessage, shared: version > 1 && flags&1 != 0, data: parts[1]})
	if err != nil {
		return err
	}
	t := &cursor{b: kind.data, f: f}
	s := &cursor{b: parts[2], f: f}
	a := &Attribute{file: f, of: t.datatype(0)}
	shape, nothing := s.space()
	if err := errors.Join(t.err, s.err); err != nil {
		return err
	}
	if a.count = 1; nothing {
		a.count = 0
	}
	for _, n := range shape {
		a.count *= n
	}
	if a.of.size > 0 && a.count > len(c.b)/a.of.size {
		return damage("an attribute of %d elements in %d bytes", a.count, len(c.b))
	}
	a.raw = c.bytes(a.count * a.of.size)
	if each := 1; a.of.class == listClass && a.count <= mostLists && c.err == nil {
		if !a.of.listed {
			each = max(1, a.of.of.size)
		}
		for i := range a.count {
			b, err := a.list(i, each)
			if err != nil {
				return err
			}
			a.lists = append(a.lists, b)
		}
	}
	name := (&cursor{b: append(slices.Clone(parts[0]), 0), f: f}).text()
	out[name] = a
	return nil
}

// Text is that of an attribute that is one, or the first of several.
func (a *Attribute) Text() (string, bool) {
	switch {
	case a == nil || a.count == 0:
		return "", false
	case a.of.text:
		return (&cursor{b: append(slices.Clone(a.raw[:a.of.size]), 0), f: a.file}).text(), true
	case a.of.listed && len(a.lists) > 0:
		return (&cursor{b: append(slices.Clone(a.lists[0]), 0), f: a.file}).text(), true
	}
	return "", false
}

// Numbers are those of an attribute of numbers.
func (a *Attribute) Numbers() (out []float64) {
	if a == nil || a.count == 0 || a.of.dtype == 0 || a.of.dtype.Class() == element.Complex {
		return nil
	}
	raw := words.Bytes(len(a.raw))
	copy(raw, a.raw)
	if a.of.swapped {
		words.Swap(raw, a.of.size)
	}
	convert, err := element.Converter(a.of.dtype, element.Float64)
	if err != nil {
		return nil
	}
	out = make([]float64, a.count)
	convert(words.Raw(out), raw)
	return out
}

// Value is the element of an attribute as it is in memory, for one of a dataset's type.
func (a *Attribute) Value() (d element.DType, raw []byte) {
	if a == nil || a.count != 1 || a.of.dtype == 0 {
		return 0, nil
	}
	raw = words.Bytes(len(a.raw))
	copy(raw, a.raw)
	if a.of.swapped {
		words.Swap(raw, a.of.dtype.Word())
	}
	return a.of.dtype, raw
}

// list gives the bytes of element i of lists, whose own elements have so many bytes.
func (a *Attribute) list(i, each int) ([]byte, error) {
	c := &cursor{b: a.raw[i*a.of.size:], f: a.file}
	n := c.int(4)
	addr, number := c.address(), c.uint(4)
	if c.err != nil || n == 0 {
		return nil, c.err
	}
	b, err := a.file.global(addr, number)
	if err == nil && n > len(b)/each {
		err = damage("a list of %d elements in %d bytes", n, len(b))
	}
	if err != nil {
		return nil, err
	}
	return b[:n*each], nil
}

// References are the objects that each element of an attribute of lists of references leads to: dimensions of netCDF.
func (a *Attribute) References() [][]uint64 {
	if a == nil || a.of.class != listClass || a.of.of.class != referenceClass || a.of.of.size != a.file.wide {
		return nil
	}
	out := make([][]uint64, len(a.lists))
	for i, b := range a.lists {
		for c := (&cursor{b: b, f: a.file}); len(c.b) > 0; {
			out[i] = append(out[i], c.address())
		}
	}
	return out
}

// elementsIn checks that there are bytes for elements.
func elementsIn(n int64, size int) (int64, error) {
	if n > math.MaxInt64/int64(max(size, 1)) {
		return 0, damage("more elements than there are bytes")
	}
	return n * int64(size), nil
}
