package tiff

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"testing"

	"golang.org/x/image/tiff"

	"weft/ops/files/element"
	"weft/ops/files/words"
)

// header is what Create takes to write the sample as it is.
func (s sample) header() Header {
	return Header{
		DType: s.dtype, Height: s.height, Width: s.width, Tiled: s.tiled, BlockH: s.blockH, BlockW: s.blockW,
		Compression: s.compression, Predictor: s.predictor, Big: s.big, BigEndian: s.order.String() == "BigEndian",
	}
}

// rectangles cuts a raster into parts of at most the given size, in random order.
func rectangles(h Header, height, width int, rng *rand.Rand) []Rect {
	var all []Rect
	for y := 0; y < h.Height; y += height {
		for x := 0; x < h.Width; x += width {
			all = append(all, Rect{y, min(y+height, h.Height), x, min(x+width, h.Width)})
		}
	}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

func TestWriteEveryTypeLayoutCompressionPredictorAndOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	path := filepath.Join(t.TempDir(), "a.tif")
	for s := range samples {
		if !s.compression.Packs() {
			continue
		}
		w, err := Create(path, s.header())
		if err != nil {
			t.Fatalf("%+v: %v", s, err)
		}
		for _, r := range rectangles(w.Header(), 1+rng.IntN(40), 1+rng.IntN(50), rng) {
			if err := w.WriteTile(alignedCopy(s.want(s.dtype, r)), Layout{DType: s.dtype}, r); err != nil {
				t.Fatalf("%+v: %v", s, err)
			}
		}
		if n := len(w.blocks); n != 0 {
			t.Fatalf("%+v: %d blocks are held at the end", s, n)
		}
		if err := w.Commit(false); err != nil {
			t.Fatalf("%+v: %v", s, err)
		}
		f, err := Open(path)
		if err != nil {
			t.Fatalf("%+v: %v", s, err)
		}
		if got, want := f.Header(), w.Header(); !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v: header\n%+v, want\n%+v", s, got, want)
		}
		checkTile(t, f, s, f.header.Whole(), Layout{DType: s.dtype})
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func alignedCopy(b []byte) []byte {
	out := words.Bytes(len(b))
	copy(out, b)
	return out
}

// What is not set is filled in, types are converted, rows may be padded.
func TestWriteDefaultsAndConversion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.tif")
	nodata := -9999.0
	s := sample{dtype: element.Float32, height: 300, width: 290}
	w, err := Create(path, Header{DType: element.Float32, Height: 300, Width: 290, Nodata: &nodata, Software: "weft 1", Description: "sky"})
	if err != nil {
		t.Fatal(err)
	}
	const stride = 300
	values := make([]float64, 300*stride)
	for y := range 300 {
		for x := range 290 {
			values[y*stride+x] = s.value(y, x)
		}
	}
	values[5*stride+7] = math.NaN()
	if err := w.WriteTile(words.Raw(values), Layout{DType: element.Float64, RowStride: stride * 8, NodataAsNaN: true}, w.Header().Whole()); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(true); err != nil {
		t.Fatal(err)
	}
	got, h, err := Load[float32](path)
	if err != nil {
		t.Fatal(err)
	}
	if !h.Tiled || h.BlockH != 256 || h.BlockW != 256 || h.Compression != Deflate || h.Predictor != FloatingPoint || h.Big ||
		h.Software != "weft 1" || h.Description != "sky" || *h.Nodata != nodata {
		t.Errorf("header %+v", h)
	}
	for i, v := range got {
		want := float32(s.value(i/290, i%290))
		if i == 5*290+7 {
			want = -9999
		}
		if v != want {
			t.Fatalf("element %d is %v, want %v", i, v, want)
		}
	}
}

func TestWriteConcurrently(t *testing.T) {
	for _, c := range []Compression{None, Deflate, LZW} {
		path := filepath.Join(t.TempDir(), "a.tif")
		s := sample{element.Float32, 500, 470, binary.LittleEndian, false, true, 48, 32, c, 0}
		w, err := Create(path, s.header())
		if err != nil {
			t.Fatal(err)
		}
		work := make(chan Rect)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for r := range work {
					if err := w.WriteTile(alignedCopy(s.want(element.Float32, r)), Layout{DType: element.Float32}, r); err != nil {
						t.Error(err)
					}
				}
			})
		}
		for _, r := range rectangles(w.Header(), 37, 53, rand.New(rand.NewPCG(9, 10))) {
			work <- r
		}
		close(work)
		wg.Wait()
		if err := w.Commit(false); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		checkTile(t, f, s, f.header.Whole(), Layout{DType: element.Float32})
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Without compression, the same raster gives the same file in whatever order its parts come.
func TestPlainFilesDoNotDependOnOrder(t *testing.T) {
	dir := t.TempDir()
	s := sample{element.Int16, 100, 90, binary.LittleEndian, false, true, 16, 16, None, NoPredictor}
	var files [][]byte
	for seed := range 2 {
		path := filepath.Join(dir, "a.tif")
		w, err := Create(path, s.header())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rectangles(w.Header(), 13, 29, rand.New(rand.NewPCG(11, uint64(seed)))) {
			if err := w.WriteTile(alignedCopy(s.want(element.Int16, r)), Layout{DType: element.Int16}, r); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Commit(false); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, b)
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("the files differ")
	}
}

