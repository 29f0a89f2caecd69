package tiff

import (
	"encoding/binary"
	"errors"
	"runtime"
	"sync"

	"weft/ops/files/element"
	"weft/ops/files/tiff/cache"
	"weft/ops/files/words"
)

// smallCopy is how many elements an axis of the smallest reduced copy has at most: a raster that is no larger has none.
const smallCopy = 2 * tileEdge

// resolution is the raster, or a copy of it reduced by a power of two.
type resolution struct {
	header Header
	table  []place
	copied bool
}

// resolutions are the raster and its reduced copies, each half as wide and high as the one before. Their blocks are put behind those of the
// raster, which a run that goes on later finds as they were.
func (w *Writer) resolutions() ([]resolution, error) {
	all := []resolution{{header: w.header, table: w.table}}
	for at := w; at.header.Tiled && max(at.header.Height, at.header.Width) > smallCopy; {
		half := at.header
		half.Height, half.Width = int(ceilDiv(int64(half.Height), 2)), int(ceilDiv(int64(half.Width), 2))
		next := newWriter(w.pending, half, at.end)
		if err := next.halve(at.file()); err != nil {
			return nil, err
		}
		all = append(all, resolution{next.header, next.table, true})
		at = next
	}
	return all, nil
}

// file reads what was written.
func (w *Writer) file() *File {
	f := &File{header: w.header, name: w.pending.Path(), table: w.table, cache: cache.New(w.header.blockBytes()),
		source: &container{r: w.pending.File(), size: w.end, order: binary.LittleEndian, big: true}}
	f.pools()
	return f
}

// halve writes a raster of which each element stands for two by two of another: their mean for floats, as far as they are not missing, and the
// first of them for whole numbers, which may be the names of classes.
func (w *Writer) halve(from *File) error {
	blocks := make(chan block)
	failed := make([]error, runtime.GOMAXPROCS(0))
	var workers sync.WaitGroup
	for i := range failed {
		workers.Go(func() {
			var src, dst []byte
			for b := range blocks {
				if failed[i] == nil {
					failed[i] = w.halveBlock(from, b, &src, &dst)
				}
			}
		})
	}
	for i := range w.table {
		blocks <- w.header.block(i)
	}
	close(blocks)
	workers.Wait()
	return errors.Join(failed...)
}

// halveBlock writes one block. Its memory may be used again.
func (w *Writer) halveBlock(from *File, b block, src, dst *[]byte) error {
	as := Layout{DType: w.header.DType, NodataAsNaN: w.header.DType.Float()}
	if as.DType == element.Float16 {
		as.DType = element.Float32
	}
	r := b.area.intersect(w.header.Whole())
	of := Rect{2 * r.Y0, 2 * r.Y1, 2 * r.X0, 2 * r.X1}.intersect(from.header.Whole())
	*src, *dst = words.Resized(*src, as.Span(of)), words.Resized(*dst, as.Span(r))
	band := b.index / int(w.header.each())
	if err := from.ReadBands(*src, as, band, band+1, of); err != nil {
		return err
	}
	halves[as.DType](*dst, *src, r, of)
	return w.writeTile(*dst, as, band, r)
}

// halves fill a rectangle with what stands for two by two elements of another, of each type.
var halves = map[element.DType]func(dst, src []byte, r, of Rect){
	element.Uint8: firsts[uint8], element.Int8: firsts[int8], element.Uint16: firsts[uint16], element.Int16: firsts[int16],
	element.Uint32: firsts[uint32], element.Int32: firsts[int32], element.Uint64: firsts[uint64], element.Int64: firsts[int64],
	element.Float32: means[float32], element.Float64: means[float64],
}

func firsts[T integer](dst, src []byte, r, of Rect) {
	out, in := words.View[T](dst), words.View[T](src)
	for y := range r.Height() {
		row := in[2*y*of.Width():]
		for x := range r.Width() {
			out[y*r.Width()+x] = row[2*x]
		}
	}
}

func means[T float32 | float64](dst, src []byte, r, of Rect) {
	out, in := words.View[T](dst), words.View[T](src)
	for y := range r.Height() {
		rows := in[2*y*of.Width() : min(2*y+2, of.Height())*of.Width()]
		for x := range r.Width() {
			sum, n := 0.0, 0.0
			for at := 2 * x; at < len(rows); at += of.Width() {
				for _, v := range rows[at:min(at+2, at-2*x+of.Width())] {
					if v == v {
						sum, n = sum+float64(v), n+1
					}
				}
			}
			out[y*r.Width()+x] = T(sum / n) // NaN where all are missing
		}
	}
}
