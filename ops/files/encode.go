package files

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/problem"
)

// encoder turns an array in memory into the elements of a file.
type encoder struct {
	h    ops.HostArray
	to   ops.ElemType
	file element.DType
	unit ops.Unit
}

func newEncoder(c *ops.Call, h ops.HostArray) (*encoder, error) {
	e := &encoder{h: h, to: elemIn(c, h.Type)}
	var known bool
	if e.file, known = fileType(e.to); !known {
		return nil, problem.Wrong(problem.CannotStore, "array", "add as: f32", "NPY files hold no %s", e.to)
	}
	var err error
	e.unit, err = unitIn(c, h.Type)
	return e, err
}

// plain reports elements that go to the file as they are in memory.
func (e *encoder) plain() bool {
	return e.unit.SI() == 1 && e.unit.Offset == 0 && !e.to.Complex && e.h.Buf.Type == e.to.Base
}

// encode writes all elements in C order and in the machine's byte order.
func (e *encoder) encode(ctx context.Context, w io.Writer) error {
	b := bufio.NewWriterSize(w, 1<<18)
	body := e.converted
	if e.plain() {
		body = e.verbatim
	}
	if err := body(ctx, b); err != nil {
		return err
	}
	return b.Flush()
}

// verbatim writes the rows as they are in memory.
func (e *encoder) verbatim(ctx context.Context, w io.Writer) error {
	for r := range e.h.Rows() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := w.Write(e.h.Row(0, r)); err != nil {
			return err
		}
	}
	return nil
}

// converted writes blocks through float64.
func (e *encoder) converted(ctx context.Context, w io.Writer) error {
	total, planes := e.h.Type.Len(), e.to.Planes()
	part := make([]float64, blockLen)
	joined := make([]float64, blockLen*planes)
	raw := make([]byte, blockLen*e.to.Size())
	for from := 0; from < total; from += blockLen {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(blockLen, total-from)
		for plane := range planes {
			if plane < e.h.Planes() {
				e.h.LoadRange(part[:n], plane, from)
			} else {
				clear(part[:n])
			}
			for i, v := range part[:n] {
				joined[i*planes+plane] = (v - e.unit.Offset*float64(1-plane)) / e.unit.SI()
			}
		}
		if err := e.fits(joined[:n*planes], from); err != nil {
			return err
		}
		out := raw[:n*e.to.Size()]
		device.Store(e.to.Base, out, joined[:n*planes])
		if _, err := w.Write(out); err != nil {
			return err
		}
	}
	return nil
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
func (e *encoder) fits(values []float64, from int) error {
	limit, narrow := limits[e.to.Base]
	if !narrow {
		return nil
	}
	for i, v := range values {
		if (v < limit[0] || v > limit[1]) && (!e.to.Base.Float() || !math.IsInf(v, 0)) {
			return problem.Wrong(problem.CannotStore, "as", "clamp it first, or write a wider type", "element %s is %s, which %s cannot hold",
				indexText(e.h.Type, from+i/e.to.Planes()), fmt.Sprint(v), e.to)
		}
	}
	return nil
}
