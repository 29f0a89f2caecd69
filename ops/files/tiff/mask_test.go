package tiff

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/ops/files/element"
	"weft/ops/files/tiff/packing"
	"weft/ops/files/words"
)

// cover is a mask for tests: bits of an element, and how it is stored.
type cover struct {
	bits          int
	tiled         bool
	blockH        int // of strips; tiles are 16 x 16
	compression   Compression
	height, width int
	spoil         func(m *maker)
}

// there is the formula of the mask.
func there(y, x int) bool { return (y*5+x*3)%7 != 0 && x != 0 }

// maker gives the fields that describe the mask, and its blocks.
func (c cover) maker(order binary.AppendByteOrder, big bool) (m *maker, blocks [][]byte, offsets, counts uint16) {
	m = &maker{order: order, big: big}
	m.add(254, 4, 4)
	m.add(256, 4, uint64(c.width))
	m.add(257, 4, uint64(c.height))
	m.add(258, 3, uint64(c.bits))
	m.add(259, 3, codes[c.compression])
	m.add(262, 3, 4)
	m.add(277, 3, 1)
	rows, width := c.blockH, c.width
	offsets, counts = 273, 279
	if c.tiled {
		rows, width = 16, 16
		offsets, counts = 324, 325
		m.add(322, 3, 16)
		m.add(323, 3, 16)
	} else {
		m.add(278, 4, uint64(rows))
	}
	for y := 0; y < c.height; y += rows {
		last := y + rows
		if !c.tiled {
			last = min(last, c.height)
		}
		for x := 0; x < c.width; x += width {
			var b []byte
			for i := y; i < last; i++ {
				row := make([]byte, (width*c.bits+7)/8)
				for j := range width {
					switch {
					case !there(i, x+j):
					case c.bits == 1:
						row[j/8] |= 0x80 >> (j % 8)
					default:
						row[j] = 255
					}
				}
				b = append(b, row...)
			}
			blocks = append(blocks, compressed(c.compression, b))
		}
	}
	if c.spoil != nil {
		c.spoil(m)
	}
	return m, blocks, offsets, counts
}

// masked is the file of a sample with a mask behind it.
func masked(s sample, c cover) []byte {
	file := s.file()
	file = append(file, make([]byte, len(file)%2)...)
	m, blocks, offsets, counts := c.maker(s.order, s.big)
	start := uint64(len(file))
	places, sizes := make([]uint64, len(blocks)), make([]uint64, len(blocks))
	kind := uint16(4)
	if s.big {
		kind = 16
	}
	m.add(offsets, kind, places...)
	m.add(counts, kind, sizes...)
	end := start + uint64(len(m.directory(start, 0)))
	for i, b := range blocks {
		places[i], sizes[i] = end, uint64(len(b))
		end += uint64(len(b))
	}
	m.fields = m.fields[:len(m.fields)-2]
	m.add(offsets, kind, places...)
	m.add(counts, kind, sizes...)
	file = append(file, m.directory(start, 0)...)
	for _, b := range blocks {
		file = append(file, b...)
	}
	if s.big { // the first directory leads to the second
		n := 24 + 20*int(m.order.(binary.ByteOrder).Uint64(file[16:]))
		copy(file[n:], m.num(16, start))
		return file
	}
	n := 10 + 12*int(m.order.(binary.ByteOrder).Uint16(file[8:]))
	copy(file[n:], m.num(4, start))
	return file
}

// Elements that a mask leaves out are NaN, and all others as they are, in every way to store both, whole and in parts.
func TestMasks(t *testing.T) {
	n := 0
	for _, bits := range []int{1, 8} {
		for _, c := range []cover{{tiled: true}, {blockH: 1}, {blockH: 5}, {blockH: 1000}} {
			for _, compression := range []Compression{None, Deflate, LZW, packing.PackBits, packing.Zstandard} {
				c.bits, c.compression, c.height, c.width = bits, compression, 37, 45
				for i, d := range []element.DType{element.Uint8, element.Int16, element.Float32, element.Float64} {
					l := layouts[(n+i)%len(layouts)]
					s := sample{d, 37, 45, []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian}[n%2], n%3 == 0, l.tiled, l.blockH, l.blockW, Deflate, NoPredictor}
					f := open(t, masked(s, c))
					if h := f.Header(); !h.Masked || h.Ignored != (Ignored{}) {
						t.Fatalf("header %+v", h)
					}
					for _, r := range []Rect{f.header.Whole(), {3, 30, 7, 21}, {11, 12, 8, 9}, {36, 37, 0, 45}} {
						checkMasked(t, f, s, r, element.Float64, 0)
						checkMasked(t, f, s, r, element.Float32, 4)
					}
					checkTile(t, f, s, f.header.Whole(), Layout{DType: d}) // as it is stored
				}
				n++
			}
		}
	}
}

