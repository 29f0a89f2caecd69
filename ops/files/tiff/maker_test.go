package tiff

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"math"
	"testing"

	"github.com/klauspost/compress/zstd"

	"weft/ops/files/element"
	"weft/ops/files/tiff/packing"
	"weft/ops/files/words"
)

// The code in this file builds TIFF files with nothing of the package but the LZW packer, which has tests of its own.

// entry is a field of a hand-made directory. Its data are in the file's byte order.
type made struct {
	tag, kind uint16
	count     uint64
	data      []byte
}

// maker builds a file of one image.
type maker struct {
	order  binary.AppendByteOrder
	big    bool
	fields []made
}

func (m *maker) num(kind uint16, values ...uint64) []byte {
	var b []byte
	for _, v := range values {
		switch kind {
		case 1:
			b = append(b, byte(v))
		case 3:
			b = m.order.AppendUint16(b, uint16(v))
		case 4:
			b = m.order.AppendUint32(b, uint32(v))
		default:
			b = m.order.AppendUint64(b, v)
		}
	}
	return b
}

func (m *maker) add(tag, kind uint16, values ...uint64) {
	m.fields = append(m.fields, made{tag, kind, uint64(len(values)), m.num(kind, values...)})
}

func (m *maker) doubles(tag uint16, values ...float64) {
	var b []byte
	for _, v := range values {
		b = m.order.AppendUint64(b, math.Float64bits(v))
	}
	m.fields = append(m.fields, made{tag, 12, uint64(len(values)), b})
}

func (m *maker) text(tag uint16, s string) {
	m.fields = append(m.fields, made{tag, 2, uint64(len(s) + 1), append([]byte(s), 0)})
}

func (m *maker) remove(tag uint16) {
	for i, f := range m.fields {
		if f.tag == tag {
			m.fields = append(m.fields[:i:i], m.fields[i+1:]...)
			return
		}
	}
}

// head is the first bytes of the file.
func (m *maker) head(first uint64) []byte {
	mark := "II"
	if m.order.String() == "BigEndian" {
		mark = "MM"
	}
	b := []byte(mark)
	if m.big {
		b = append(b, m.num(3, 43, 8, 0)...)
		return append(b, m.num(16, first)...)
	}
	return append(append(b, m.num(3, 42)...), m.num(4, first)...)
}

// directory is the directory to be put at a place, with its values behind it.
func (m *maker) directory(at, next uint64) []byte {
	inline, word := 4, uint16(4)
	b := m.num(3, uint64(len(m.fields)))
	if m.big {
		inline, word = 8, 16
		b = m.num(16, uint64(len(m.fields)))
	}
	end := at + uint64(len(b)+len(m.fields)*(4+2*inline)+inline)
	var behind []byte
	for _, f := range m.fields {
		b = append(b, m.num(3, uint64(f.tag), uint64(f.kind))...)
		b = append(b, m.num(word, f.count)...)
		if len(f.data) > inline {
			b = append(b, m.num(word, end+uint64(len(behind)))...)
			behind = append(behind, f.data...)
			continue
		}
		b = append(b, append(bytes.Clone(f.data), make([]byte, inline-len(f.data))...)...)
	}
	b = append(b, m.num(word, next)...)
	return append(b, behind...)
}

// file puts the directory first and the blocks behind it, and their places into the fields for them.
func (m *maker) file(offsets, counts uint16, blocks ...[]byte) []byte {
	places, sizes := make([]uint64, len(blocks)), make([]uint64, len(blocks))
	kind := uint16(4)
	if m.big {
		kind = 16
	}
	m.add(offsets, kind, places...)
	m.add(counts, kind, sizes...)
	start := uint64(len(m.head(0)))
	end := start + uint64(len(m.directory(start, 0)))
	for i, b := range blocks {
		places[i], sizes[i] = end, uint64(len(b))
		end += uint64(len(b))
	}
	m.fields = m.fields[:len(m.fields)-2]
	m.add(offsets, kind, places...)
	m.add(counts, kind, sizes...)
	out := append(m.head(start), m.directory(start, 0)...)
	for _, b := range blocks {
		out = append(out, b...)
	}
	return out
}

