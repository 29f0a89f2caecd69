package runtime

import (
	"context"
	"fmt"
	"sync"
	"time"

	"weft/kernels/region"
	"weft/ops"
)

// Every range that an accelerator computed is looked at, at a few points, as soon as it is there: what a device gets wrong altogether
// must not reach the next kernel. The sample of the whole array comes besides.
const (
	glances      = 4
	glanceBudget = 3e5 // scalar operations for those of one range, if that is enough for one
	dearGlance   = 2e7 // operations of a point that no range is looked at for
)

// glance takes values of some tiles and what they should be, at one point of each tile at least, and judges them once the magnitudes of the
// whole array are known.
func (w *work) glance(def *definition) func(context.Context, []region.Region) (func() string, error) {
	r, roots := w.run, w.step.Kernel.Roots
	if def.cost() > dearGlance {
		return nil
	}
	n := int(max(1, min(glances, glanceBudget/max(1, def.cost()))))
	var mu sync.Mutex
	peaks := make([]float64, len(roots))
	return func(ctx context.Context, tiles []region.Region) (func() string, error) {
		start := time.Now()
		var points [][]int
		for _, t := range tiles {
			points = append(points, pointsIn(t, max(1, n/len(tiles)), r.opt.Seed)...)
		}
		want, err := evaluate(ctx, def.evaluator(), def.ref, roots, points, r.arrays.mem, 1)
		if err != nil {
			return nil, err
		}
		got := make([][]complex128, len(roots))
		large := make([]float64, len(roots))
		for i, s := range roots {
			b := r.arrays.byStage[s]
			h, err := r.arrays.host(b.ID)
			if err != nil {
				return nil, err
			}
			for _, p := range pointsOf(s, points) {
				got[i] = append(got[i], b.Value(h.Complex(flatten(p, s.Type.Shape()))))
			}
			for _, t := range tiles {
				large[i] = max(large[i], b.Peak(peakIn(h, t)))
			}
		}
		mu.Lock()
		defer mu.Unlock()
		for i := range peaks {
			peaks[i] = max(peaks[i], large[i])
		}
		r.result.VerifyS += since(start)
		return func() string {
			for i, s := range roots {
				if fault := r.fault(s, pointsOf(s, points), got[i], want[i], peaks[i]); fault != "" {
					return fault
				}
			}
			return ""
		}, nil
	}
}

// pointsIn are some points of a tile.
func pointsIn(t region.Region, n int, seed uint64) [][]int {
	shape := make([]int, len(t))
	for d, r := range t {
		shape[d] = r.Hi - r.Lo
		seed = seed*31 + uint64(r.Lo)
	}
	points := samplePoints(shape, n, seed)
	for _, p := range points {
		for d := range p {
			p[d] += t[d].Lo
		}
	}
	return points
}

// peakIn is the largest magnitude of what a tile stored, as far as a tile that has but a part of the rows is told from its neighbours: along the
// first two dims.
func peakIn(h ops.HostArray, t region.Region) (peak float64) {
	dims := h.Type.Dims
	if len(t) == 0 {
		return peakOf(h, region.Interval{Hi: 1}, 1)
	}
	rows := region.Interval{Lo: t[0].Lo, Hi: t[0].Hi}
	if len(t) < 2 || len(dims) < 2 || t[1] == (region.Interval{Hi: dims[1].Size}) {
		return peakOf(h, rows, 1)
	}
	if len(dims) > 2 {
		lines := h.Rows() / (dims[0].Size * dims[1].Size) // innermost rows of a column
		for row := rows.Lo; row < rows.Hi; row++ {
			at := row * dims[1].Size
			peak = max(peak, peakOfRows(h, (at+t[1].Lo)*lines, (at+t[1].Hi)*lines))
		}
		return peak
	}
	re, im := make([]float64, t[1].Hi-t[1].Lo), make([]float64, t[1].Hi-t[1].Lo)
	for row := rows.Lo; row < rows.Hi; row++ {
		h.LoadRange(re, 0, row*dims[1].Size+t[1].Lo)
		if h.Planes() == 2 {
			h.LoadRange(im, 1, row*dims[1].Size+t[1].Lo)
		}
		peak = max(peak, largest(re, im))
	}
	return peak
}

// gross is how many times its tolerance a result of an accelerator is off that is computed again. Less is rounding, of which the
// sample of the whole array tells.
const gross = 8

// fault says which of some values of a stage is off by more than rounding; empty: none.
func (r *run) fault(s *ops.Stage, points [][]int, got, want []complex128, peak float64) string {
	rule := r.ruleOf(s)
	metric := rule.Metric
	if metric == ops.Level { // near nothing levels are far apart; what counts is relative to the peak
		metric, rule.Tolerance = ops.Peak, ratioOf(rule.Tolerance)-1
	}
	for i := range got {
		f := Compare(metric, got[i:i+1], want[i:i+1], peak)
		if f.Mismatched > 0 || f.Worst > gross*rule.Tolerance {
			return fmt.Sprintf("%s holds %s at %v, where float64 gives %s", valueName(r.arrays.byStage[s]), value(got[i]), points[i], value(want[i]))
		}
	}
	return ""
}

// value writes an element for people; those of real arrays have no imaginary part.
func value(v complex128) string {
	if imag(v) == 0 {
		return fmt.Sprintf("%.6g", real(v))
	}
	return fmt.Sprintf("%.6g", v)
}
