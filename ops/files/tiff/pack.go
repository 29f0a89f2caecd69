package tiff

import "weft/ops/files/element"

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
