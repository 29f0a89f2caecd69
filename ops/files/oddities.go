package files

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
	"sync"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/ops/files/format"
	"weft/ops/problem"
)

// oddities count NaN and infinities.
type oddities struct {
	mu              sync.Mutex
	first, all, nan int
	seen            []region.Region
}

// begin notes that a region is looked at and gives those that were before.
func (o *oddities) begin(at region.Region, t ops.Type) (before []region.Region) {
	if !t.Elem.Base.Float() {
		return nil
	}
	before = slices.Clone(o.seen)
	if n := len(before); n > 0 && len(at) > 0 && before[n-1][0].Hi == at[0].Lo && before[n-1][1:].Equal(at[1:]) { // more rows
		o.seen[n-1] = at.Along(0, region.Interval{Lo: before[n-1][0].Lo, Hi: at[0].Hi})
		return before
	}
	o.seen = append(o.seen, slices.Clone(at))
	return before
}

// add counts those of a region of an array, but for what was seen before. It may be called concurrently.
func (o *oddities) add(ctx context.Context, h ops.HostArray, at region.Region, whole ops.Type, before []region.Region) error {
	if !h.Type.Elem.Base.Float() || slices.ContainsFunc(before, at.Within) {
		return nil
	}
	var values []float64
	for _, p := range h.Parts {
		size, width := p.Buf.Type.Size(), p.Width()
		bytes := p.Row
		if all, ok := p.Together(); ok {
			width, bytes = max(1, h.Type.Len()), func(int) []byte { return all }
		}
		for from := 0; from < h.Type.Len(); {
			column := from % width
			n := min(width-column, blockLen)
			piece := bytes(from / width)[column*size : (column+n)*size]
			if !finite(p.Buf.Type, piece) {
				if err := ctx.Err(); err != nil {
					return err
				}
				values = slices.Grow(values[:0], n)[:n]
				device.Load(p.Buf.Type, values, piece)
				o.count(values, from, at, whole, before)
			}
			from += n
		}
	}
	return nil
}

// count goes through values that follow each other from one of a region.
func (o *oddities) count(values []float64, from int, at region.Region, whole ops.Type, before []region.Region) {
	o.mu.Lock()
	defer o.mu.Unlock()
	place := make(region.Region, len(at))
	for i, v := range values {
		if v-v == 0 { // finite
			continue
		}
		flat := pointOf(from+i, at, whole, place)
		if slices.ContainsFunc(before, place.Within) {
			continue
		}
		if o.all == 0 || flat < o.first {
			o.first = flat
		}
		o.all++
		if math.IsNaN(v) {
			o.nan++
		}
	}
}

// exponents are the bits of a type's exponent in each number of a word, and the lowest of them.
var exponents = map[ir.DType]struct{ mask, one uint64 }{
	ir.F16:  {0x7c00_7c00_7c00_7c00, 0x0400_0400_0400_0400},
	ir.BF16: {0x7f80_7f80_7f80_7f80, 0x0080_0080_0080_0080},
	ir.F32:  {0x7f80_0000_7f80_0000, 0x0080_0000_0080_0000},
	ir.F64:  {0x7ff0_0000_0000_0000, 0x0010_0000_0000_0000},
}

// finite reports that no number has an exponent of ones alone, which one more carries into the place of the sign: several a word.
func finite(t ir.DType, b []byte) bool {
	e := exponents[t]
	sign := ^e.mask & (e.mask + e.one)
	var carried uint64
	for ; len(b) >= 16; b = b[16:] {
		carried |= (binary.NativeEndian.Uint64(b)&e.mask + e.one) | (binary.NativeEndian.Uint64(b[8:])&e.mask + e.one)
	}
	var rest [16]byte
	copy(rest[:], b)
	carried |= (binary.NativeEndian.Uint64(rest[:])&e.mask + e.one) | (binary.NativeEndian.Uint64(rest[8:])&e.mask + e.one)
	return carried&sign == 0
}

// pointOf finds element i of a region, both in C order, in the whole array.
func pointOf(i int, at region.Region, whole ops.Type, point region.Region) (flat int) {
	each := 1
	for d, along := range slices.Backward(at) {
		x := along.Lo + i%along.Len()
		point[d] = region.Interval{Lo: x, Hi: x + 1}
		flat, each, i = flat+x*each, each*whole.Dims[d].Size, i/along.Len()
	}
	return flat
}

// warnings about an array of type t.
func (o *oddities) warnings(c *ops.Call, t ops.Type) []problem.Problem {
	if o.all == 0 {
		return nil
	}
	w := problem.Wrong(problem.NonFinite, "path", "they spread to all that is computed of them; where(is_nan(a), 0, a) replaces NaN", "%s holds %d NaN and %d infinite values, the first at %s",
		c.Text("path"), o.nan, o.all-o.nan, format.IndexText(t, o.first))
	w.Warning = true
	return []problem.Problem{w}
}
