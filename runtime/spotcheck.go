package runtime

import (
	"context"
	"sync"
	"time"

	"weft/kernels/region"
	"weft/runtime/audit"
	"weft/runtime/result"
)

// Every range that an accelerator computed is looked at, at a few points, as soon as it is there: what a device gets wrong altogether
// must not reach the next kernel. The sample of the whole array comes besides.
const (
	spots         = 4
	spotBudget    = 3e5 // scalar operations for those of one range, if that is enough for one
	costliestSpot = 2e7 // operations of a point that no range is looked at for
)

// spotCheck takes values of a range and what they should be, at one point at least, and judges them once the magnitudes of the whole array
// are known.
func (w *work) spotCheck(ref *audit.Reference) func(context.Context, region.Region) (func() string, error) {
	r := w.run
	if ref.Price() > costliestSpot {
		return nil
	}
	n := int(max(1, min(spots, spotBudget/max(1, ref.Price()))))
	var mu sync.Mutex
	largest := make([]float64, len(w.step.Kernel.Roots)) // of what was looked at so far
	return func(ctx context.Context, at region.Region) (func() string, error) {
		start := time.Now()
		arrays, err := r.stored(w.step)
		if err != nil {
			return nil, err
		}
		elements, err := r.stores(w.step, at)
		if err != nil {
			return nil, err
		}
		points := audit.Points(elements, n, r.opt.Seed)
		taken, err := audit.Take(ctx, ref, arrays, points, r.arrays.Memory, 1)
		if err != nil {
			return nil, err
		}
		peaks := make([]float64, len(arrays))
		for i, a := range arrays {
			peaks[i] = a.Of.Peak(audit.Peak(a.HostArray, elements, 1))
		}
		mu.Lock()
		defer mu.Unlock()
		for i, p := range peaks {
			largest[i] = max(largest[i], p)
		}
		r.result.VerifyS += result.Since(start)
		return func() string {
			for i := range taken {
				taken[i].Largest = largest[i]
			}
			if audit.Gross(taken) == "" {
				return ""
			}
			ref.Settle(taken, points, r.arrays.Memory)
			return audit.Gross(taken)
		}, nil
	}
}
