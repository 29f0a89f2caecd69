package mat

import (
	"encoding/binary"
	"io"
	"slices"
	"strings"

	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/hdf5"
)

// part is an array in a file.
type part struct {
	name   string
	not    string   // why it cannot be read
	dims   []string // nil: without names
	class  element.DType
	shape  []int
	in     variable
	data   data          // its elements
	imag   data          // their imaginary parts
	joined bool          // they have such
	set    *hdf5.Dataset // of a file of version 7.3: what holds them
	full   []int         // extents as in the file, the first of which neighbours in the file differ in
	starts *part         // of the rows of the entries of a sparse matrix: where those of its columns begin
	below  int           // what elements must be below; 0: anything
}

const (
	header = 128 // bytes
	// mostParts bounds the arrays of a file, deepest the structures within each other.
	mostParts = 100_000
	deepest   = 32
)

// find looks through a file for arrays, and reads none.
func find(r io.ReaderAt, size int64) ([]part, error) {
	head := make([]byte, header)
	if n, err := r.ReadAt(head, 0); n < header && err != nil && err != io.EOF {
		return nil, err
	}
	switch text := string(head[:20]); {
	case strings.HasPrefix(text, "MATLAB 7.3"), string(head[:4]) == hdf5.Signature[:4]:
		return findNew(r, size)
	case size < header || !strings.HasPrefix(text, "MATLAB 5.0"):
		return nil, &fileio.Error{Kind: fileio.Foreign, Reason: "is not a MAT file of MATLAB 5 to 7.3, or is damaged", Help: "save it with -v7"}
	}
	var order binary.ByteOrder
	switch string(head[126:]) {
	case "IM":
		order = binary.LittleEndian
	case "MI":
		order = binary.BigEndian
	default:
		return nil, damage("its order of bytes is %q", head[126:])
	}
	f := finder{}
	for at := int64(header); at < size; {
		top := &cursor{from: io.NewSectionReader(r, at, size-at), order: order}
		d, err := top.next()
		if err != nil {
			return nil, err
		}
		f.in = variable{at: at, size: top.at + d.size, order: order}
		if d.kind == compressedType {
			f.in = variable{at: at + top.at, size: d.size, packed: true, order: order}
		}
		if f.in.at+f.in.size > size {
			return nil, &fileio.Error{Kind: fileio.Cut, Reason: "ends within a variable", Help: "copy or save the file again"}
		}
		at += top.at + d.size + d.fill
		if f.cursor, err = f.in.open(r); err != nil {
			return nil, err
		}
		if err := f.matrix("", 0); err != nil {
			return nil, err
		}
	}
	return f.parts, nil
}

// finder looks for arrays in a variable.
type finder struct {
	*cursor
	in    variable
	parts []part
}

func (f *finder) add(p part) error {
	if p.in = f.in; len(f.parts) >= mostParts {
		return damage("it has more than %d arrays", mostParts)
	}
	f.parts = append(f.parts, p)
	return nil
}

// matrix finds the arrays of a data element that holds one, or a structure of them, which goes by a name or by its own where that is empty.
func (f *finder) matrix(name string, depth int) error {
	outer, err := f.next()
	if err != nil {
		return err
	}
	if outer.kind != matrixType {
		if depth > 0 {
			return damage("an array of type %d", outer.kind)
		}
		return f.over(outer) // something else than a variable
	}
	if outer.size == 0 { // a part of a structure that was never set
		return f.add(part{name: name, not: "is empty"})
	}
	if depth > deepest {
		return damage("more than %d structures are within each other", deepest)
	}
	p, class, err := f.head(name)
	if err != nil {
		return err
	}
	count := 1
	for _, n := range p.full {
		count *= n
	}
	switch kind, number := classes[class]; {
	case count == 0:
		err = f.add(part{name: p.name, not: "is empty"})
	case class == charClass:
		err = f.add(part{name: p.name, not: "is a text"})
	case p.not != "":
		err = f.add(p)
	case class == sparseClass:
		err = f.sparse(p)
	case class == cellClass && count == 1:
		err = f.matrix(p.name, depth+1)
	case class == structClass && count == 1:
		err = f.fields(p, depth)
	case number:
		if p.class == 0 {
			p.class = kind
		}
		err = f.numbers(p, count)
	default:
		err = f.add(part{name: p.name, not: "is a list of what is no number"})
	}
	if err != nil {
		return err
	}
	if f.at > outer.at+outer.size {
		return damage("%s is longer than it says", p.name)
	}
	return f.over(outer)
}