// Another decoder, which knows 8 and 16 bits.
func TestWriteAgainstAnotherDecoder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.tif")
	for _, d := range []element.DType{element.Uint8, element.Uint16} {
		for _, c := range []Compression{None, Deflate, LZW} {
			for _, l := range layouts {
				// It misreads tiles that reach beyond the right border, hence 64.
				s := sample{d, 40, 64, binary.LittleEndian, false, l.tiled, l.blockH, l.blockW, c, NoPredictor}
				if c != None {
					s.predictor = Horizontal
				}
				if err := Save(path, s.header(), words.View[uint8](s.want(element.Uint8, s.header().Whole()))); err != nil {
					t.Fatal(err)
				}
				b, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				picture, err := tiff.Decode(bytes.NewReader(b))
				if err != nil {
					t.Fatalf("%+v: %v", s, err)
				}
				for y := range s.height {
					for x := range s.width {
						v, _, _, _ := picture.At(x, y).RGBA()
						if d == element.Uint8 {
							v >>= 8
						}
						if float64(v) != s.value(y, x) {
							t.Fatalf("%+v: [%d, %d] is %d, want %v", s, y, x, v, s.value(y, x))
						}
					}
				}
			}
		}
	}
}

// A file becomes a BigTIFF file when its offsets need more than 32 bits, and only then.
func TestBigBySize(t *testing.T) {
	dir := t.TempDir()
	defer func(was int64) { maxClassic = was }(maxClassic)
	for _, most := range []int64{1 << 12, 1 << 14} {
		maxClassic = most
		s := sample{element.Uint8, 80, 100, binary.LittleEndian, false, false, 8, 0, None, NoPredictor} // 8000 bytes
		path := filepath.Join(dir, "a.tif")
		if err := Save(path, s.header(), words.View[uint8](s.want(element.Uint8, s.header().Whole()))); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if want := most < 8000; f.header.Big != want {
			t.Errorf("offsets up to %d: Big is %v", most, f.header.Big)
		}
		checkTile(t, f, s, f.header.Whole(), Layout{DType: element.Uint8})
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestOffsetsBeyond32Bits(t *testing.T) {
	f := offsets([]place{{offset: 5}, {offset: 1 << 33}}, true)
	if f.kind != typeLong8 || !slices.Equal(f.data, []byte{5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0}) {
		t.Errorf("got %+v", f)
	}
}

func TestWriteRefusals(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.tif")
	for _, c := range []struct {
		name   string
		header Header
		want   string
	}{
		{"no type", Header{Height: 1, Width: 1}, "no element type"},
		{"empty", Header{DType: element.Uint8, Height: 0, Width: 1}, "cannot hold a raster of 0 x 1"},
		{"huge", Header{DType: element.Uint8, Height: 1 << 40, Width: 1}, "cannot hold a raster"},
		{"odd tiles", Header{DType: element.Uint8, Height: 9, Width: 9, Tiled: true, BlockH: 20, BlockW: 16}, "multiples of 16"},
		{"narrow strips", Header{DType: element.Uint8, Height: 9, Width: 9, BlockH: 2, BlockW: 5}, "strips of 2 x 5"},
		{"large blocks", Header{DType: element.Uint8, Height: 9, Width: 9, Tiled: true, BlockH: 16, BlockW: 1 << 40}, "larger than"},
		{"too many blocks", Header{DType: element.Uint8, Height: math.MaxInt32, Width: 1 << 20, Tiled: true, BlockH: 16, BlockW: 16}, "too many"},
		{"compression", Header{DType: element.Uint8, Height: 9, Width: 9, Compression: 9}, "no compression"},
		{"predictor", Header{DType: element.Uint8, Height: 9, Width: 9, Predictor: FloatingPoint}, "does not suit uint8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Create(path, c.header)
			wantError(t, err, c.want)
		})
	}
	h := Header{DType: element.Uint8, Height: 20, Width: 20, BlockH: 16, BlockW: 16, Tiled: true}
	start := func() *Writer {
		w, err := Create(path, h)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	memory := words.Bytes(8 * 20 * 20)
	as := Layout{DType: element.Uint8}

	w := start()
	if err := w.WriteTile(memory, as, Rect{0, 10, 0, 20}); err != nil {
		t.Fatal(err)
	}
	wantError(t, w.WriteTile(memory, as, Rect{9, 12, 0, 20}), "were written already")
	if err := w.WriteTile(memory, as, Rect{12, 16, 0, 20}); err != nil {
		t.Fatal(err)
	}
	wantError(t, w.Commit(false), "0 blocks of 4 were written completely")

	w = start()
	if err := w.WriteTile(memory, as, Rect{0, 16, 0, 16}); err != nil {
		t.Fatal(err)
	}
	wantError(t, w.WriteTile(memory, as, Rect{15, 16, 15, 16}), "were written already")
	wantError(t, w.WriteTile(memory, as, Rect{0, 21, 0, 16}), "outside the raster")
	wantError(t, w.WriteTile(memory[:9], as, Rect{16, 20, 0, 16}), "do not fit 9 bytes")
	wantError(t, w.WriteTile(memory, Layout{DType: element.Float32}, Rect{16, 20, 0, 16}), "cannot become uint8")
	words.View[int16](memory)[3] = 256
	wantError(t, w.WriteTile(memory, Layout{DType: element.Int16}, Rect{16, 20, 0, 16}), "element [16, 3] is 256, which uint8 cannot hold")
	if err := w.Abort(); err != nil {
		t.Error(err)
	}
	wantError(t, Save(path, h, make([]uint8, 399)), "has 400 elements, not 399")
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left in the folder: %v (%v)", left, err)
	}
}
