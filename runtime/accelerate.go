package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/planner/bound"
	"weft/runtime/exec"
	"weft/runtime/fleet"
	"weft/runtime/result"
	"weft/runtime/state"
	"weft/runtime/usage"
)

// accelerated reports whether a kernel is placed on accelerators of this run.
func (r *run) accelerated(k *bound.Kernel) bool {
	return r.fleet != nil && k.Place.Accelerates()
}

// compileAccelerators begins to make kernels ready on the accelerators they are placed on, beside those of the host. Who waits for that has one that compiles on none of
// them counted as fallen back: it runs on the host's processor.
func (r *run) compileAccelerators(ctx context.Context, steps []*bound.Step) (wait func() error) {
	var targets []fleet.Target
	for _, s := range steps {
		if r.accelerated(s.Kernel) {
			targets = append(targets, fleet.Target{Stage: s.Name, Kernel: s.Kernel.IR, Devices: s.Kernel.Place.Devices})
		}
	}
	if len(targets) == 0 {
		return func() error { return nil }
	}
	var failures []fleet.Failure
	compiling := exec.Beside(func() (err error) {
		failures, err = r.fleet.Compile(ctx, targets)
		return err
	})
	return func() error {
		if err := compiling.Wait(); err != nil {
			return err
		}
		return r.uncompiled(steps, failures)
	}
}

// uncompiled takes in what did not compile on accelerators.
func (r *run) uncompiled(steps []*bound.Step, failures []fleet.Failure) error {
	for _, f := range failures {
		step := steps[slices.IndexFunc(steps, func(s *bound.Step) bool { return s.Name == f.Stage && r.accelerated(s.Kernel) })]
		if ok, _ := r.fleet.Able(step.Kernel.IR, step.Kernel.Place.Devices); !ok && !r.onHost[step.ID] {
			r.onHost[step.ID] = true
			f.Ranges = step.Kernel.Tiles
		}
		if err := r.deviceFailed(step, f); err != nil {
			return err
		}
	}
	return nil
}

// refused counts kernels as fallen back that were asked to be on accelerators which have no room for them.
func (r *run) refused(steps []*bound.Step) error {
	if r.fleet == nil {
		return nil
	}
	for _, s := range steps {
		if why := s.Kernel.Place.Refused; why != "" {
			if err := r.deviceFailed(s, fleet.Failure{Stage: s.Name, Kind: r.opt.Accelerators[0].Info().Kind, Reason: why, Ranges: s.Kernel.Tiles}); err != nil {
				return err
			}
		}
	}
	return nil
}

// deviceFailed logs and counts what an accelerator could not do of a step: an error under Strict. The same reason is logged once a stage.
func (r *run) deviceFailed(step *bound.Step, f fleet.Failure) error {
	if f.Ranges == 0 && !r.opt.Strict {
		r.opt.Progress.Log(fmt.Sprintf("[%s] %s failed: %s. Other devices go on.", result.KindName(f.Kind), f.Stage, f.Reason))
		return nil
	}
	device := result.KindName(f.Kind)
	if at := slices.IndexFunc(r.result.Fallbacks, func(b result.Fallback) bool { return b.Stage == f.Stage && b.Device == device && b.Reason == f.Reason }); at >= 0 && !r.opt.Strict {
		r.result.Fallbacks[at].Count += f.Ranges
		return nil
	}
	if err := r.fellBack(f.Stage, f.Kind, r.opt.Devices[0].Info().Kind, f.Reason, f.Ranges); err != nil {
		return &result.StageError{Stage: step.Name, Where: step.Where(), Err: err}
	}
	return nil
}

