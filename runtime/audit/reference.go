package audit

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"weft/kernels/device"
	"weft/kernels/interp"
	"weft/kernels/ir"
	"weft/ops"
	"weft/planner/bound"
)

// Reference is the definition of what a kernel stores, ready to be evaluated in float64. Tables enter as they were computed,
// unrounded; other arrays as they are stored.
type Reference struct {
	bound.Reference
	roots    []*ops.Stage
	program  *interp.Program
	compiled interp.Evaluator // nil: the program is interpreted
}

// Define makes the reference of some stages.
func Define(ref bound.Reference, roots []*ops.Stage) (*Reference, error) {
	mode := interp.Wide
	if ref.Exact {
		mode = interp.Exact
	}
	program, err := interp.Compile(ref.Kernel, mode)
	if err != nil {
		return nil, fmt.Errorf("float64 reference: %w", err)
	}
	return &Reference{Reference: ref, roots: roots, program: program}, nil
}

// compiledSpeed is how much faster a compiled definition is than the interpreter, about.
const compiledSpeed = 15

// Price is what one point takes, in operations of the interpreter.
func (r *Reference) Price() float64 {
	if r.compiled != nil {
		return r.Cost / compiledSpeed
	}
	return r.Cost
}

// A program of more instructions takes a compiler too long.
const mostCompiled = 20e3

// Compilable reports whether a compiler would not take too long.
func (r *Reference) Compilable() bool { return r.program.Size() <= mostCompiled }

// definer is a device that compiles definitions, so that many points of an expensive one can be had. Its rendering of kernels has no
// part in it.
type definer interface {
	Definitions(ctx context.Context, programs []*interp.Program, host map[*ir.Buffer][]float64) ([]interp.Evaluator, error)
}

// Compile has a device compile references, all in one go; ok is false for a device that compiles none. Install puts the code in
// their place.
func Compile(ctx context.Context, d device.Device, refs []*Reference) (install func(), ok bool, err error) {
	c, ok := d.(definer)
	if !ok || len(refs) == 0 {
		return func() {}, ok, nil
	}
	programs, tables := make([]*interp.Program, len(refs)), map[*ir.Buffer][]float64{}
	for i, r := range refs {
		programs[i] = r.program
		for buf, s := range r.Loads {
			if s.Data != nil {
				tables[buf] = s.Data
			}
		}
	}
	out, err := c.Definitions(ctx, programs, tables)
	return func() {
		for i, e := range out {
			refs[i].compiled = e
		}
	}, true, err
}

// pointsAtOnce is how many points a thread takes of a compiled definition: some cost many times what others do, and processors may be busy.
const pointsAtOnce = 16

// Eval computes some points of the axes on several threads: by stage, then by the elements that belong to the points.
func (r *Reference) Eval(ctx context.Context, points [][]int, mem map[*ir.Buffer]device.Memory, threads int) ([][]complex128, error) {
	threads = max(1, threads)
	if r.compiled != nil {
		return r.eval(ctx, r.compiled, points, mem, threads, pointsAtOnce)
	}
	return r.eval(ctx, r.program, points, mem, threads, (len(points)+threads-1)/threads) // what the interpreter finds for all points it finds once
}

// eval is Eval by some code, so many points at once.
func (r *Reference) eval(
	ctx context.Context, code interp.Evaluator, points [][]int, mem map[*ir.Buffer]device.Memory, threads, atOnce int,
) ([][]complex128, error) {
	in := interp.Inputs{Mem: mem, Host: map[*ir.Buffer][]float64{}}
	for buf, s := range r.Loads {
		if s.Data != nil {
			in.Host[buf] = s.Data
		}
	}
	out := make([][]complex128, len(r.roots))
	for i := range r.roots {
		out[i] = make([]complex128, len(points))
	}
	var wg sync.WaitGroup
	var next atomic.Int64
	faults := make([]error, threads)
	for t := range faults {
		wg.Go(func() {
			for faults[t] == nil {
				hi := int(next.Add(int64(atOnce)))
				lo := hi - atOnce
				if lo >= len(points) {
					return
				}
				samples, err := code.Eval(ctx, in, points[lo:min(hi, len(points))])
				faults[t] = err
				for k, stores := range samples {
					for i, s := range r.roots {
						each := s.Type.Elem.Scalars()
						out[i][lo+k], stores = valueOf(stores[:each]), stores[each:]
					}
				}
			}
		})
	}
	wg.Wait()
	if err := errors.Join(faults...); err != nil {
		return nil, fmt.Errorf("float64 reference: %w", err)
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