// A mask in a file of its own goes before one in the raster's; one that cannot be read is no mask of nothing.
func TestMasksBesideTheirRaster(t *testing.T) {
	s := sample{element.Int16, 37, 45, binary.LittleEndian, false, true, 16, 16, Deflate, NoPredictor}
	for _, bits := range []int{1, 8} {
		for _, flagged := range []bool{false, true} {
			path := filepath.Join(t.TempDir(), "a.tif")
			inside := masked(s, cover{bits: 1, blockH: 37, compression: None, height: 37, width: 45})
			m, blocks, offsets, counts := cover{bits: bits, tiled: true, compression: Deflate, height: 37, width: 45}.maker(binary.LittleEndian, false)
			if !flagged {
				m.remove(254)
			}
			write := func(name string, data []byte) {
				if err := os.WriteFile(name, data, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			for _, raster := range [][]byte{s.file(), inside} {
				write(path, raster)
				write(MaskBeside(path), m.file(offsets, counts, blocks...))
				m.fields = m.fields[:len(m.fields)-2]
				f, err := Open(path)
				if err != nil {
					t.Fatal(err)
				}
				if !f.Header().Masked {
					t.Error("the mask is not seen")
				}
				checkMasked(t, f, s, f.header.Whole(), element.Float32, 0)
				if err := f.Close(); err != nil {
					t.Error(err)
				}
			}
			write(MaskBeside(path), []byte("no mask"))
			if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "a.tif.msk") {
				t.Errorf("a damaged mask: %v", err)
			}
		}
	}
}

// firstOf is the first element of b.
func firstOf(d element.DType, b []byte) float64 {
	if d == element.Float32 {
		return float64(words.View[float32](b[:4])[0])
	}
	return words.View[float64](b[:8])[0]
}

func checkMasked(t *testing.T, f *File, s sample, r Rect, d element.DType, padding int) {
	t.Helper()
	as := Layout{DType: d, RowStride: r.Width()*d.Size() + padding, NodataAsNaN: true}
	b := words.Bytes(as.Span(r))
	if err := f.ReadTile(b, as, r); err != nil {
		t.Fatal(err)
	}
	for y := r.Y0; y < r.Y1; y++ {
		for x := r.X0; x < r.X1; x++ {
			want := math.NaN()
			if there(y, x) {
				want = s.value(y, x)
			}
			if got := firstOf(d, b[(y-r.Y0)*as.RowStride+(x-r.X0)*d.Size():]); got != want && (got == got || want == want) {
				t.Fatalf("%+v, %v: [%d, %d] is %g, want %g", s, r, y, x, got, want)
			}
		}
	}
}

func TestMasksThatAreRefused(t *testing.T) {
	s := sample{element.Float32, 20, 30, binary.LittleEndian, false, false, 20, 0, None, NoPredictor}
	good := cover{bits: 1, blockH: 20, compression: Deflate, height: 20, width: 30}
	put := func(tag, kind uint16, v uint64) func(*maker) {
		return func(m *maker) { m.remove(tag); m.add(tag, kind, v) }
	}
	for want, change := range map[string]func(c *cover){
		"has a mask of 10 x 30 elements for a raster of 20 x 30": func(c *cover) { c.height = 10 },
		"has a mask of 4 bits and 1 bands":                       func(c *cover) { c.spoil = put(258, 3, 4) },
		"has a mask of 1 bits and 3 bands":                       func(c *cover) { c.spoil = put(277, 3, 3) },
		"has a mask which is compressed with CCITT fax 4":        func(c *cover) { c.spoil = put(259, 3, 4) },
		"has a mask of bits with a predictor":                    func(c *cover) { c.spoil = put(317, 3, 2) },
		"has a mask which has the bits of each byte":             func(c *cover) { c.spoil = put(266, 3, 2) },
		"has a mask which is damaged: its blocks are 0 x 30":     func(c *cover) { c.spoil = put(278, 4, 0) },
		"has a mask which is damaged: StripOffsets":              func(c *cover) { c.spoil = put(278, 4, 1) },
	} {
		c := good
		change(&c)
		file := masked(s, c)
		_, err := New("test.tif", bytes.NewReader(file), int64(len(file)))
		wantError(t, err, want)
	}
	file := masked(s, good)
	file = file[:len(file)-12]
	_, err := New("test.tif", bytes.NewReader(file), int64(len(file)))
	wantError(t, err, "has a mask which is truncated or damaged")
}

// Masks of reduced copies, and a second mask, are counted and not read.
func TestOtherMasksAreIgnored(t *testing.T) {
	s := sample{element.Float32, 20, 30, binary.LittleEndian, false, false, 20, 0, None, NoPredictor}
	c := cover{bits: 1, blockH: 20, compression: None, height: 10, width: 15, spoil: func(m *maker) { m.remove(254); m.add(254, 4, 5) }}
	if h := open(t, masked(s, c)).Header(); h.Masked || h.Ignored != (Ignored{Masks: 1}) {
		t.Errorf("header %+v", h)
	}
}

// A band of transparency is named, with what makes a mask of it.
func TestAlphaIsNamed(t *testing.T) {
	s := sample{element.Float32, 4, 5, binary.LittleEndian, false, false, 4, 0, None, NoPredictor}
	for kind, want := range map[uint64]string{
		0: "BitsPerSample (tag 258) has 1 values, 2 expected", 1: "holds 2 bands, of which one is alpha (transparency)", 2: "-b 1 -mask 2",
	} {
		m, blocks := s.maker()
		m.remove(277)
		m.add(277, 3, 2)
		m.add(338, 3, kind)
		file := m.file(273, 279, blocks...)
		_, err := New("test.tif", bytes.NewReader(file), int64(len(file)))
		wantError(t, err, want)
	}
}

// Masks, scales and offsets as GDAL writes them.
func TestGDALsMasksAndScales(t *testing.T) {
	needs(t, "gdal_translate")
	dir := t.TempDir()
	source, path := filepath.Join(dir, "source.tif"), filepath.Join(dir, "a.tif")
	s := sample{element.Uint8, 83, 71, binary.LittleEndian, false, false, 83, 0, None, NoPredictor}
	writeSample(t, source, s)
	for i, options := range [][]string{{"COMPRESS=NONE"}, {"COMPRESS=LZW", "TILED=YES", "BLOCKXSIZE=32", "BLOCKYSIZE=48"}, {"COMPRESS=DEFLATE", "BIGTIFF=YES", "ENDIANNESS=BIG"}} {
		args := []string{"-q", "--config", "GDAL_TIFF_INTERNAL_MASK", "YES", "-b", "1", "-mask", "1", "-ot", "Int16", "-a_scale", "0.25", "-a_offset", "-3"}
		for _, o := range options {
			args = append(args, "-co", o)
		}
		run(t, "gdal_translate", append(args, source, path)...)
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		h := f.Header()
		if !h.Masked || h.Scale != 0.25 || h.Offset != -3 {
			t.Fatalf("%v: header %+v", options, h)
		}
		r := Rect{2 * i, 83, 5 * i, 71 - i}
		as := Layout{DType: element.Float64, NodataAsNaN: true}
		b := words.Bytes(as.Span(r))
		if err := f.ReadTile(b, as, r); err != nil {
			t.Fatal(err)
		}
		missing := 0
		for k, got := range words.View[float64](b) {
			want := s.value(r.Y0+k/r.Width(), r.X0+k%r.Width())
			if want == 0 { // the band is its own mask
				want = math.NaN()
				missing++
			}
			if got != want && (got == got || want == want) {
				t.Fatalf("%v: element %d is %g, want %g", options, k, got, want)
			}
		}
		if missing == 0 {
			t.Error("nothing is missing")
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	run(t, "gdal_translate", "-q", "-b", "1", "-b", "1", "-colorinterp", "gray,alpha", source, path)
	_, err := Stat(path)
	wantError(t, err, "alpha (transparency)")
	if !strings.Contains(fmt.Sprint(err), "-mask 2") {
		t.Error(err)
	}
}