// accelerate runs a part of a kernel on the accelerators it is placed on; ok is false where none of them can.
func (w *work) accelerate(ctx context.Context, over region.Region) (ok bool, err error) {
	r, k := w.run, w.step.Kernel
	if !r.onDevices(w.step) {
		return false, nil
	}
	if err := r.fleet.Reopen(ctx); err != nil {
		return false, err
	}
	if able, why := r.fleet.Able(k.IR, k.Place.Devices); !able {
		r.onHost[w.step.ID] = true
		err := r.deviceFailed(w.step, fleet.Failure{Stage: w.step.Name, Kind: r.fleet.Kind(k.Place.Devices[0]), Reason: why, Ranges: k.Tiles})
		if err == nil && r.ahead != nil {
			return false, &state.Gone{}
		}
		if err == nil && r.stays() {
			err = r.allocate(ctx, w.step)
		}
		return false, err
	}
	job, err := w.job(ctx, over)
	if err != nil {
		return true, err
	}
	start, cpu, waited := time.Now(), usage.CPU(), r.fleet.Waited()
	shares, err := r.fleet.Run(ctx, job)
	w.wall += result.Since(start) - (r.fleet.Waited() - waited).Seconds() // which is for kernels before
	w.cpu += (usage.CPU() - cpu).Seconds()
	w.share(shares)
	if r.opt.Trace != nil {
		r.opt.Trace.Span(0, "kernel", w.step.Name, start, map[string]any{"flops": k.Flops, "bytes": k.Bytes, "device": w.device})
	}
	return true, err
}

// stays reports whether devices keep what they make until somebody asks for it.
func (r *run) stays() bool { return (r.program == nil || r.stay) && r.mayStay() }

// mayStay reports whether they could: nobody looks at all of it.
func (r *run) mayStay() bool { return r.fleet != nil && r.opt.Inspect == nil && r.plan.Stays() }

// away reports whether a step leaves what it makes on devices.
func (r *run) away(step *bound.Step) bool { return r.onDevices(step) && r.stays() }

// onDevices reports whether devices do a step.
func (r *run) onDevices(step *bound.Step) bool {
	return step.Kernel != nil && r.accelerated(step.Kernel) && !r.onHost[step.ID] && step != r.failing
}

// share adds up what devices did of the kernel, and names them.
func (w *work) share(shares []fleet.Share) {
	if w.shares = fleet.Together(w.shares, shares); len(w.shares) == 0 {
		return
	}
	w.device = fleet.Names(w.shares)
}

// job describes a part of the kernel to the fleet.
func (w *work) job(ctx context.Context, over region.Region) (*fleet.Job, error) {
	r, k := w.run, w.step.Kernel
	if w.needs == nil {
		w.needs = exec.NeedsOf(k.IR)
	}
	j, err := exec.Part(w.step, over, w.needs, r.arrays.Lying)
	if err != nil {
		return nil, err
	}
	j.Array = r.arrays.Room(slices.Concat(w.step.Reads, w.step.Writes))
	if r.stays() {
		j.Stays = func(part *ir.Buffer) bool {
			return !slices.ContainsFunc(w.step.Writes, func(id string) bool { return slices.Contains(r.arrays.ByID[id].Bufs, part) && r.plan.Taken(id) })
		}
	}
	if k.Asked() {
		j.Tiles = k.TilesOf(over, r.opt.Threads)
	}
	j.Seconds = k.Place.Accelerated * 1e-3 * k.Share(over)
	j.Host, j.Done, j.Failed = w.onHost, w.sweep.Shown(len(k.Tiled(over, r.opt.Threads)), over.Points()), func(f fleet.Failure) error { return r.deviceFailed(w.step, f) }
	j.Later = func(s float64) { r.meter.Later(w.step, s); r.result.Later(w.step.ID, s) }
	if r.ahead != nil {
		j.Stays, j.Gone = func(*ir.Buffer) bool { return true }, r.ahead.gone(w.step)
	}
	if r.stay {
		j.Later = func(s float64) { w.wall += s; fleet.Took(w.shares, s) } // whose kernels are told of in the end
	}
	if r.opt.Verify || r.spots {
		if err := r.defined(); err != nil {
			return nil, err
		}
		ref := r.references[w.step.ID]
		if j.Check, j.Relieve = w.spotCheck(ref, over), r.looked; r.opt.Verify {
			j.Beside = w.beside(ctx, ref, over)
		}
	}
	return j, nil
}

// onHost computes a range on the host's processor that no accelerator did.
func (w *work) onHost(ctx context.Context, at region.Region) error {
	s := &exec.Sweep{Name: w.step.Name, Threads: w.run.opt.Threads, Trace: w.run.opt.Trace}
	_, err := w.run.launches(ctx, w.step, s, w.step.Kernel.TilesOf(at, w.run.opt.Threads))
	if err != nil && !errors.Is(err, ctx.Err()) {
		return fmt.Errorf("on the host's processor, after an accelerator failed: %w", err)
	}
	return err
}
