package tiff

import (
	"bytes"
	"github.com/klauspost/compress/zlib"

	"weft/ops/files/element"
)

// packer is what packing needs besides the block, reused.
type packer struct {
	buffer bytes.Buffer
	zlib   *zlib.Writer
	lzw    lzwPacker
	packed []byte
}

// packings give the bytes in the file for a block. They are valid until the packer is used again.
var packings = map[Compression]func(p *packer, block []byte) ([]byte, error){
	None:    func(_ *packer, block []byte) ([]byte, error) { return block, nil },
	Deflate: (*packer).deflate,
	LZW: func(p *packer, block []byte) ([]byte, error) {
		p.packed = p.lzw.pack(p.packed[:0], block)
		return p.packed, nil
	},
}

// level of deflate. At level 6, a predicted surface takes 3 % fewer bytes and twice the time; see BenchmarkWrite.
const level = zlib.BestSpeed

func (p *packer) deflate(block []byte) ([]byte, error) {
	p.buffer.Reset()
	if p.zlib == nil {
		var err error
		if p.zlib, err = zlib.NewWriterLevel(&p.buffer, level); err != nil {
			return nil, err
		}
	}
	p.zlib.Reset(&p.buffer)
	if _, err := p.zlib.Write(block); err != nil {
		return nil, err
	}
	err := p.zlib.Close()
	return p.buffer.Bytes(), err
}

// collector converts elements from rows in memory to the type of a file.
type collector struct {
	src      []byte
	area     Rect
	from, to element.DType
	stride   int
	convert  element.Convert
	unmark   func(dst, nodata []byte) // nil where NaN stays
	nodata   []byte
}

func (w *Writer) newCollector(src []byte, from Layout, r Rect) (*collector, error) {
	h := &w.header
	if err := r.within(h); err != nil {
		return nil, err
	}
	if err := from.check(src, r); err != nil {
		return nil, err
	}
	convert, err := element.Converter(from.DType, h.DType)
	if err != nil {
		return nil, err
	}
	c := &collector{src: src, area: r, from: from.DType, to: h.DType, stride: from.stride(r.Width()), convert: convert}
	if nodata, ok := h.nodata(); ok && from.NodataAsNaN {
		c.unmark, c.nodata = unmark[h.DType], nodata
	}
	return c, nil
}

// collect puts a part of the rectangle into the bytes of the block that covers area.
func (c *collector) collect(data []byte, area, part Rect) error {
	from, to := c.from.Size(), c.to.Size()
	n := part.Width()
	for y := part.Y0; y < part.Y1; y++ {
		start := (y-c.area.Y0)*c.stride + (part.X0-c.area.X0)*from
		src := c.src[start : start+n*from]
		at := ((y-area.Y0)*area.Width() + part.X0 - area.X0) * to
		dst := data[at : at+n*to]
		if bad := c.convert(dst, src); bad >= 0 {
			return unfit(y, part.X0+bad, src[bad*from:], c.from, c.to)
		}
		if c.unmark != nil {
			c.unmark(dst, c.nodata)
		}
	}
	return nil
}
