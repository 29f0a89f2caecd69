package tiff

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"weft/ops/files/element"
	"weft/ops/files/words"
)

// seeds yields small files of all kinds, well-formed and not.
func seeds(yield func([]byte) bool) {
	i := 0
	for s := range samples {
		s.height, s.width = 5, 9
		i++
		if i%29 == 0 && s.blockH*max(s.blockW, s.width)*s.dtype.Size() < 5000 && !yield(s.file()) {
			return
		}
	}
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, file := range [][]byte{
			placed(order, func(m *maker) {
				keys(m, 1024, 1, 1025, 2, 3072, 25832, 3076, 9001)
				m.doubles(33550, 2, 2, 0)
				m.doubles(33922, 0, 0, 0, 500000, 5400000, 0)
				m.text(42113, "-9999")
				m.text(42112, `<GDALMetadata><Item name="SCALE" sample="0" role="scale">0.01</Item></GDALMetadata>`)
			}),
			placed(order, func(m *maker) {
				m.add(34735, 3, 1, 1, 0, 3, 1024, 0, 1, 1, 3076, 0, 1, 32767, 3077, 34736, 1, 0)
				m.doubles(34736, 0.3)
				m.doubles(34264, 1, 0, 0, 5, 0, -1, 0, 6, 0, 0, 0, 0, 0, 0, 0, 1)
			}),
		} {
			if !yield(file) {
				return
			}
		}
	}
	small := sample{element.Int16, 5, 9, binary.BigEndian, false, false, 2, 0, Deflate, NoPredictor}
	for _, c := range []cover{{bits: 1, blockH: 5, compression: Deflate}, {bits: 8, tiled: true, compression: LZW}, {bits: 1, tiled: true, compression: None}} {
		c.height, c.width = 5, 9
		if !yield(masked(small, c)) {
			return
		}
	}
	for _, file := range [][]byte{cycle(2), placedSparse(), bomb(1 << 24)} {
		if !yield(file) {
			return
		}
	}
}

// FuzzRead feeds arbitrary bytes. Whatever is accepted must give the same elements by rectangles as at once, and the
// same again when written and read back.
func FuzzRead(f *testing.F) {
	for file := range seeds {
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		if h, whole, ok := checkInput(t, input); ok {
			checkAgain(t, h, whole)
		}
	})
}

// Every byte of small files changed in turn, and the files cut off everywhere.
func TestEveryByteChanged(t *testing.T) {
	for file := range seeds {
		if len(file) > 2000 {
			continue
		}
		for i, was := range file {
			for _, b := range []byte{0, was ^ 0x80, 0xff} {
				file[i] = b
				checkInput(t, file)
			}
			file[i] = was
			checkInput(t, file[:i])
		}
	}
}

// checkInput reads a file if it can be read. ok says that whole is all of it.
func checkInput(t *testing.T, input []byte) (h Header, whole []byte, ok bool) {
	file, err := New("input.tif", bytes.NewReader(input), int64(len(input)))
	if err != nil {
		wantError(t, err, "input.tif")
		return h, nil, false
	}
	h = file.Header()
	h.Geo.Problems()
	const most = 4 << 20
	if h.blockBytes() > most {
		return h, nil, false
	}
	part := h.Whole()
	part.Y1, part.X1 = min(part.Y1, 64), min(part.X1, 64)
	if whole, ok = readPart(t, file, part); !ok {
		return h, nil, false
	}
	checkParts(t, file, part, whole)
	checkMissing(t, file, part)
	return h, whole, part == h.Whole()
}

// readPart gives a rectangle in the type of the file, or not ok where its blocks are damaged.
func readPart(t *testing.T, f *File, r Rect) (b []byte, ok bool) {
	as := Layout{DType: f.header.DType}
	b = words.Bytes(as.Span(r))
	if err := f.ReadTile(b, as, r); err != nil {
		wantError(t, err, "input.tif")
		return nil, false
	}
	return b, true
}

// checkParts reads a rectangle in four parts, with another cache.
func checkParts(t *testing.T, f *File, r Rect, whole []byte) {
	f.SetCache(int64(len(whole)))
	size := f.header.DType.Size()
	y, x := r.Y1/3, r.X1/2
	for _, part := range []Rect{{0, y, 0, x}, {0, y, x, r.X1}, {y, r.Y1, x, r.X1}, {y, r.Y1, 0, x}} {
		b, ok := readPart(t, f, part)
		if !ok {
			t.Fatalf("%v cannot be read, though %v can", part, r)
		}
		for i := range part.Height() {
			at := ((part.Y0+i)*r.Width() + part.X0) * size
			row := part.Width() * size
			if !bytes.Equal(b[i*row:(i+1)*row], whole[at:at+row]) {
				t.Fatalf("%v differs from %v", part, r)
			}
		}
	}
}

// checkMissing reads a rectangle with NaN for what is missing, in two parts and at once.
func checkMissing(t *testing.T, f *File, r Rect) {
	if !f.header.Masked {
		return
	}
	as := Layout{DType: element.Float64, NodataAsNaN: true}
	whole, parts := words.Bytes(as.Span(r)), words.Bytes(as.Span(r))
	err := f.ReadTile(whole, as, r)
	y := r.Y1 / 2
	top, rest := Rect{0, y, 0, r.X1}, Rect{y, r.Y1, 0, r.X1}
	errs := errors.Join(f.ReadTile(parts, as, top), f.ReadTile(parts[y*r.X1*8:], as, rest))
	if err != nil || errs != nil {
		if (err == nil) != (errs == nil) {
			t.Fatalf("at once: %v, in parts: %v", err, errs)
		}
		wantError(t, err, "input.tif")
		return
	}
	if !bytes.Equal(whole, parts) {
		t.Fatal("parts differ from the whole")
	}
}

// checkAgain writes a raster with the same header where that can be written, and reads it.
func checkAgain(t *testing.T, h Header, whole []byte) {
	path := t.TempDir() + "/input.tif"
	w, err := Create(path, h)
	if err != nil {
		return // such as tiles whose sides are no multiples of 16
	}
	as := Layout{DType: h.DType}
	if err := w.WriteTile(whole, as, h.Whole()); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(false); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if again, ok := readPart(t, f, h.Whole()); !ok || !bytes.Equal(again, whole) {
		t.Fatal("the elements changed when written and read")
	}
	if f.header.Geo.Affine != h.Geo.Affine || f.header.Geo.CRS != h.Geo.CRS {
		t.Fatalf("the georeference changed from %+v to %+v", h.Geo, f.header.Geo)
	}
}