// head reads what stands in front of the elements of an array.
func (f *finder) head(name string) (p part, class byte, err error) {
	flags, err := f.read("flags", 6)
	if err != nil {
		return p, 0, err
	}
	if len(flags) != 8 {
		return p, 0, damage("flags of %d bytes", len(flags))
	}
	word := f.order.Uint32(flags)
	class = byte(word)
	if class > 15 { // a function, or an object that says itself how it is read
		return part{name: name, full: []int{1, 1}, not: "is a function or an object"}, class, nil
	}
	if p.joined = word&0x800 != 0; p.joined && class == sparseClass {
		p.not = "is a sparse matrix of complex numbers"
	}
	if word&0x200 != 0 {
		p.class = element.Bool
	}
	dims, err := f.read("extents", 5)
	if err != nil {
		return p, 0, err
	}
	total := int64(1)
	for i := 0; i+4 <= len(dims); i += 4 {
		n := int32(f.order.Uint32(dims[i:]))
		if n < 0 || len(p.full) > 64 {
			return p, 0, damage("%d elements along dimension %d", n, i/4)
		}
		if n > 0 && total > 1<<40/int64(n) {
			return p, 0, damage("more elements than there are bytes")
		}
		total *= int64(n)
		p.full = append(p.full, int(n))
	}
	own, err := f.read("a name", 1, 2)
	if err != nil {
		return p, 0, err
	}
	if p.name = name; name == "" {
		p.name = string(own)
	}
	return p, class, nil
}

// numbers finds the elements of an array.
func (f *finder) numbers(p part, count int) (err error) {
	for _, n := range p.full {
		if n != 1 {
			p.shape = append(p.shape, n)
		}
	}
	if err = f.elements(&p, count); err == nil && p.joined {
		imag := p
		err = f.elements(&imag, count)
		p.imag = imag.data
		p.class = complexOf(p.class)
	}
	if err != nil {
		return err
	}
	return f.add(p)
}

// complexOf is the type of complex numbers whose parts are of a type.
func complexOf(part element.DType) element.DType {
	if part == element.Float32 {
		return element.Complex64
	}
	return element.Complex128
}

// elements passes the elements of an array, of which there have to be so many at least.
func (f *finder) elements(p *part, count int) error {
	d, err := f.next()
	if err != nil {
		return err
	}
	t, known := stored[d.kind]
	if !known || d.size < int64(count*t.Size()) {
		return damage("%s has %d bytes of type %d for %d elements", p.name, d.size, d.kind, count)
	}
	if p.class == element.Bool && t.Size() > 1 {
		p.class = t
	}
	p.data = d
	p.data.size = int64(count * t.Size())
	return f.over(d)
}

// fields finds the arrays of a structure.
func (f *finder) fields(p part, depth int) error {
	length, err := f.read("the length of names", 5)
	if err != nil {
		return err
	}
	names, err := f.read("names", 1)
	if err != nil {
		return err
	}
	each := 0
	if len(length) >= 4 {
		each = int(int32(f.order.Uint32(length)))
	}
	if each <= 0 || len(names)%each != 0 {
		return damage("the names of the parts of %s", p.name)
	}
	for ; len(names) > 0; names = names[each:] {
		name, _, _ := strings.Cut(string(names[:each]), "\x00")
		if err := f.matrix(p.name+"."+name, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// sparse finds the entries of a matrix, the rows they are in, and where those of each column begin.
func (f *finder) sparse(p part) error {
	if len(p.full) != 2 {
		return damage("%s is a sparse matrix of %d dimensions", p.name, len(p.full))
	}
	rows, err := f.next()
	if err == nil {
		err = f.over(rows)
	}
	if err != nil {
		return err
	}
	start := part{name: p.name + ".start", dims: []string{"start"}, class: element.Int32, shape: []int{p.full[1] + 1}, full: []int{p.full[1] + 1}, in: f.in}
	if start.data, err = f.next(); err != nil {
		return err
	}
	if start.data.kind != 5 || rows.kind != 5 || start.data.size != 4*int64(start.full[0]) {
		return damage("%s has %d bytes of type %d for %d columns", p.name, start.data.size, start.data.kind, p.full[1])
	}
	if err := f.skip(start.data.size - 4); err != nil {
		return err
	}
	last, err := f.bytes(4)
	if err == nil {
		err = f.over(start.data)
	}
	if err != nil {
		return err
	}
	n := int(int32(f.order.Uint32(last)))
	if n < 0 || int64(n) > rows.size/4 {
		return damage("%s has %d entries, and rows of %d", p.name, n, rows.size/4)
	}
	if n == 0 {
		return f.add(part{name: p.name, not: "is empty"})
	}
	start.below = n + 1
	value, row := p, part{name: p.name + ".row", class: element.Int32, data: rows, starts: &start, below: p.full[0]}
	if value.name = p.name + ".value"; value.class == 0 {
		value.class = element.Float64
	}
	row.data.size = 4 * int64(n)
	if err = f.elements(&value, n); err != nil {
		return err
	}
	for _, one := range []*part{&value, &row} {
		one.dims, one.shape, one.full = []string{"entry"}, []int{n}, []int{n}
	}
	return firstOf(f.add(value), f.add(row), f.add(start))
}

func firstOf(errs ...error) error {
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return errs[i]
	}
	return nil
}
