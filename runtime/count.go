package runtime

import (
	"context"
	"fmt"
	"slices"
	"time"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/ir/count"
	"weft/kernels/region"
	"weft/kernels/schedule"
	"weft/planner/bound"
	"weft/planner/cost"
	"weft/runtime/exec"
	"weft/runtime/result"
)

// prepareCounts compiles, under Options.Count, the kernels that have something to count once more, with counters. Only the host's
// compiled code counts.
func (r *run) prepareCounts(ctx context.Context) error {
	if !r.opt.Count {
		return nil
	}
	start := time.Now()
	r.counted = map[*bound.Kernel]device.Counted{}
	uncounted := 0
	for _, s := range r.plan.Kernels() {
		p, ok := r.opt.Programs.Of(s.Kernel).(device.Counting)
		if !ok || r.accelerated(s.Kernel) {
			uncounted++
			continue
		}
		c, err := p.Counted(ctx)
		if err != nil {
			return r.failed(ctx, s, err)
		}
		if c != nil {
			r.counted[s.Kernel] = c
		}
	}
	if uncounted > 0 {
		r.opt.Progress.Log(fmt.Sprintf("folds of %d kernels are not counted: only compiled code on the processor counts", uncounted))
	}
	r.result.CompileS += result.Since(start)
	return nil
}

// bind gives a program the arrays of the run; the launches of one that counts add to the sweep's tally.
func (r *run) bind(k *bound.Kernel, program device.Program, s *exec.Sweep) (func(region.Region) error, error) {
	b := device.Bindings{Mem: r.arrays.Memory}
	if c := r.counted[k]; c != nil && program == r.opt.Programs.Of(k) {
		return c.Bind(b, &s.Tally)
	}
	return program.Bind(b)
}

// worked is what the kernel executed, 0 if that was not counted, and the share of what the machine could have done in the time.
func (w *work) worked(folds []result.Fold) (flops, roof float64) {
	k := w.step.Kernel
	ends, culled := schedule.EndsEarly(k.IR), schedule.CulledBlock(k.IR)
	known := true
	asked := count.CostWhere(k.IR, func(f *ir.Fold) float64 {
		if at := slices.IndexFunc(folds, func(x result.Fold) bool { return x.Name == f.Index.Name }); at >= 0 {
			return folds[at].Share
		}
		known = known && !ends(f) && culled(f) == 0
		return 1
	}, cost.Rarely(k.IR))
	if !known {
		return 0, 0
	}
	if w.run.opt.Roof == nil || len(w.shares) > 0 || w.wall <= 0 {
		return asked.Arithmetic, 0
	}
	peak, bandwidth := w.run.opt.Roof(k.Bytes)
	if peak <= 0 || bandwidth <= 0 {
		return asked.Arithmetic, 0
	}
	return asked.Arithmetic, max((asked.Arithmetic+asked.Wide)/peak, float64(k.Bytes)/bandwidth) / w.wall
}
