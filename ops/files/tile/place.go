package tile

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"weft/kernels/region"
	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/words"
)

// chunk is the bytes read at once when elements are converted on the way.
const chunk = 256 << 10

// Placer converts elements of the file and puts them into their rows in memory.
type Placer struct {
	// Prepare makes what a file holds, in this machine's byte order, elements of the type; nil: they are. Finish is given these, and what was made of
	// them.
	Prepare func(src []byte)
	Finish  func(dst, src []byte)

	dst     []byte
	tile    region.Region
	from    element.DType
	to      element.DType
	swap    int // bytes of the words to reverse, or 0
	convert element.Convert
	columns int // elements in a row
	stride  int // bytes from row to row in dst
	buffer  []byte
}

// NewPlacer is for a tile that goes to dst from a file of elements of a type, in this machine's byte order or in the other.
func NewPlacer(dst []byte, as Layout, t region.Region, from element.DType, swapped bool) (*Placer, error) {
	rows, columns := RowsOf(t.Shape())
	if err := element.CheckRows(dst, as.DType, rows, columns, as.Stride(columns)); err != nil {
		return nil, err
	}
	c, err := element.Converter(from, as.DType)
	if err != nil {
		return nil, err
	}
	p := &Placer{dst: dst, tile: t, from: from, to: as.DType, convert: c, columns: columns, stride: as.Stride(columns)}
	if swapped {
		p.swap = from.Word()
	}
	if p.stride == columns*as.DType.Size() { // no padding: one long row
		p.columns *= rows
	}
	return p, nil
}

// nan is what stands for a missing element in memory.
var nan = map[element.DType][]byte{
	element.Float16: binary.NativeEndian.AppendUint16(nil, 0x7e00),
	element.Float32: binary.NativeEndian.AppendUint32(nil, math.Float32bits(float32(math.NaN()))),
	element.Float64: binary.NativeEndian.AppendUint64(nil, math.Float64bits(math.NaN())),
}

// Missing are the elements of a file that stand for none.
type Missing struct {
	Words [][]byte    // these, in this machine's byte order
	Valid *[2]float64 // and those that are less than the first or more than the second; nil: no others
}

// Any reports that some may be.
func (m Missing) Any() bool { return len(m.Words) > 0 || m.Valid != nil }

// Blank makes missing elements NaN where memory has floats: others stay as they are.
func (p *Placer) Blank(m Missing) {
	none, can := nan[p.to]
	if !can || !m.Any() {
		return
	}
	size := p.from.Size()
	beyond := p.blankBeyond(m.Valid)
	p.Finish = func(dst, src []byte) {
		beyond(dst, src)
		for ; len(src) > 0 && len(m.Words) > 0; src, dst = src[size:], dst[len(none):] {
			for _, w := range m.Words {
				if string(src[:size]) == string(w) {
					copy(dst, none)
				}
			}
		}
	}
}

// blankBeyond makes elements NaN that are not within limits, if there are some.
func (p *Placer) blankBeyond(valid *[2]float64) func(dst, src []byte) {
	convert, err := element.Converter(p.from, element.Float64)
	if valid == nil || err != nil { // complex numbers have no order
		return func(_, _ []byte) {}
	}
	none := nan[p.to]
	return func(dst, src []byte) {
		numbers := make([]float64, len(src)/p.from.Size())
		convert(words.Raw(numbers), src)
		for i, v := range numbers {
			if v < valid[0] || v > valid[1] {
				copy(dst[i*len(none):], none)
			}
		}
	}
}

// Fill reads a run: read fills its argument with elements of the file, from one of the run on.
func (p *Placer) Fill(r Run, read func(part []byte, from int) error) error {
	size := p.from.Size()
	if p.direct(r) {
		start := r.InTile/p.columns*p.stride + r.InTile%p.columns*size
		part := p.dst[start : start+r.N*size]
		err := read(part, 0)
		words.Swap(part, p.swap)
		return err
	}
	for done := 0; done < r.N; {
		n := min(r.N-done, chunk/size)
		scratch := p.Scratch(n)
		if err := read(scratch, done); err != nil {
			return err
		}
		if err := p.Place(r.InTile+done, scratch); err != nil {
			return err
		}
		done += n
	}
	return nil
}

// direct says whether the file's bytes of a run can be read into dst where they belong.
func (p *Placer) direct(r Run) bool {
	return p.from == p.to && p.from != element.Bool && p.Prepare == nil && p.Finish == nil && r.InTile%p.columns+r.N <= p.columns
}

// Scratch is a buffer for elements of the file, reused.
func (p *Placer) Scratch(elements int) []byte {
	n := elements * p.from.Size()
	if len(p.buffer) < n {
		p.buffer = words.Bytes(n)
	}
	return p.buffer[:n]
}

// Place puts elements as they are in the file at a place of the tile counted in C order. It may change src.
func (p *Placer) Place(at int, src []byte) error {
	words.Swap(src, p.swap)
	if p.Prepare != nil {
		p.Prepare(src)
	}
	fromSize, toSize := p.from.Size(), p.to.Size()
	for len(src) > 0 {
		row, column := at/p.columns, at%p.columns
		n := min(p.columns-column, len(src)/fromSize)
		start := row*p.stride + column*toSize
		part := src[:n*fromSize]
		if bad := p.convert(p.dst[start:start+n*toSize], part); bad >= 0 {
			return unfit(p.tile, at+bad, part[bad*fromSize:], p.from, p.to)
		}
		if p.Finish != nil {
			p.Finish(p.dst[start:start+n*toSize], part)
		}
		at, src = at+n, src[n*fromSize:]
	}
	return nil
}

// unfit names a value, the first in src, that the target type cannot hold. at is its place in the tile in C order.
func unfit(t region.Region, at int, src []byte, from, to element.DType) error {
	index := make([]int, len(t.Shape()))
	for i, n := range slices.Backward(t.Shape()) {
		index[i] = t[i].Lo + at%n
		at /= n
	}
	return &fileio.Error{
		Kind:   fileio.Unfit,
		Reason: fmt.Sprintf("element %v is %s, which %v cannot hold", index, element.Text(from, src), to),
		Help:   fmt.Sprintf("keep the array as %v", from),
	}
}
