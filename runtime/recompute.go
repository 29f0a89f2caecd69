package runtime

import (
	"context"
	"time"

	"weft/ops/problem"
	"weft/planner/bound"
	"weft/planner/bounds"
	"weft/runtime/audit"
	"weft/runtime/exec"
)

// Where elements are too expensive for enough samples in float64, others are computed a second time by the kernel's own program, each by
// itself, over what it stored. That finds tiles that were lost or damaged after they were computed, and vector code that disagrees with the
// code for edges; what a program always gets wrong it does not find.
const (
	recomputeShare = 0.15 // of the kernel's own time that this may take
	recomputeTime  = 20 * time.Millisecond
)

// fillUp computes again what a sample in float64 was too expensive for.
func (c *sampling) fillUp(ctx context.Context) error {
	r, k := c.run, c.step.Kernel
	if c.size >= audit.Enough || r.inner(k) || len(c.taken[0].At) < c.size { // the array is smaller than the sample
		return nil
	}
	n, fault, err := r.recompute(ctx, c.step, c.taken)
	if err != nil {
		return err
	}
	first := len(r.result.Parity) - len(k.Roots)
	for i := range k.Roots {
		p := &r.result.Parity[first+i]
		p.Recomputed = n
		p.OK = p.OK && fault == ""
	}
	if fault == "" {
		return nil
	}
	last := c.taken[len(c.taken)-1].Array
	w := problem.Wrong(problem.ParityViolated, "", "run it again: if it stays so, report it with the pipeline file", "%s %s", audit.Name(last.Of), fault)
	return r.doubted(last.Of.Array, w)
}

// recompute computes points again and returns how many it compared, and the first at which the two differ by more than the tolerance
// of a stage allows. The arrays are left as they were.
func (r *run) recompute(ctx context.Context, step *bound.Step, of []audit.Sample) (compared int, fault string, err error) {
	start := time.Now()
	defer r.checking(step, start)
	k, program := step.Kernel, r.opt.Programs.Of(step.Kernel)
	if !k.IR.Pointwise() || program == nil {
		return 0, "", nil
	}
	kernel := time.Duration(0)
	for _, ran := range r.result.Kernels {
		if ran.ID == step.ID {
			kernel = time.Duration(ran.Wall * float64(time.Second))
		}
	}
	points := audit.Points(k.IR.Domain(), audit.MostSamples, r.opt.Seed+1)
	if r.stays() {
		if err := r.arrays.Peek(ctx, step.Name, step.Writes, bounds.Needed(k.IR), points); err != nil {
			return 0, "", err
		}
	}
	bound, err := r.bind(k, program, &exec.Sweep{})
	if err != nil {
		return 0, "", err
	}
	deadline := start.Add(max(recomputeTime, time.Duration(recomputeShare*float64(kernel))))
	for _, i := range audit.Scattered(len(points)) {
		if err := ctx.Err(); err != nil || time.Now().After(deadline) {
			return compared, "", err
		}
		fault, err := audit.Again(bound.Launch, points[i], of)
		if err != nil || fault != "" {
			return compared, fault, err
		}
		compared++
	}
	return compared, "", nil
}
