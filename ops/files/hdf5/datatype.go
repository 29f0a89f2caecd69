package hdf5

import (
	"weft/ops/files/element"
	"weft/ops/files/words"
)

// datatype is what elements are.
type datatype struct {
	class   int
	size    int
	dtype   element.DType // 0: none that is read
	swapped bool          // in the other order of bytes
	text    bool          // of fixed length
	of      *datatype     // of lists
	listed  bool          // a list is a text
	not     string        // what they are, if they are not read: "holds texts"
}

// The classes of types.
const (
	fixedClass     = 0
	floatClass     = 1
	timeClass      = 2
	stringClass    = 3
	bitsClass      = 4
	opaqueClass    = 5
	compoundClass  = 6
	referenceClass = 7
	enumClass      = 8
	listClass      = 9
	arrayClass     = 10
)

var floats = map[int]element.DType{2: element.Float16, 4: element.Float32, 8: element.Float64}

var wholes = map[bool]map[int]element.DType{
	false: {1: element.Uint8, 2: element.Uint16, 4: element.Uint32, 8: element.Uint64},
	true:  {1: element.Int8, 2: element.Int16, 4: element.Int32, 8: element.Int64},
}

// exponents are where floats of IEEE 754 have their exponent: its place, its bits, and those of the rest.
var exponents = map[int][3]int{2: {10, 5, 10}, 4: {23, 8, 23}, 8: {52, 11, 52}}

// datatype reads a type, and passes it.
func (c *cursor) datatype(depth int) *datatype {
	c.check(depth < 16, "types within each other")
	kind := c.int(1)
	version, flags := kind>>4, c.int(3)
	t := &datatype{class: kind & 15, size: c.int(4)}
	c.check(t.size >= 0 && t.size <= mostMeta, "elements of %d bytes", t.size)
	if c.err != nil {
		return t
	}
	switch t.class {
	case fixedClass, bitsClass:
		offset, precision := c.int(2), c.int(2)
		if t.dtype = wholes[t.class == fixedClass && flags&8 != 0][t.size]; offset != 0 || precision != 8*t.size {
			t.dtype = 0
		}
		t.not = "holds whole numbers of an unusual size"
		t.swapped = (flags&1 != 0) != words.HostBigEndian
	case floatClass:
		offset, precision := c.int(2), c.int(2)
		is := [3]int{c.int(1), c.int(1)}
		c.skip(1)
		is[2] = c.int(1)
		c.skip(4)
		if t.dtype = floats[t.size]; offset != 0 || precision != 8*t.size || is != exponents[t.size] || flags&0x40 != 0 {
			t.dtype = 0
		}
		t.not = "holds floats of an unusual form"
		t.swapped = (flags&1 != 0) != words.HostBigEndian
	case timeClass:
		c.skip(2)
		t.not = "holds times"
	case stringClass:
		t.text, t.not = true, "holds texts"
	case opaqueClass:
		c.skip((flags&0xff + 7) &^ 7)
		t.not = "holds bytes without a meaning"
	case referenceClass:
		t.not = "holds references"
	case enumClass:
		base := c.datatype(depth + 1)
		c.enumeration(t, base, version, flags&0xffff)
	case listClass:
		t.of = c.datatype(depth + 1)
		t.listed = flags&15 == 1
		t.not = "holds lists of different length"
		if t.listed {
			t.not = "holds texts"
		}
	case arrayClass:
		n := c.int(1)
		if version < 3 {
			c.skip(3)
		}
		c.skip(4 * n)
		if version < 3 {
			c.skip(4 * n)
		}
		c.datatype(depth + 1)
		t.not = "holds arrays as elements"
	case compoundClass:
		c.compound(t, version, flags&0xffff, depth)
	default:
		t.not = "holds elements of an unknown kind"
		c.check(depth == 0, "elements of the class %d within others", t.class) // which cannot be passed
	}
	return t
}

// enumeration passes the names and the numbers of values: of false and true they are truth values.
func (c *cursor) enumeration(t, base *datatype, version, n int) {
	names := make([]string, 0, 2)
	for i := range n {
		before := len(c.b)
		name := c.text()
		if version < 3 {
			c.skip(-(before - len(c.b)) & 7)
		}
		if i < 2 {
			names = append(names, name)
		}
		if c.err != nil {
			return
		}
	}
	c.skip(n * base.size)
	t.dtype, t.swapped, t.not = base.dtype, base.swapped, base.not
	if n == 2 && base.size == 1 && names[0] == "FALSE" && names[1] == "TRUE" {
		t.dtype = element.Bool
	}
}

// compound passes the members of a type: two floats of one kind are a complex number.
func (c *cursor) compound(t *datatype, version, n, depth int) {
	c.check(n < 1024, "elements of %d members", n)
	var members []*datatype
	var offsets []int
	for range n {
		before := len(c.b)
		name := c.text()
		if version < 3 {
			c.skip(-(before - len(c.b)) & 7)
		}
		wide := 4
		if version >= 3 {
			wide = enough(uint64(t.size))
		}
		offsets = append(offsets, c.int(wide))
		if version == 1 {
			c.skip(28)
		}
		m := c.datatype(depth + 1)
		if c.err != nil {
			return
		}
		m.not = name
		members = append(members, m)
	}
	t.not = "holds records"
	if n != 2 || *members[0] != (datatype{class: floatClass, size: members[0].size, dtype: members[0].dtype, swapped: members[0].swapped, not: members[0].not}) {
		return
	}
	a, b := members[0], members[1]
	complexes := map[element.DType]element.DType{element.Float32: element.Complex64, element.Float64: element.Complex128}
	pairs := map[[2]string]bool{{"r", "i"}: true, {"real", "imag"}: true, {"re", "im"}: true}
	if b.dtype == a.dtype && b.swapped == a.swapped && offsets[0] == 0 && offsets[1] == a.size && t.size == 2*a.size && pairs[[2]string{a.not, b.not}] {
		t.dtype, t.swapped = complexes[a.dtype], a.swapped
	}
}

// space reads extents; nothing says that there are no elements at all.
func (c *cursor) space() (shape []int, nothing bool) {
	version, rank, flags := c.int(1), c.int(1), c.int(1)
	c.check(version == 1 || version == 2, "extents of the version %d", version)
	kind := c.int(1)
	if version == 1 {
		c.skip(4)
	}
	c.check(rank <= mostDims, "%d dimensions", rank)
	shape = []int{}
	total := uint64(1)
	for range rank {
		n := c.length()
		c.check(n == 0 || total <= 1<<50/uint64(max(n, 1)), "more elements than there are bytes")
		total *= uint64(max(n, 1))
		shape = append(shape, n)
	}
	if flags&1 != 0 {
		c.skip(rank * c.f.long)
	}
	return shape, version == 2 && kind == 2
}
