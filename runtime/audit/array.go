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
		if !a.Of.Array.Unrolled {
			out = append(out, p[:len(a.Type.Dims)])
			continue
		}
		for j := range inner(a.Of.Array) {
			out = append(out, append(slices.Clone(p), j))
		}
	}
	return out
}

// inner is how many elements of a stage a kernel stores at a point of its axes.
func inner(s *ops.Stage) int {
	if !s.Unrolled {
		return 1
	}
	return s.Type.Dims[len(s.Type.Dims)-1].Size
}

// Values are some elements, in the array's own unit.
func (a Array) Values(elements [][]int) []complex128 {
	shape := a.Type.Shape()
	out := make([]complex128, len(elements))
	for i, p := range elements {
		out[i] = a.Of.Value(a.Complex(Flat(p, shape)))
	}
	return out
}

// RowValues are the values of one row of the last dim.
func (a Array) RowValues(row int) []complex128 {
	out := make([]complex128, a.Parts[0].Width())
	for i := range out {
		out[i] = a.Of.Value(a.Complex(row*len(out) + i))
	}
	return out
}

// rowsOf are zeros for a row of real and one of imaginary parts.
func rowsOf[T float32 | float64](h ops.HostArray) (out [2][]T) {
	for i := range out {
		out[i] = make([]T, h.Parts[0].Width())
	}
	return out
}

// Peak is the largest finite magnitude of the array, in its own unit.
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
	rows := h.Parts[0].Rows()
	parts := min(max(1, threads), max(1, rows))
	peaks := make([]float64, parts)
	var wg sync.WaitGroup
	for i := range parts {
		wg.Go(func() { peaks[i] = peakOfRows(h, i*rows/parts, (i+1)*rows/parts) })
	}
	wg.Wait()
	return slices.Max(peaks)
}

func peakOfRows(h ops.HostArray, lo, hi int) float64 {
	if h.Parts[0].Buf.Type == ir.F32 {
		return peakOfFloat32(h, lo, hi)
	}
	parts := rowsOf[float64](h)
	peak := 0.0
	for row := lo; row < hi; row++ {
		for i, p := range h.Parts {
			p.LoadRow(parts[i], row)
		}
		for i, x := range parts[0] {
			if x = math.Hypot(x, parts[1][i]); x > peak && !math.IsInf(x, 0) {
				peak = x
			}
		}
	}
	return peak
}

// peakOfFloat32 is peakOfRows for the usual type, in a fraction of the time: its squares fit float64.
func peakOfFloat32(h ops.HostArray, lo, hi int) float64 {
	parts := rowsOf[float32](h)
	largest := 0.0
	for row := lo; row < hi; row++ {
		for i, p := range h.Parts {
			parts[i] = device.View[float32](p.Row(row), ir.F32)
		}
		im := parts[1]
		for i, x := range parts[0] {
			y := im[i]
			if v := float64(x)*float64(x) + float64(y)*float64(y); v > largest && v <= math.MaxFloat64 {
				largest = v
			}
		}
	}
	return math.Sqrt(largest)
}
