package runtime

import (
	"context"
	"fmt"
	"sync"

	"weft/kernels/interp"
	"weft/kernels/ir"
	"weft/ops"
	"weft/planner"
)

// evaluate computes the roots of a reference at some points in float64, on all threads: by root, then by point. Tables enter
// as they were computed, unrounded; other arrays as they are stored.
func (r *run) evaluate(ctx context.Context, ref planner.Reference, roots []*ops.Stage, points [][]int) ([][]complex128, error) {
	program, err := interp.Compile(ref.Kernel, interp.Wide)
	if err != nil {
		return nil, fmt.Errorf("float64 reference: %w", err)
	}
	in := interp.Inputs{Mem: r.arrays.mem, Host: map[*ir.Buffer][]float64{}}
	for buf, s := range ref.Loads {
		if s.Data != nil {
			in.Host[buf] = s.Data
		}
	}
	out := make([][]complex128, len(roots))
	for i := range out {
		out[i] = make([]complex128, len(points))
	}
	parts := max(1, min(r.opt.Threads, len(points)))
	faults := make([]error, parts)
	var wg sync.WaitGroup
	for i := range parts {
		wg.Go(func() {
			lo, hi := i*len(points)/parts, (i+1)*len(points)/parts
			samples, err := program.Eval(ctx, in, points[lo:hi])
			faults[i] = err
			for k, stores := range samples {
				for i, s := range roots {
					planes := s.Type.Elem.Planes()
					out[i][lo+k] = valueOf(stores[:planes])
					stores = stores[planes:]
				}
			}
		})
	}
	wg.Wait()
	for _, err := range faults {
		if err != nil {
			return nil, fmt.Errorf("float64 reference: %w", err)
		}
	}
	return out, nil
}

// valueOf joins what the stores of an element write: one of a real array, two of a complex one.
func valueOf(stores []interp.Sample) complex128 {
	var parts [2]float64
	for i, s := range stores {
		parts[i] = s.F + float64(s.I) // one of the two is zero, by the store's type
	}
	return complex(parts[0], parts[1])
}
