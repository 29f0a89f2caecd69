package runtime

import (
	"context"
	"fmt"
	"time"

	"weft/kernels/device"
	"weft/planner/bound"
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
func (r *run) bind(k *bound.Kernel, program device.Program, s *exec.Sweep) (exec.Bound, error) {
	return s.Bind(program, r.arrays.Memory, func() (b exec.Bound, err error) {
		with := device.Bindings{Mem: r.arrays.Memory}
		if c := r.counted[k]; c != nil && program == r.opt.Programs.Of(k) {
			b.Launch, err = c.Bind(with, &s.Tally)
		} else if p, ok := program.(device.Shared); ok {
			b.Launch, b.Assist, err = p.BindShared(with)
		} else {
			b.Launch, err = program.Bind(with)
		}
		return b, err
	})
}
