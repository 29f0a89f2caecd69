package format

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/ops/problem"
)

// BlockLen is the number of elements that are converted at a time.
const BlockLen = 1 << 16

// Send writes an array, or a region of it, to a file.
func Send(ctx context.Context, to Output, o Order, at region.Region, h ops.HostArray) error {
	if w, takes := to.(MemoryWriter); takes && o.plain(h) {
		p := h.Parts[0]
		return w.WriteMemory(ctx, p.Data[p.Offset():], p.Stride(), at)
	}
	part := to.Part(at)
	return errors.Join(Encode(ctx, part, o, h), part.Close())
}

// Encode writes all elements in C order, in the file's type and the machine's byte order.
func Encode(ctx context.Context, to io.Writer, o Order, h ops.HostArray) error {
	b := bufio.NewWriterSize(to, min(1<<18, h.Type.Len()*o.Elem.Size()))
	body := o.converted
	if o.plain(h) && !(o.Nodata != nil && o.Elem.Base.Float()) {
		body = verbatim
	}
	if err := body(ctx, b, h); err != nil {
		return err
	}
	return b.Flush()
}

// plain reports elements that go to the file as they are in memory.
func (o Order) plain(h ops.HostArray) bool {
	return o.Unit.SI() == 1 && o.Unit.Offset == 0 && !o.Elem.Complex && h.Parts[0].Buf.Type == o.Elem.Base
}

// verbatim writes the rows as they are in memory, many at a time where nothing lies between them.
func verbatim(ctx context.Context, w io.Writer, h ops.HostArray) error {
	p := h.Parts[0]
	piece, n := p.Row, p.Rows()
	if all, ok := p.Together(); ok {
		piece, n = func(i int) []byte { return all[i*atOnce : min((i+1)*atOnce, len(all))] }, (len(all)+atOnce-1)/atOnce
	}
	for i := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := w.Write(piece(i)); err != nil {
			return err
		}
	}
	return nil
}

// atOnce is the bytes that are written at a time.
const atOnce = 1 << 20

// converted writes blocks through float64.
func (o Order) converted(ctx context.Context, w io.Writer, h ops.HostArray) error {
	total, each := h.Type.Len(), o.Elem.Scalars()
	part := make([]float64, BlockLen)
	joined := make([]float64, BlockLen*each)
	raw := make([]byte, BlockLen*o.Elem.Size())
	for from := 0; from < total; from += BlockLen {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(BlockLen, total-from)
		for k := range each {
			if k < len(h.Parts) {
				h.Parts[k].Load(part[:n], from)
			} else {
				clear(part[:n])
			}
			for i, v := range part[:n] {
				joined[i*each+k] = (v - o.Unit.Offset*float64(1-k)) / o.Unit.SI()
			}
		}
		if o.Nodata != nil {
			replaceNaN(joined[:n*each], *o.Nodata)
		}
		if err := o.fits(h.Type, joined[:n*each], from); err != nil {
			return err
		}
		out := raw[:n*o.Elem.Size()]
		device.Store(o.Elem.Base, out, joined[:n*each])
		if _, err := w.Write(out); err != nil {
			return err
		}
	}
	return nil
}

// replaceNaN puts a number in the place of what is missing.
func replaceNaN(values []float64, by float64) {
	for i, v := range values {
		if v != v {
			values[i] = by
		}
	}
}

// limits are the ranges of types; those of floats reach to what still rounds to a finite value.
var limits = map[ir.DType][2]float64{
	ir.I8: {math.MinInt8, math.MaxInt8}, ir.U8: {0, math.MaxUint8}, ir.I16: {math.MinInt16, math.MaxInt16}, ir.U16: {0, math.MaxUint16},
	ir.I32: {math.MinInt32, math.MaxInt32}, ir.U32: {0, math.MaxUint32},
	ir.F16: {-halfLimit, halfLimit}, ir.F32: {-singleLimit, singleLimit},
}

// Beyond them values round to infinity.
const (
	halfLimit   = 65520 - 0x1p-37
	singleLimit = math.MaxFloat32 + 0x1p103 - 0x1p75
)

// fits refuses finite values that the type in the file cannot hold.
func (o Order) fits(t ops.Type, values []float64, from int) error {
	limit, narrow := limits[o.Elem.Base]
	if !narrow {
		return nil
	}
	for i, v := range values {
		if (v < limit[0] || v > limit[1]) && (!o.Elem.Base.Float() || !math.IsInf(v, 0)) {
			return problem.Wrong(problem.CannotStore, "as", "clamp it first, or write a wider type", "element %s is %s, which %s cannot hold",
				IndexText(t, from+i/o.Elem.Scalars()), fmt.Sprint(v), o.Elem)
		}
	}
	return nil
}

// IndexText writes the place of element i: [sample: 3, element: 17].
func IndexText(t ops.Type, i int) string {
	parts := make([]string, len(t.Dims))
	for k, d := range slices.Backward(t.Dims) {
		parts[k] = fmt.Sprintf("%s: %d", d.Name, i%d.Size)
		i /= d.Size
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// Shown is a value in SI units as a person writes it in a unit.
func Shown(v float64, u ops.Unit) float64 { return (v - u.Offset) / u.SI() }

// Place is an element of a dim in words: its coordinate, or its index.
func Place(d ops.Dim, i int) string {
	if d.Coords == nil {
		return strconv.Itoa(i)
	}
	at := func(i int) string { return Digits(Shown(d.Coords[i], d.Unit)) }
	text := at(i)
	if i > 0 && at(i-1) == text || i+1 < d.Size && at(i+1) == text { // neighbours are told apart
		text = strconv.FormatFloat(Shown(d.Coords[i], d.Unit), 'g', 15, 64)
	}
	return strings.TrimSpace(text + " " + d.Unit.String())
}

// Digits is a number in as many digits as people read.
func Digits(v float64) string { return fmt.Sprintf("%.6g", v) }

// InUnit puts a unit into a sentence: in mm, or a plain number.
func InUnit(u ops.Unit) string {
	if u.Plain() {
		return u.Describe()
	}
	return "in " + u.String()
}
