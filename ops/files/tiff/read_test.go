package tiff

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"weft/ops/files/element"
	"weft/ops/files/words"
)

func TestReadEveryTypeLayoutCompressionPredictorAndOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	n := 0
	for s := range samples {
		n++
		f := open(t, s.file())
		h := f.Header()
		if h.DType != s.dtype || h.Height != s.height || h.Width != s.width || h.Tiled != s.tiled || h.Compression != s.compression ||
			h.Predictor != s.predictor || h.Big != s.big || h.BigEndian != (s.order.String() == "BigEndian") {
			t.Fatalf("%+v: header %+v", s, h)
		}
		checkTile(t, f, s, h.Whole(), Layout{DType: s.dtype})
		y, x := rng.IntN(s.height), rng.IntN(s.width)
		r := Rect{y, y + rng.IntN(s.height-y+1), x, x + rng.IntN(s.width-x+1)}
		checkTile(t, f, s, r, Layout{DType: element.Float64})
		checkTile(t, f, s, r, Layout{DType: element.Float32, RowStride: (r.Width() + 1 + rng.IntN(3)) * 4})
	}
	if n < 1000 {
		t.Errorf("only %d kinds of rasters", n)
	}
}

// checkTile reads a rectangle and compares it with the formula, padding included.
func checkTile(t *testing.T, f *File, s sample, r Rect, as Layout) {
	t.Helper()
	const untouched = 0xa5
	dst := words.Bytes(as.Span(r))
	want := make([]byte, len(dst))
	for i := range dst {
		dst[i], want[i] = untouched, untouched
	}
	if !r.empty() {
		packed, row := s.want(as.DType, r), r.Width()*as.DType.Size()
		for y := range r.Height() {
			copy(want[y*as.stride(r.Width()):], packed[y*row:(y+1)*row])
		}
	}
	if err := f.ReadTile(dst, as, r); err != nil {
		t.Fatalf("%+v %v: %v", s, r, err)
	}
	if !bytes.Equal(dst, want) {
		t.Fatalf("%+v %v as %+v: wrong elements", s, r, as)
	}
}

// Wide rows and rows longer than what is read at once, whole and in part.
func TestReadPlainWideRows(t *testing.T) {
	for _, s := range []sample{
		{element.Float32, 3, 70000, binary.BigEndian, false, false, 2, 0, None, NoPredictor},
		{element.Int16, 300, 700, binary.LittleEndian, false, false, 300, 0, None, NoPredictor},
		{element.Uint8, 40, 5000, binary.LittleEndian, false, true, 48, 4096, None, NoPredictor},
	} {
		f := open(t, s.file())
		for _, r := range []Rect{f.header.Whole(), {1, 3, 1, s.width}, {0, 3, s.width / 3, s.width/3 + 5}, {2, 3, 0, s.width - 1}} {
			checkTile(t, f, s, r, Layout{DType: s.dtype})
			checkTile(t, f, s, r, Layout{DType: element.Float64})
		}
	}
}

func TestReadConcurrently(t *testing.T) {
	for _, most := range []int64{0, 3000, DefaultCache} {
		s := sample{element.Float32, 150, 170, binary.LittleEndian, false, true, 16, 32, Deflate, FloatingPoint}
		f := open(t, s.file())
		f.SetCache(most)
		var wg sync.WaitGroup
		for worker := range 8 {
			wg.Go(func() {
				rng := rand.New(rand.NewPCG(3, uint64(worker)))
				for range 40 {
					y, x := rng.IntN(s.height), rng.IntN(s.width)
					r := Rect{y, min(s.height, y+1+rng.IntN(50)), x, min(s.width, x+1+rng.IntN(50))}
					dst := words.Bytes(Layout{DType: element.Float32}.Span(r))
					if err := f.ReadTile(dst, Layout{DType: element.Float32}, r); err != nil {
						t.Error(err)
					} else if !bytes.Equal(dst, s.want(element.Float32, r)) {
						t.Errorf("%v: wrong elements", r)
					}
				}
			})
		}
		wg.Wait()
		if f.cache.Held() > most {
			t.Errorf("%d bytes are kept of %d", f.cache.Held(), most)
		}
	}
}

