package runtime

import (
	"context"
	"fmt"
	"sync"
	"time"

	"weft/ops"
)

// Every range that an accelerator computed is looked at, at a few points, as soon as it is there: what a device gets wrong altogether
// must not reach the next kernel. The sample of the whole array comes besides.
const (
	glances      = 4
	glanceBudget = 3e5 // scalar operations for those of one range, if that is enough for one
	dearGlance   = 2e7 // operations of a point that no range is looked at for
)

// glance takes values of a range and what they should be, and judges them once the magnitudes of the whole array are known.
func (w *work) glance(def *definition) func(context.Context, ops.Interval) (func() string, error) {
	r, roots := w.run, w.step.Kernel.Roots
	if def.cost() > dearGlance {
		return nil
	}
	n := int(max(1, min(glances, glanceBudget/max(1, def.cost()))))
	var mu sync.Mutex
	peaks := make([]float64, len(roots))
	return func(ctx context.Context, rows ops.Interval) (func() string, error) {
		start := time.Now()
		shape := ops.Type{Dims: roots[0].Axes()}.Shape()
		if len(shape) > 0 {
			shape[0] = rows.Hi - rows.Lo
		}
		points := samplePoints(shape, n, r.opt.Seed+uint64(rows.Lo))
		for _, p := range points {
			if len(p) > 0 {
				p[0] += rows.Lo
			}
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
			large[i] = b.Peak(peakOf(h, rows, 1))
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
