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

// In is a buffer of a plan in some memory.
func In(b *bound.Buffer, mem device.Memory) Array {
	return Array{b, ops.HostArray{Type: b.Layout, Buf: b.IR, Data: mem.Host(), Out: b.Array.Out}}
}

// Name is the variable that holds an array, or the stage that makes it.
func Name(b *bound.Buffer) string { return cmp.Or(b.Label, b.Stage) }

// Rule is the metric and tolerance that the array is held to, as the plan stores it.
func (a Array) Rule() ops.ErrorRule { return Rule(a.Of.Array, a.Of.IR.Type) }

// Elements are those that belong to some points of the kernel's axes.
func (a Array) Elements(points [][]int) [][]int {
	if !a.Of.Array.Unrolled {
		return points
	}
	var out [][]int
	for _, p := range points {
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
	re, im := make([]float64, a.Width()), make([]float64, a.Width())
	a.LoadRow(re, 0, row)
	if a.Planes() == 2 {
		a.LoadRow(im, 1, row)
	}
	out := make([]complex128, len(re))
	for i := range out {
		out[i] = a.Of.Value(complex(re[i], im[i]))
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
		peak = max(peak, peakOf(h.Part(piece), threads))
	}
	return peak
}

func peakOf(h ops.HostArray, threads int) float64 {
	rows := h.Rows()
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
	if h.Buf.Type == ir.F32 {
		return peakOfFloat32(h, lo, hi)
	}
	re, im := make([]float64, h.Width()), make([]float64, h.Width())
	peak := 0.0
	for row := lo; row < hi; row++ {
		h.LoadRow(re, 0, row)
		if h.Planes() == 2 {
			h.LoadRow(im, 1, row)
		}
		peak = max(peak, largest(re, im))
	}
	return peak
}

// largest is the largest finite magnitude of some complex values.
func largest(re, im []float64) (peak float64) {
	for i, x := range re {
		if x = math.Hypot(x, im[i]); x > peak && !math.IsInf(x, 0) {
			peak = x
		}
	}
	return peak
}

// peakOfFloat32 is peakOfRows for the usual type, in a fraction of the time: its squares fit float64.
func peakOfFloat32(h ops.HostArray, lo, hi int) float64 {
	zeros := make([]float32, h.Width())
	largest := 0.0
	for row := lo; row < hi; row++ {
		re, im := device.View[float32](h.Row(0, row), ir.F32), zeros
		if h.Planes() == 2 {
			im = device.View[float32](h.Row(1, row), ir.F32)
		}
		for i, x := range re {
			y := im[i]
			if v := float64(x)*float64(x) + float64(y)*float64(y); v > largest && v <= math.MaxFloat64 {
				largest = v
			}
		}
	}
	return math.Sqrt(largest)
}
