package runtime

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"weft/ops"
	"weft/planner/bound"
	"weft/runtime/audit"
)

// References are compiled where interpreting a full sample would take more operations; the interpreter takes 5 to 10 ns for each.
const worthCompiling = 2.5e5

// define makes the references of all kernels that the plan runs, and starts to compile those that are expensive, all in one go, while kernels
// are compiled and sources read; r.defined waits for that.
func (r *run) define(ctx context.Context) error {
	alive := map[*ops.Stage]bool{}
	var expensive []*audit.Reference
	r.references = map[string]*audit.Reference{}
	for i := range r.plan.Steps {
		step := &r.plan.Steps[i]
		for _, id := range slices.Concat(step.Reads, step.Writes) {
			alive[r.arrays.byID[id].Array] = true
		}
		if k := step.Kernel; k != nil {
			ref, err := r.reference(step, func(s *ops.Stage) bool { return alive[s] })
			if err != nil {
				return r.failed(ctx, step, err)
			}
			r.references[step.ID] = ref
			if float64(min(k.Elements(k.IR.Domain()).Points(), mostSamples))*ref.Cost > worthCompiling && ref.Compilable() {
				expensive = append(expensive, ref)
			}
		}
		for _, id := range step.Frees {
			delete(alive, r.arrays.byID[id].Array)
		}
	}
	install := func() {}
	compiling := beside(func() (err error) {
		defer r.opt.Trace.Span(0, "compile", "definitions", time.Now(), map[string]any{"definitions": len(expensive)})
		install, err = r.compileReferences(ctx, expensive)
		return err
	})
	r.defined = sync.OnceValue(func() error {
		start := time.Now()
		err := compiling.wait()
		install()
		r.result.CompileS += since(start)
		return err
	})
	return nil
}

// reference is the definition of a kernel when it has run, and some arrays are in memory.
func (r *run) reference(step *bound.Step, alive func(*ops.Stage) bool) (*audit.Reference, error) {
	if r.plan.Stream != nil {
		return audit.Define(r.plan.BlockReference(step.Kernel), step.Kernel.Roots)
	}
	return audit.Define(r.plan.Reference(step.Kernel.Roots, alive), step.Kernel.Roots)
}

// compileReferences has the first device that can compile references; none if there is no such device, or if it fails, which is logged: the
// interpreter then checks fewer points, and the summary says how many.
func (r *run) compileReferences(ctx context.Context, refs []*audit.Reference) (func(), error) {
	for _, dev := range r.opt.Devices {
		install, ok, err := audit.Compile(ctx, dev, refs)
		switch {
		case ctx.Err() != nil:
			return func() {}, ctx.Err()
		case err != nil:
			r.opt.Progress.Log(fmt.Sprintf("[%s] definitions in float64 do not compile: %s. interpreter fallback.", dev.Info().Name, err))
			return func() {}, nil
		case ok:
			return install, nil
		}
	}
	return func() {}, nil
}

// stored are the arrays that a kernel stores.
func (r *run) stored(step *bound.Step) ([]audit.Array, error) {
	out := make([]audit.Array, len(step.Kernel.Roots))
	for i, s := range step.Kernel.Roots {
		b := r.arrays.byStage[s]
		h, err := r.arrays.host(b.ID)
		if err != nil {
			return nil, err
		}
		out[i] = audit.Array{Of: b, HostArray: h}
	}
	return out, nil
}