// sample is a raster for tests, made element by element from a formula.
type sample struct {
	dtype          element.DType
	height, width  int
	order          binary.AppendByteOrder
	big, tiled     bool
	blockH, blockW int
	compression    Compression
	predictor      Predictor
}

// value is an element: small whole numbers that every type holds.
func (s sample) value(y, x int) float64 {
	v := float64((y*31 + x*x*7 + x*3) % 101)
	if formats[s.dtype.Class()] != formatUint {
		v -= 50
	}
	return v
}

// encoded appends a value in the given byte order.
func encoded(b []byte, order binary.AppendByteOrder, d element.DType, v float64) []byte {
	switch d {
	case element.Uint8, element.Int8:
		return append(b, byte(int(v)))
	case element.Uint16, element.Int16:
		return order.AppendUint16(b, uint16(int(v)))
	case element.Uint32, element.Int32:
		return order.AppendUint32(b, uint32(int(v)))
	case element.Uint64, element.Int64:
		return order.AppendUint64(b, uint64(int(v)))
	case element.Float16:
		return order.AppendUint16(b, halfBits(v))
	case element.Float32:
		return order.AppendUint32(b, math.Float32bits(float32(v)))
	}
	return order.AppendUint64(b, math.Float64bits(v))
}

// halfBits is a whole number of at most 11 bits as IEEE 754 binary16.
func halfBits(v float64) uint16 {
	if v == 0 {
		return 0
	}
	fraction, exponent := math.Frexp(math.Abs(v)) // 0.1..., of which the leading bit is not stored
	bits := uint16(exponent-1+15)<<10 | uint16(fraction*(1<<11))&0x3ff
	if v < 0 {
		bits |= 0x8000
	}
	return bits
}

// row is a row of a block as the file has it before compression.
func (s sample) row(y, x0, n int) []byte {
	size := s.dtype.Size()
	var b []byte
	switch s.predictor {
	case FloatingPoint:
		planes := make([]byte, n*size)
		for i := range n {
			for k, byt := range encoded(nil, binary.BigEndian, s.dtype, s.value(y, x0+i)) {
				planes[k*n+i] = byt
			}
		}
		for i := len(planes) - 1; i > 0; i-- {
			planes[i] -= planes[i-1]
		}
		return planes
	case Horizontal:
		var last uint64
		for i := range n {
			whole := uint64(0)
			for _, byt := range encoded(nil, binary.BigEndian, s.dtype, s.value(y, x0+i)) {
				whole = whole<<8 | uint64(byt)
			}
			full := binary.BigEndian.AppendUint64(nil, whole-last)[8-size:]
			if s.order.String() == "LittleEndian" {
				for k := range full {
					b = append(b, full[size-1-k])
				}
			} else {
				b = append(b, full...)
			}
			last = whole
		}
		return b
	}
	for i := range n {
		b = encoded(b, s.order, s.dtype, s.value(y, x0+i))
	}
	return b
}

func compressed(c Compression, b []byte) []byte {
	switch c {
	case Deflate:
		var out bytes.Buffer
		w := zlib.NewWriter(&out)
		w.Write(b)
		w.Close()
		return out.Bytes()
	case LZW:
		packed, err := new(packing.Packer).Pack(LZW, b)
		if err != nil {
			panic(err)
		}
		return packed
	case packing.PackBits:
		return runs(b)
	case packing.Zstandard:
		w, err := zstd.NewWriter(nil)
		if err != nil {
			panic(err)
		}
		return w.EncodeAll(b, nil)
	}
	return b
}

