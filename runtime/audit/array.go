package audit

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/planner/bound"
)

// Array is a stored stage of a plan: what it is, and its elements as they lie in memory.
type Array struct {
	Of *bound.Buffer
	ops.HostArray
}

// In is an array of a plan in some memory.
func In(b *bound.Buffer, mem map[*ir.Buffer]device.Memory) Array { return Array{b, b.In(mem)} }

// Name is the variable that holds an array, or the stage that makes it.
func Name(b *bound.Buffer) string { return cmp.Or(b.Label, b.Stage) }

// Rule is the metric and tolerance that the array is held to, as the plan stores it.
func (a Array) Rule() ops.ErrorRule { return Rule(a.Of.Array, a.Of.Storage()) }

// Elements are those that belong to some points of the reference's axes, the first of which an array may lack the others of.
func (a Array) Elements(points [][]int) [][]int {
	var out [][]int
	for _, p := range points {
		out = append(out, p[:len(a.Of.Array.Type.Dims)])
	}
	return out
}

// Values are some elements, in the array's own unit.
func (a Array) Values(elements [][]int) []complex128 {
	out := make([]complex128, len(elements))
	for i, p := range elements {
		out[i] = a.Of.Value(a.stored(p))
	}
	return out
}

// stored is an element as it is in memory.
func (a Array) stored(element []int) complex128 {
	flat := Flat(element, a.Type.Shape()[:len(element)])
	if a.Of.Interleaved {
		return complex(a.Float(2*flat), a.Float(2*flat+1))
	}
	return a.Complex(flat)
}

// RowValues are the values of one row of the last dim.
func (a Array) RowValues(row int) []complex128 {
	out := make([]complex128, a.Parts[0].Width())
	for i := range out {
		out[i] = a.Of.Value(a.Complex(row*len(out) + i))
	}
	return out
}

// Peak is the largest finite magnitude of the array, in its own unit; of parts that lie in pairs, each by itself.
func (a Array) Peak(threads int) float64 {
	return a.Of.Peak(Peak(a.HostArray, a.Type.Whole(), threads))
}

// Peak is the largest finite magnitude in a region of an array, as it is stored. The region may be a tile of the kernel that stores it,
// which has no axis for the last dim of some arrays.
func Peak(h ops.HostArray, at region.Region, threads int) (peak float64) {
	box := h.Type.Whole()
	copy(box, at)
	for piece := range ops.Pieces(box, h.Type.Shape()) {
		peak = max(peak, peakOf(h.Sub(piece), threads))
	}
	return peak
}

func peakOf(h ops.HostArray, threads int) float64 {
	n := h.Parts[0].Rows() * h.Parts[0].Width()
	parts := min(max(1, threads), max(1, n))
	peaks := make([]float64, parts)
	var wg sync.WaitGroup
	for i := range parts {
		wg.Go(func() { peaks[i] = peakBetween(h, i*n/parts, (i+1)*n/parts) })
	}
	wg.Wait()
	return slices.Max(peaks)
}

// peaked are elements on their way to peaks: blocks have many, and what each began with of its own would be collected again and again.
var peaked = sync.Pool{New: func() any { return new([2][4096]float64) }}

// peakBetween is the peak of consecutive elements, some at a time: a row may be as long as the memory.
func peakBetween(h ops.HostArray, lo, hi int) (peak float64) {
	values := peaked.Get().(*[2][4096]float64)
	defer peaked.Put(values)
	square := 0.0
	most := h.Parts[0].Buf.Type.Most() // what no element is larger than, as none is than the first that is true
	for from := lo; from < hi && (peak < most || len(h.Parts) > 1); from += len(values[0]) {
		n := min(len(values[0]), hi-from)
		for i, p := range h.Parts {
			p.Load(values[i][:n], from)
		}
		re, im := values[0][:n], values[1][:n]
		switch {
		case len(h.Parts) == 1:
			for _, x := range re {
				if x = math.Abs(x); x > peak && x <= math.MaxFloat64 {
					peak = x
				}
			}
		case h.Parts[0].Buf.Type == ir.F32: // whose squares fit float64
			for i, x := range re {
				if v := x*x + im[i]*im[i]; v > square && v <= math.MaxFloat64 {
					square = v
				}
			}
		default:
			for i, x := range re {
				if x = math.Hypot(x, im[i]); x > peak && x <= math.MaxFloat64 {
					peak = x
				}
			}
		}
	}
	return max(peak, math.Sqrt(square))
}

// HoldsNumber reports whether some element of a region of a real array is finite. It reads on until it finds one.
func HoldsNumber(h ops.HostArray, at region.Region) bool {
	box := h.Type.Whole()
	copy(box, at)
	for piece := range ops.Pieces(box, h.Type.Shape()) {
		for row := range h.Sub(piece).Parts[0].Values() {
			if slices.ContainsFunc(row, func(v float64) bool { return v-v == 0 }) {
				return true
			}
		}
	}
	return false
}