// counting counts the bytes read from a file.
type counting struct {
	*bytes.Reader
	read int
}

func (c *counting) ReadAt(p []byte, offset int64) (int, error) {
	c.read += len(p)
	return c.Reader.ReadAt(p, offset)
}

func TestOnlyWantedBlocksAreReadAndOnlyOnce(t *testing.T) {
	s := sample{element.Float32, 256, 256, binary.LittleEndian, false, true, 64, 64, Deflate, NoPredictor}
	file := s.file()
	r := &counting{Reader: bytes.NewReader(file)}
	f, err := New("test.tif", r, int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	r.read = 0
	tile := func(r Rect) {
		t.Helper()
		checkTile(t, f, s, r, Layout{DType: element.Float32})
	}
	tile(Rect{64, 128, 64, 128})
	one := r.read
	if want := int(f.table[5].bytes); one < want || one > want+len(file)/16 {
		t.Errorf("%d bytes were read for one block of %d", one, want)
	}
	tile(Rect{70, 100, 90, 128})
	if r.read != one {
		t.Errorf("%d bytes were read for a block that was unpacked already", r.read-one)
	}
	tile(Rect{60, 70, 70, 80}) // a halo: one more block
	if r.read == one || r.read > 3*one {
		t.Errorf("%d bytes were read for one more block", r.read-one)
	}
	f.SetCache(0)
	before := r.read
	tile(Rect{64, 128, 64, 128})
	if r.read == before {
		t.Error("with no cache nothing was read")
	}
}

func TestNodata(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name   string
		dtype  element.DType
		nodata string
		values []float64
		want   []float64
	}{
		{"float32", element.Float32, "-9999", []float64{1, -9999, nan, 4}, []float64{1, nan, nan, 4}},
		{"float32 with digits of float64", element.Float32, "-3.4028234663852886e+38", []float64{1, -math.MaxFloat32, 3, 4}, []float64{1, nan, 3, 4}},
		{"float32 rounded by its writer", element.Float32, "0.1", []float64{float64(float32(0.1)), 2, 3, 4}, []float64{nan, 2, 3, 4}},
		{"beyond float32", element.Float32, "-1.79769313486232e+308", []float64{math.Inf(-1), 2, 3, 4}, []float64{math.Inf(-1), 2, 3, 4}},
		{"largest float64, rounded up", element.Float64, "-1.79769313486232e+308", []float64{-math.MaxFloat64, 2, 3, 4}, []float64{nan, 2, 3, 4}},
		{"infinity", element.Float32, "-inf", []float64{math.Inf(-1), 2, 3, 4}, []float64{nan, 2, 3, 4}},
		{"NaN", element.Float64, "nan", []float64{nan, 2, 3, 4}, []float64{nan, 2, 3, 4}},
		{"int16", element.Int16, "-32768 ", []float64{-32768, 2, 3, 4}, []float64{nan, 2, 3, 4}},
		{"uint8", element.Uint8, "255", []float64{255, 2, 3, 4}, []float64{nan, 2, 3, 4}},
		{"no uint8", element.Uint8, "-1", []float64{255, 2, 3, 4}, []float64{255, 2, 3, 4}},
		{"none", element.Float32, "", []float64{0, 2, 3, 4}, []float64{0, 2, 3, 4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := sample{c.dtype, 1, 4, binary.LittleEndian, false, false, 1, 0, None, NoPredictor}
			m, _ := s.maker()
			m.text(42113, c.nodata)
			var block []byte
			for _, v := range c.values {
				block = encoded(block, binary.LittleEndian, c.dtype, v)
			}
			f := open(t, m.file(273, 279, block))
			for _, mark := range []bool{true, false} {
				got, want := make([]float64, 4), c.values
				if mark {
					want = c.want
				}
				if err := f.Read(words.Raw(got), Layout{DType: element.Float64, NodataAsNaN: mark}); err != nil {
					t.Fatal(err)
				}
				for i := range got {
					if got[i] != want[i] && !(got[i] != got[i] && want[i] != want[i]) {
						t.Errorf("nodata as NaN %v: got %v, want %v", mark, got, want)
						break
					}
				}
			}
		})
	}
}

