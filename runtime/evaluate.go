package runtime

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"weft/kernels/device"
	"weft/kernels/interp"
	"weft/kernels/ir"
	"weft/ops"
	"weft/planner"
)

// Evaluate computes the roots of a reference at some points of its axes in float64, on several threads: by root, then by the
// points that PointsOf gives. Tables enter as they were computed, unrounded; other arrays as they are stored in mem.
func Evaluate(ctx context.Context, ref planner.Reference, roots []*ops.Stage, points [][]int, mem map[*ir.Buffer]device.Memory, threads int) ([][]complex128, error) {
	program, err := programOf(ref)
	if err != nil {
		return nil, err
	}
	return evaluate(ctx, program, ref, roots, points, mem, threads)
}

// programOf is a reference for the interpreter.
func programOf(ref planner.Reference) (*interp.Program, error) {
	mode := interp.Wide
	if ref.Exact {
		mode = interp.Exact
	}
	program, err := interp.Compile(ref.Kernel, mode)
	if err != nil {
		return nil, fmt.Errorf("float64 reference: %w", err)
	}
	return program, nil
}

// evaluate is Evaluate by the interpreter or by what stands in for it.
func evaluate(ctx context.Context, program interp.Evaluator, ref planner.Reference, roots []*ops.Stage, points [][]int, mem map[*ir.Buffer]device.Memory, threads int) ([][]complex128, error) {
	in := interp.Inputs{Mem: mem, Host: map[*ir.Buffer][]float64{}}
	for buf, s := range ref.Loads {
		if s.Data != nil {
			in.Host[buf] = s.Data
		}
	}
	out := make([][]complex128, len(roots))
	for i := range out {
		out[i] = make([]complex128, len(points)*inner(roots[i]))
	}
	parts := max(1, min(threads, len(points)))
	faults := make([]error, parts)
	var wg sync.WaitGroup
	for i := range parts {
		wg.Go(func() {
			lo, hi := i*len(points)/parts, (i+1)*len(points)/parts
			samples, err := program.Eval(ctx, in, points[lo:hi])
			faults[i] = err
			for k, stores := range samples {
				for i, s := range roots {
					planes, n := s.Type.Elem.Planes(), inner(s)
					for j := range n {
						out[i][(lo+k)*n+j] = valueOf(stores[:planes])
						stores = stores[planes:]
					}
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

// inner is how many elements of a stage a kernel stores at a point of its axes.
func inner(s *ops.Stage) int {
	if !s.Unrolled {
		return 1
	}
	return s.Type.Dims[len(s.Type.Dims)-1].Size
}

// pointsOf are the elements of a stage that belong to some points of a kernel's axes.
func pointsOf(s *ops.Stage, points [][]int) [][]int {
	if !s.Unrolled {
		return points
	}
	var out [][]int
	for _, p := range points {
		for j := range inner(s) {
			out = append(out, append(slices.Clone(p), j))
		}
	}
	return out
}

// valueOf joins what the stores of an element write: one of a real array, two of a complex one.
func valueOf(stores []interp.Sample) complex128 {
	var parts [2]float64
	for i, s := range stores {
		parts[i] = s.F + float64(s.I) // one of the two is zero, by the store's type
	}
	return complex(parts[0], parts[1])
}
