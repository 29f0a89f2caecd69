package netcdf

import (
	"encoding/binary"
	"math"

	"weft/ops/files/element"
)

// What headers are made of.
const (
	magic        = "CDF"
	dimensionTag = 10
	variableTag  = 11
	attributeTag = 12

	charType  = 2
	unlimited = math.MaxUint32 // records of a file that was still being written
)

// types are the numbers of element types. Those beyond double are of CDF-5 alone.
var types = map[element.DType]uint32{
	element.Int8: 1, element.Int16: 3, element.Int32: 4, element.Float32: 5, element.Float64: 6,
	element.Uint8: 7, element.Uint16: 8, element.Uint32: 9, element.Int64: 10, element.Uint64: 11,
}

// asSigned are element types that are written as those of the other sign, with an attribute that says so: programs that do not know CDF-5 read them, as GDAL is
// often built, which knows the attribute of these, and not of longer ones.
var asSigned = map[element.DType]element.DType{element.Bool: element.Int8, element.Uint8: element.Int8, element.Uint16: element.Int16}

const lastOld = 6

// stored are the element types of numbers of files.
var stored = func() map[uint32]element.DType {
	all := map[uint32]element.DType{}
	for d, n := range types {
		all[n] = d
	}
	return all
}()

// attribute is one that is written: a text, or elements as they are in memory.
type attribute struct {
	name  string
	text  string
	dtype element.DType // of elements; 0: it is a text
	raw   []byte
}

// numbers is an attribute of doubles.
func numbers(name string, values ...float64) attribute {
	raw := make([]byte, 0, 8*len(values))
	for _, v := range values {
		raw = binary.NativeEndian.AppendUint64(raw, math.Float64bits(v))
	}
	return attribute{name: name, dtype: element.Float64, raw: raw}
}

// entry is a variable that is written.
type entry struct {
	name  string
	dims  []int         // places in the list of dimensions
	dtype element.DType // 0: a text
	bytes int64         // without what fills them up
	attrs []attribute
	data  []byte // as in the file, where it is known at once
	begin int64
}

// named is a dimension.
type named struct {
	name string
	size int
}

// head describes a file.
type head struct {
	dims  []named
	attrs []attribute
	vars  []*entry
}

// padded is the bytes that so many take: a multiple of 4.
func padded(n int64) int64 { return (n + 3) &^ 3 }

// Limits of CDF-2.
const (
	longestOld = math.MaxInt32
	largestOld = math.MaxUint32 - 3 // bytes of any variable but the last
)

// version is the first of the formats with 64 bits of places that can hold the file.
func (h *head) version() byte {
	for i, v := range h.vars {
		if types[v.dtype] > lastOld || i < len(h.vars)-1 && padded(v.bytes) > largestOld {
			return 5
		}
		for _, a := range v.attrs {
			if types[a.dtype] > lastOld {
				return 5
			}
		}
	}
	for _, d := range h.dims {
		if d.size > longestOld {
			return 5
		}
	}
	return 2
}

// encode gives the header, once the variables have their places behind it, and where the file ends.
func (h *head) encode() (text []byte, end int64) {
	version := h.version()
	end = padded(int64(len(h.text(version))))
	for _, v := range h.vars {
		v.begin = end
		end += padded(v.bytes)
	}
	return h.text(version), end
}

// text is the header as it stands.
func (h *head) text(version byte) []byte {
	w := &encoder{b: append([]byte(magic), version), wide: version == 5}
	w.count(0) // records
	w.list(dimensionTag, len(h.dims))
	for _, d := range h.dims {
		w.text(d.name)
		w.count(int64(d.size))
	}
	w.attributes(h.attrs)
	w.list(variableTag, len(h.vars))
	for _, v := range h.vars {
		w.text(v.name)
		w.count(int64(len(v.dims)))
		for _, d := range v.dims {
			w.count(int64(d))
		}
		w.attributes(v.attrs)
		w.kind(v.dtype)
		size := padded(v.bytes)
		if !w.wide {
			size = min(size, math.MaxUint32) // as readers want it of a variable that is larger
		}
		w.count(size)
		w.b = binary.BigEndian.AppendUint64(w.b, uint64(v.begin))
	}
	return w.b
}

// encoder appends to a header.
type encoder struct {
	b    []byte
	wide bool // counts have 8 bytes
}

func (w *encoder) count(n int64) {
	if w.wide {
		w.b = binary.BigEndian.AppendUint64(w.b, uint64(n))
		return
	}
	w.b = binary.BigEndian.AppendUint32(w.b, uint32(n))
}

func (w *encoder) fill() {
	for len(w.b)%4 != 0 {
		w.b = append(w.b, 0)
	}
}

func (w *encoder) text(s string) {
	w.count(int64(len(s)))
	w.b = append(w.b, s...)
	w.fill()
}

// list begins one; of none there is a tag of its own.
func (w *encoder) list(tag uint32, n int) {
	if n == 0 {
		tag = 0
	}
	w.b = binary.BigEndian.AppendUint32(w.b, tag)
	w.count(int64(n))
}

func (w *encoder) kind(d element.DType) {
	n, is := types[d]
	if !is {
		n = charType
	}
	w.b = binary.BigEndian.AppendUint32(w.b, n)
}

func (w *encoder) attributes(all []attribute) {
	w.list(attributeTag, len(all))
	for _, a := range all {
		w.text(a.name)
		w.kind(a.dtype)
		if a.dtype == 0 {
			w.text(a.text)
			continue
		}
		w.count(int64(len(a.raw) / a.dtype.Size()))
		w.b = append(w.b, turned(a.raw, a.dtype)...)
		w.fill()
	}
}
