package runtime

import (
	"context"
	"fmt"
	"slices"
	"time"

	"weft/kernels/device"
	"weft/ops/problem"
	"weft/planner/bound"
	"weft/runtime/result"
)

// fellBack logs and counts tiles of a stage that run on another device than planned: an error under Strict.
func (r *run) fellBack(stage, from, to, reason string, tiles int) error {
	f := result.Fallback{Stage: stage, Device: result.KindName(from), Reason: reason, Count: tiles}
	r.result.Fallbacks = append(r.result.Fallbacks, f)
	if r.opt.Strict {
		return f.Refused()
	}
	r.opt.Progress.Log(f.Line(to))
	return nil
}

// miss counts kernels as fallen back from devices that cannot be had, which is logged once for all of them.
func (r *run) miss(kernels []*bound.Step) error {
	for _, m := range r.opt.Missing {
		for i, s := range kernels {
			f := result.Fallback{Stage: s.Name, Device: result.KindName(m.Kind), Reason: m.Reason, Count: s.Kernel.Tiles}
			r.result.Fallbacks = append(r.result.Fallbacks, f)
			if r.opt.Strict {
				return &result.StageError{Stage: s.Name, Where: s.Where(), Err: f.Refused()}
			}
			if i == 0 {
				if len(kernels) > 1 {
					f.Stage = fmt.Sprintf("%s and %d others", f.Stage, len(kernels)-1)
				}
				r.opt.Progress.Log(f.Line(r.opt.Devices[0].Info().Kind))
			}
		}
	}
	return nil
}

// compile makes every kernel ready on the first device of the chain that takes it.
func (r *run) compile(ctx context.Context) error {
	start := time.Now()
	todo := r.plan.Kernels()
	all := todo
	if r.opt.Verify {
		r.define(ctx)
	}
	if err := r.miss(slices.DeleteFunc(slices.Clone(all), func(s *bound.Step) bool { return r.accelerated(s.Kernel) })); err != nil {
		return err
	}
	err := r.refused(all)
	accelerators := func() error { return nil }
	if err == nil {
		accelerators = r.compileAccelerators(ctx, all)
	}
	for at := 0; len(todo) > 0 && err == nil; at++ {
		todo, err = r.compileOn(ctx, at, todo)
	}
	if fault := accelerators(); err == nil {
		err = fault
	}
	if err != nil {
		return err
	}
	for _, s := range all {
		if s.Kernel.Report.Cached {
			r.result.Compile.Cached++
		}
	}
	r.result.Compile.Kernels = len(all)
	r.result.CompileS = result.Since(start)
	r.opt.Trace.Span(0, "compile", "compile", start, map[string]any{"kernels": len(all), "cached": r.result.Compile.Cached})
	return nil
}

// compileOn compiles kernels on one device, all in one go, and one by one when that fails, so that only those that do not
// compile are returned for the next device.
func (r *run) compileOn(ctx context.Context, at int, steps []*bound.Step) (refused []*bound.Step, err error) {
	dev := r.opt.Devices[at]
	one := func(steps ...*bound.Step) error {
		var ks []*bound.Kernel
		for _, s := range steps {
			if r.opt.Programs.Of(s.Kernel) == nil || s.Kernel.Device != dev.Info().Name || r.toTune(s.Kernel) {
				ks = append(ks, s.Kernel)
			}
		}
		return r.opt.Programs.Compile(ctx, dev, r.opt.Threads, device.Options{Tune: r.opt.Tune, TuneTime: r.opt.TuneTime, Built: r.opt.Progress.Compiled}, ks)
	}
	err = one(steps...)
	r.opt.Progress.End() // no row about the compiler stays
	if err == nil || ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for _, s := range steps {
		if len(steps) > 1 {
			err = one(s)
		}
		if err == nil {
			continue
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if at+1 == len(r.opt.Devices) {
			err = problem.Wrong(problem.CompileFailed, "", "`weft explain --kernels` shows the source", "%s does not compile: %s", s.Name, err)
			return nil, &result.StageError{Stage: s.Name, Where: s.Where(), Err: err}
		}
		if err := r.fellBack(s.Name, dev.Info().Kind, r.opt.Devices[at+1].Info().Kind, err.Error(), s.Kernel.Tiles); err != nil {
			return nil, &result.StageError{Stage: s.Name, Where: s.Where(), Err: err}
		}
		refused = append(refused, s)
	}
	return refused, nil
}

// toTune reports whether the schedule of a compiled kernel is still to be searched.
func (r *run) toTune(k *bound.Kernel) bool {
	return r.opt.Tune && (r.opt.TuneTime > 0 || !k.Report.Tuned)
}
