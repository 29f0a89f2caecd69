package runtime

import (
	"context"
	"fmt"
	"slices"
	"time"

	"weft/kernels/interp"
	"weft/kernels/ir"
	"weft/ops"
	"weft/planner"
)

// definition is what a kernel's results are compared with: its reference, and how that is evaluated.
type definition struct {
	ref      planner.Reference
	program  *interp.Program
	compiled interp.Evaluator // nil: the program is interpreted
}

// evaluator is the compiled definition, or the interpreter.
func (d *definition) evaluator() interp.Evaluator {
	if d.compiled != nil {
		return d.compiled
	}
	return d.program
}

// compiledSpeed is how much faster a compiled definition is than the interpreter, about.
const compiledSpeed = 15

// cost is what one point takes, in operations of the interpreter.
func (d *definition) cost() float64 {
	if d.compiled != nil {
		return d.ref.Cost / compiledSpeed
	}
	return d.ref.Cost
}

// definer is a device that compiles definitions, so that many points of a dear one can be had. Its rendering of kernels has no part in it.
type definer interface {
	Definitions(ctx context.Context, programs []*interp.Program, host func(*ir.Buffer) bool) ([]interp.Evaluator, error)
}

// Definitions are compiled where interpreting a full sample would take more operations than the one; the interpreter takes 5 to 10 ns for
// each, and a program of more instructions than the other takes a compiler too long.
const (
	worthCompiling = 2.5e5
	mostCompiled   = 20e3
)

// define makes the definitions of all kernels that the plan runs, and starts to compile those that are dear, all in one go; wait ends that.
func (r *run) define(ctx context.Context) (wait func() error, err error) {
	alive := map[*ops.Stage]bool{}
	var dear []*definition
	var programs []*interp.Program
	tables := map[*ir.Buffer]bool{}
	r.definitions = map[string]*definition{}
	for i := range r.plan.Steps {
		step := &r.plan.Steps[i]
		for _, id := range slices.Concat(step.Reads, step.Writes) {
			alive[r.arrays.byID[id].Array] = true
		}
		if step.Kernel != nil {
			d, err := r.definitionOf(step, alive)
			if err != nil {
				return nil, r.failed(ctx, step, err)
			}
			r.definitions[step.ID] = d
			if d.worthCompiling(step.Kernel) {
				dear, programs = append(dear, d), append(programs, d.program)
				for buf, s := range d.ref.Loads {
					tables[buf] = s.Data != nil
				}
			}
		}
		for _, id := range step.Frees {
			delete(alive, r.arrays.byID[id].Array)
		}
	}
	var compiled []interp.Evaluator
	compiling := start(func() (err error) {
		defer r.opt.Trace.Span(0, "compile", "definitions", time.Now(), map[string]any{"definitions": len(programs)})
		compiled, err = r.compileDefinitions(ctx, programs, func(b *ir.Buffer) bool { return tables[b] })
		return err
	})
	return func() error {
		err := compiling.wait()
		for i, c := range compiled {
			dear[i].compiled = c
		}
		return err
	}, nil
}

// definitionOf is the definition of a kernel when it has run, and some arrays are in memory.
func (r *run) definitionOf(step *planner.Step, alive map[*ops.Stage]bool) (d *definition, err error) {
	d = &definition{}
	if r.plan.Stream != nil {
		d.ref = r.plan.BlockReference(step.Kernel)
	} else {
		d.ref = r.plan.Reference(step.Kernel.Roots, func(s *ops.Stage) bool { return alive[s] })
	}
	d.program, err = programOf(d.ref)
	return d, err
}

func (d *definition) worthCompiling(k *planner.Kernel) bool {
	points := min(k.Ir.Points(), mostSamples)
	return float64(points)*d.ref.Cost > worthCompiling && d.program.Size() <= mostCompiled
}

// compileDefinitions has the first device that can compile programs; none if there is no such device, or if it fails, which is logged: the
// interpreter then checks fewer points, and the summary says how many.
func (r *run) compileDefinitions(ctx context.Context, programs []*interp.Program, host func(*ir.Buffer) bool) ([]interp.Evaluator, error) {
	if len(programs) == 0 {
		return nil, nil
	}
	for _, dev := range r.opt.Devices {
		c, ok := dev.(definer)
		if !ok {
			continue
		}
		out, err := c.Definitions(ctx, programs, host)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			r.opt.Progress.Log(fmt.Sprintf("[%s] definitions in float64 do not compile: %s. interpreter fallback.", dev.Info().Name, err))
			return nil, nil
		}
		return out, nil
	}
	return nil, nil
}
