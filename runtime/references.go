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
	"weft/runtime/exec"
	"weft/runtime/result"
)

// References are compiled where interpreting a full sample would take more operations; the interpreter takes 5 to 10 ns for each. What only
// others read on is held to what it was made from no further back than that: those are checked themselves.
const worthCompiling = 2.5e5

// define starts to make the references of all kernels that the plan runs, and to compile those that are expensive, all in one go, while kernels
// are compiled and sources read; r.defined waits for that.
func (r *run) define(ctx context.Context) {
	install := func() {}
	defining := exec.Beside(func() error {
		expensive, err := r.makeReferences()
		if err == nil {
			defer r.opt.Trace.Span(0, "compile", "definitions", time.Now(), map[string]any{"definitions": len(expensive)})
			install, err = r.compileReferences(ctx, expensive)
		}
		return err
	})
	r.defined = sync.OnceValue(func() error {
		start := time.Now()
		err := defining.Wait()
		install()
		r.result.CompileS += result.Since(start)
		return err
	})
}

// makeReferences gives those that are worth compiling.
func (r *run) makeReferences() (expensive []*audit.Reference, err error) {
	alive := map[*ops.Stage]bool{}
	r.references = map[string]*audit.Reference{}
	for i := range r.plan.Steps {
		step := &r.plan.Steps[i]
		for _, id := range slices.Concat(step.Reads, step.Writes) {
			alive[r.arrays.ByID[id].Array] = true
		}
		if k := step.Kernel; k != nil {
			samples, most := float64(max(1, min(k.Elements(k.IR.Domain()).Points(), audit.MostSamples))), 0.0
			if r.inner(k) {
				most = worthCompiling / samples
			}
			ref, err := r.reference(step, func(s *ops.Stage) bool { return alive[s] }, most)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", step.Name, err)
			}
			r.references[step.ID] = ref
			if samples*ref.Cost > worthCompiling && ref.Compilable() {
				expensive = append(expensive, ref)
			}
		}
		gone := step.Frees
		if c := r.chainOf(step); c != nil && c.Steps[len(c.Steps)-1] == step.ID { // of what is inside, a few rows are there
			gone = slices.Concat(gone, c.Inside)
		}
		for _, id := range gone {
			delete(alive, r.arrays.ByID[id].Array)
		}
	}
	return expensive, nil
}

// byRows reports whether of what a step reads only some rows are there at a time.
func (r *run) byRows(step *bound.Step) bool {
	return r.plan.Stream != nil || r.chainOf(step) != nil
}

// reference is the definition of a kernel when it has run, and some arrays are in memory; most is as bound.Plan.Reference has it.
func (r *run) reference(step *bound.Step, alive func(*ops.Stage) bool, most float64) (*audit.Reference, error) {
	if r.byRows(step) {
		return audit.Define(r.plan.GivenReference(step.Kernel, step.Kernel.Roots), step.Kernel.Roots)
	}
	return audit.Define(r.plan.Reference(step.Kernel.Roots, alive, most), step.Kernel.Roots)
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
