package tiff

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"weft/ops/files/element"
	"weft/ops/files/tiff/packing"
)

// banded is a sample of several bands, of which each has the values of other columns.
type banded struct {
	sample
	bands int
	mixed bool
}

const apart = 1000 // columns

// rows are rows of a block as the file has them: of one band, or of all with their elements side by side, or what their predictor makes of floats, byte by byte.
func (s banded) rows(y, rows, x, columns, band int) (out []byte) {
	if !s.mixed {
		for i := range rows {
			out = append(out, s.row(y+i, x+band*apart, columns)...)
		}
		return out
	}
	unit := s.dtype.Size()
	if s.predictor == FloatingPoint {
		unit = 1
	}
	for i := range rows {
		var all [][][]byte
		for b := range s.bands {
			all = append(all, slices.Collect(slices.Chunk(s.row(y+i, x+b*apart, columns), unit)))
		}
		for k := range all[0] {
			for b := range all {
				out = append(out, all[b][k]...)
			}
		}
	}
	return out
}

func (s banded) file() []byte {
	m, _ := s.maker()
	for _, tag := range []uint16{258, 277, 339} {
		m.remove(tag)
	}
	n := uint64(s.bands)
	m.add(258, 3, slices.Repeat([]uint64{uint64(8 * s.dtype.Size())}, s.bands)...)
	m.add(277, 3, n)
	m.add(339, 3, slices.Repeat([]uint64{uint64(formats[s.dtype.Class()])}, s.bands)...)
	planes, config := 1, uint64(1)
	if !s.mixed {
		planes, config = s.bands, 2
	}
	m.add(284, 3, config)
	width := s.width
	if s.tiled {
		width = s.blockW
	}
	var blocks [][]byte
	for band := range planes {
		for y := 0; y < s.height; y += s.blockH {
			rows := s.blockH
			if !s.tiled {
				rows = min(rows, s.height-y)
			}
			for x := 0; x < s.width; x += width {
				blocks = append(blocks, compressed(s.compression, s.rows(y, rows, x, width, band)))
			}
		}
	}
	offsets, counts := s.tags()
	return m.file(offsets, counts, blocks...)
}

func TestABandOfSeveral(t *testing.T) {
	for _, mixed := range []bool{true, false} {
		for _, one := range []sample{
			{dtype: element.Uint8, compression: None, predictor: NoPredictor},
			{dtype: element.Float32, compression: None, predictor: NoPredictor, tiled: true},
			{dtype: element.Int16, compression: packing.PackBits, predictor: NoPredictor},
			{dtype: element.Int16, compression: Deflate, predictor: Horizontal, tiled: true},
			{dtype: element.Uint32, compression: LZW, predictor: Horizontal},
			{dtype: element.Float32, compression: packing.Zstandard, predictor: FloatingPoint},
			{dtype: element.Float64, compression: Deflate, predictor: FloatingPoint, tiled: true},
		} {
			for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
				one.height, one.width, one.order, one.blockH, one.blockW = 37, 45, order, 16, 32
				s := banded{one, 3, mixed}
				t.Run(fmt.Sprintf("%v %v %v %v mixed %v", s.dtype, s.compression, s.predictor, order, mixed), func(t *testing.T) {
					data := s.file()
					all, err := newFile("test.tif", bytes.NewReader(data), int64(len(data)), 0)
					if err != nil {
						t.Fatal(err)
					}
					for _, r := range []Rect{all.header.Whole(), {5, 30, 7, 41}} {
						as := Layout{DType: s.dtype}
						got := make([]byte, 2*as.Span(r))
						if err := all.ReadBands(got, as, 1, 3, r); err != nil {
							t.Fatal(err)
						}
						var want []byte
						for band := 1; band < 3; band++ {
							at := r
							at.X0, at.X1 = r.X0+band*apart, r.X1+band*apart
							want = append(want, s.want(s.dtype, at)...)
						}
						if !bytes.Equal(got, want) {
							t.Errorf("all bands, %v: other values", r)
						}
					}
					for band := 1; band <= s.bands; band++ {
						f, err := newFile("test.tif", bytes.NewReader(data), int64(len(data)), band)
						if err != nil {
							t.Fatal(err)
						}
						for _, r := range []Rect{f.header.Whole(), {5, 30, 7, 41}} {
							got := make([]byte, Layout{DType: s.dtype}.Span(r))
							if err := f.ReadTile(got, Layout{DType: s.dtype}, r); err != nil {
								t.Fatal(err)
							}
							at := r
							at.X0, at.X1 = r.X0+(band-1)*apart, r.X1+(band-1)*apart
							if !bytes.Equal(got, s.want(s.dtype, at)) {
								t.Errorf("band %d, %v: other values", band, r)
							}
						}
					}
					if _, err := newFile("test.tif", bytes.NewReader(data), int64(len(data)), 4); err == nil {
						t.Error("there is no band 4")
					}
				})
			}
		}
	}
}