// runs packs bytes with all that PackBits has: repeated ones, up to 128 that follow as they are, and counts that mean nothing.
func runs(b []byte) (out []byte) {
	for len(b) > 0 {
		n := 1
		for n < min(128, len(b)) && b[n] == b[0] {
			n++
		}
		if n > 1 {
			out, b = append(out, byte(257-n), b[0]), b[n:]
			continue
		}
		for n < min(128, len(b)) && b[n] != b[n-1] {
			n++
		}
		out, b = append(append(append(out, 0x80), byte(n-1)), b[:n]...), b[n:]
	}
	return out
}

// codes are the values of the tag Compression.
var codes = map[Compression]uint64{None: 1, Deflate: 8, LZW: 5, packing.PackBits: 32773, packing.Zstandard: 50000}

// maker gives the fields that describe the sample, and its blocks.
func (s sample) maker() (m *maker, blocks [][]byte) {
	m = &maker{order: s.order, big: s.big}
	m.add(256, 4, uint64(s.width))
	m.add(257, 3, uint64(s.height))
	m.add(258, 3, uint64(8*s.dtype.Size()))
	m.add(259, 3, codes[s.compression])
	m.add(262, 3, 1)
	m.add(277, 3, 1)
	m.add(339, 3, uint64(formats[s.dtype.Class()]))
	m.add(317, 3, uint64(s.predictor))
	width := s.width
	if s.tiled {
		width = s.blockW
		m.add(322, 3, uint64(s.blockW))
		m.add(323, 3, uint64(s.blockH))
	} else {
		m.add(278, 4, uint64(s.blockH))
	}
	for y := 0; y < s.height; y += s.blockH {
		rows := s.blockH
		if !s.tiled {
			rows = min(rows, s.height-y)
		}
		for x := 0; x < s.width; x += width {
			var b []byte
			for i := range rows {
				b = append(b, s.row(y+i, x, width)...)
			}
			blocks = append(blocks, compressed(s.compression, b))
		}
	}
	return m, blocks
}

func (s sample) tags() (offsets, counts uint16) {
	if s.tiled {
		return 324, 325
	}
	return 273, 279
}

func (s sample) file() []byte {
	m, blocks := s.maker()
	offsets, counts := s.tags()
	return m.file(offsets, counts, blocks...)
}

// want is a rectangle as elements of type d in this machine's order.
func (s sample) want(d element.DType, r Rect) []byte {
	order := binary.AppendByteOrder(binary.LittleEndian)
	if words.HostBigEndian {
		order = binary.BigEndian
	}
	var b []byte
	for y := r.Y0; y < r.Y1; y++ {
		for x := r.X0; x < r.X1; x++ {
			b = encoded(b, order, d, s.value(y, x))
		}
	}
	return b
}

func open(t testing.TB, file []byte) *File {
	t.Helper()
	f, err := New("test.tif", bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func allDTypes() []element.DType {
	return []element.DType{element.Uint8, element.Int8, element.Uint16, element.Int16, element.Uint32, element.Int32,
		element.Uint64, element.Int64, element.Float16, element.Float32, element.Float64}
}

// predictors are those that suit a compression and a type.
func predictors(c Compression, d element.DType) []Predictor {
	switch {
	case c == None:
		return []Predictor{NoPredictor}
	case d.Float():
		return []Predictor{NoPredictor, Horizontal, FloatingPoint}
	}
	return []Predictor{NoPredictor, Horizontal}
}

// layouts are ways to cut a raster into blocks.
var layouts = []struct {
	tiled          bool
	blockH, blockW int
}{{false, 1, 0}, {false, 7, 0}, {false, 1000, 0}, {true, 16, 16}, {true, 32, 16}, {true, 16, 64}}

// samples yields a raster of every kind.
func samples(yield func(sample) bool) {
	for _, d := range allDTypes() {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			for _, big := range []bool{false, true} {
				for _, l := range layouts {
					for _, c := range []Compression{None, Deflate, LZW, packing.PackBits, packing.Zstandard} {
						for _, p := range predictors(c, d) {
							s := sample{d, 37, 45, order, big, l.tiled, l.blockH, l.blockW, c, p}
							if !yield(s) {
								return
							}
						}
					}
				}
			}
		}
	}
}