// Blocks that were never written are nodata, or 0 where the file names none.
func TestSparseBlocks(t *testing.T) {
	for _, compression := range []Compression{None, Deflate} {
		for nodata, want := range map[string]float32{"-9999": -9999, "": 0} {
			s := sample{element.Float32, 16, 32, binary.BigEndian, false, true, 16, 16, compression, NoPredictor}
			m, blocks := s.maker()
			m.text(42113, nodata)
			m.add(324, 4, 0, 0)
			m.add(325, 4, 0, 0)
			offset := uint64(len(m.head(0)) + len(m.directory(8, 0)))
			m.remove(324)
			m.remove(325)
			m.add(324, 4, 0, offset)
			m.add(325, 4, 0, uint64(len(blocks[1])))
			f := open(t, append(append(m.head(8), m.directory(8, 0)...), blocks[1]...))
			got := make([]float32, 16*32)
			if err := f.Read(words.Raw(got), Layout{DType: element.Float32}); err != nil {
				t.Fatal(err)
			}
			for i, v := range got {
				y, x := i/32, i%32
				if x < 16 && v != want || x >= 16 && v != float32(s.value(y, x)) {
					t.Fatalf("[%d, %d] is %v", y, x, v)
				}
			}
		}
	}
}

func TestReadRefusals(t *testing.T) {
	s := sample{element.Int16, 3, 4, binary.LittleEndian, false, false, 3, 0, None, NoPredictor}
	f := open(t, s.file())
	dst := words.Bytes(1024)
	for _, c := range []struct {
		name string
		dst  []byte
		as   Layout
		r    Rect
		want string
	}{
		{"outside", dst, Layout{DType: element.Int16}, Rect{0, 4, 0, 4}, "outside the raster of 3 rows and 4 columns"},
		{"reversed", dst, Layout{DType: element.Int16}, Rect{2, 1, 0, 4}, "outside the raster"},
		{"no type", dst, Layout{}, Rect{0, 3, 0, 4}, "no element type"},
		{"short memory", dst[:23], Layout{DType: element.Int16}, Rect{0, 3, 0, 4}, "do not fit 23 bytes"},
		{"small stride", dst, Layout{DType: element.Int16, RowStride: 6}, Rect{0, 3, 0, 4}, "row stride of 6"},
		{"negative stride", dst, Layout{DType: element.Int16, RowStride: -8}, Rect{0, 3, 0, 4}, "row stride of -8"},
		{"huge stride", dst, Layout{DType: element.Int16, RowStride: math.MaxInt - 1}, Rect{0, 3, 0, 4}, "do not fit"},
		{"not aligned", dst[1:], Layout{DType: element.Int16}, Rect{0, 3, 0, 4}, "not aligned"},
		{"does not fit", dst, Layout{DType: element.Uint8}, Rect{0, 3, 0, 4}, "element [0, 0] is -50, which uint8 cannot hold"},
		{"NaN among integers", dst, Layout{DType: element.Int32, NodataAsNaN: true}, Rect{0, 3, 0, 4}, "cannot be NaN"},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantError(t, f.ReadTile(c.dst, c.as, c.r), c.want)
		})
	}
	floats := open(t, sample{element.Float32, 3, 4, binary.LittleEndian, false, false, 3, 0, None, NoPredictor}.file())
	wantError(t, floats.Read(dst, Layout{DType: element.Int16}), "float32 elements cannot become int16")
}
