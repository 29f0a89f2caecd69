package files

import (
	"math"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/files/words"
)

// span is from the least to the largest of some values.
type span struct{ lo, hi float64 }

// extremes finds the least and the largest finite value of an array that is not complex: +inf and -inf where there is none.
func extremes(h ops.HostArray) span {
	p := h.Parts[0]
	of := span{math.Inf(1), math.Inf(-1)}
	each, n := p.Row, p.Rows()
	if all, ok := p.Together(); ok {
		each, n = func(int) []byte { return all }, 1
	}
	for row := range n {
		of = of.and(extremesOf(p.Buf.Type, each(row)))
	}
	return of
}

// and is from the least to the largest of both.
func (s span) and(t span) span { return span{min(s.lo, t.lo), max(s.hi, t.hi)} }

func extremesOf(t ir.DType, b []byte) span {
	switch t {
	case ir.Bool, ir.U8:
		return wholeExtremes[uint8](b)
	case ir.I8:
		return wholeExtremes[int8](b)
	case ir.U16:
		return wholeExtremes[uint16](b)
	case ir.I16:
		return wholeExtremes[int16](b)
	case ir.U32:
		return wholeExtremes[uint32](b)
	case ir.I32:
		return wholeExtremes[int32](b)
	case ir.I64:
		return wholeExtremes[int64](b)
	}
	of := span{math.Inf(1), math.Inf(-1)}
	var values [4096]float64
	for each := len(values) * t.Size(); len(b) > 0; {
		piece := b[:min(each, len(b))]
		b = b[len(piece):]
		some := values[:len(piece)/t.Size()]
		device.Load(t, some, piece)
		for _, v := range some {
			if v-v == 0 {
				of = of.and(span{v, v})
			}
		}
	}
	return of
}

// wholeExtremes goes four ways at once: each waits for its last value.
func wholeExtremes[T uint8 | int8 | uint16 | int16 | uint32 | int32 | int64](b []byte) span {
	all := words.View[T](b)
	if len(all) == 0 {
		return span{math.Inf(1), math.Inf(-1)}
	}
	first := [4]T{all[0], all[0], all[0], all[0]}
	lo, hi := first, first
	rest := all
	for ; len(rest) >= 4; rest = rest[4:] {
		a, b, c, d := rest[0], rest[1], rest[2], rest[3]
		lo[0], hi[0] = min(lo[0], a), max(hi[0], a)
		lo[1], hi[1] = min(lo[1], b), max(hi[1], b)
		lo[2], hi[2] = min(lo[2], c), max(hi[2], c)
		lo[3], hi[3] = min(lo[3], d), max(hi[3], d)
	}
	for _, x := range rest {
		lo[0], hi[0] = min(lo[0], x), max(hi[0], x)
	}
	return span{float64(min(lo[0], lo[1], lo[2], lo[3])), float64(max(hi[0], hi[1], hi[2], hi[3]))}
}
