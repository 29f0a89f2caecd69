package runtime

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/planner/bound"
	"weft/runtime/arrays"
	"weft/runtime/exec"
	"weft/runtime/fleet"
	"weft/runtime/result"
	"weft/runtime/usage"
)

// work is a kernel under way: what its tiles took so far.
type work struct {
	run    *run
	step   *bound.Step
	sweep  *exec.Sweep
	about  *bound.Kernel // the step's, or what is known of it since it ran
	device string
	wall   float64
	cpu    float64

	shares []fleet.Share // of accelerators
	needs  *exec.Needs   // for them

	blanks arrays.Blanks // where all of it is seen
	checks *sampling     // nil: nothing is checked
}

func (r *run) work(step *bound.Step) *work {
	s := &exec.Sweep{Name: step.Name, Threads: r.opt.Threads, Hands: r.hands, Done: r.opt.Progress.Tile, Trace: r.opt.Trace}
	return &work{run: r, step: step, sweep: s, about: step.Kernel, device: step.Kernel.Device}
}

// kernel runs one kernel step over the part of its domain that there is: on its devices, and what fails there on the devices after them.
func (r *run) kernel(ctx context.Context, step *bound.Step, over region.Region) error {
	k := step.Kernel
	if !r.accelerated(k) {
		if err := r.tuneTiles(ctx, step); err != nil {
			return err
		}
	}
	predicted, _ := k.Expected()
	r.opt.Progress.Begin(step.Name, len(k.TileSet), time.Duration(predicted*float64(time.Millisecond)))
	defer r.opt.Progress.End()
	w := r.work(step)
	err := w.part(ctx, over, k.Tiled(over, r.opt.Threads))
	if err == nil {
		err = w.tell()
	}
	w.finish()
	return err
}

// tell has the kernel reported as of arrays as long as they turned out to be.
func (w *work) tell() error {
	k, err := w.run.plan.Told(w.step, w.run.arrays.Elements)
	if err != nil || k == w.step.Kernel {
		return err
	}
	w.about = k
	if r := w.run.result; r.Counted == nil {
		r.Counted = ops.Counted{}
	}
	maps.Copy(w.run.result.Counted, k.Counted())
	return nil
}

// part runs a part of the kernel's domain, which on the host's processor is cut into the given tiles.
func (w *work) part(ctx context.Context, over region.Region, tiles []region.Region) error {
	if ok, err := w.accelerate(ctx, over); ok || err != nil {
		return err
	}
	return w.tiles(ctx, tiles)
}

// tiles runs some tiles of the kernel.
func (w *work) tiles(ctx context.Context, tiles []region.Region) error {
	cpu, start := usage.CPU(), time.Now()
	var err error
	w.device, err = w.run.launches(ctx, w.step, w.sweep, tiles)
	w.wall += result.Since(start)
	w.cpu += (usage.CPU() - cpu).Seconds()
	w.run.opt.Trace.Span(0, "kernel", w.step.Name, start, map[string]any{"flops": w.step.Kernel.Flops, "bytes": w.step.Kernel.Bytes, "device": w.device})
	return err
}

// finish reports what the kernel took.
func (w *work) finish() {
	k, s := w.about, w.sweep
	predicted, _ := k.Expected()
	mean, p95 := exec.MeanAndP95(s.Turnaround)
	w.run.meter.Add(w.step, s, w.wall, len(w.shares) > 0)
	folds := result.FoldsOf(&s.Tally)
	most := w.run.opt.Roof
	if len(w.shares) > 0 {
		most = nil
	}
	executed, roof := result.Worked(w.step.Kernel, folds, w.wall, most)
	w.run.result.Kernels = append(w.run.result.Kernels, result.Kernel{
		Executed: executed, Roof: roof,
		ID: w.step.ID, Name: w.step.Name, Ops: k.Ops, Device: w.device, Shares: w.shares, Tiles: len(s.Turnaround), Wall: w.wall, CPU: w.cpu,
		Flops: k.Flops, Bytes: k.Bytes, Predicted: predicted * 1e-3, Factor: k.Estimate.Factor, Precision: k.Precision, Schedule: k.Schedule,
		Cached: k.Report.Cached, TurnaroundMean: mean, TurnaroundP95: p95, QueuePeak: s.QueuePeak, Folds: folds,
	})
}

// launches works tiles of a kernel off along the chain of devices and names the device that finished them.
func (r *run) launches(ctx context.Context, step *bound.Step, s *exec.Sweep, tiles []region.Region) (string, error) {
	k := step.Kernel
	at := slices.IndexFunc(r.opt.Devices, func(d device.Device) bool { return d.Info().Name == k.Device })
	program := r.opt.Programs.Of(k)
	if f, ok := r.fallen.Load(k); ok {
		at, program = f.(fallen).at, f.(fallen).program
	}
	for {
		dev := r.opt.Devices[at]
		s.Left, s.Fault = nil, nil
		bound, err := r.bind(k, program, s)
		if err == nil {
			s.Bound = bound
			if err := s.Run(ctx, tiles); err != nil {
				return dev.Info().Name, err
			}
			err, tiles = s.Fault, s.Left
		}
		if err == nil {
			return dev.Info().Name, nil
		}
		if at++; at == len(r.opt.Devices) {
			return dev.Info().Name, err
		}
		if err := r.fellBack(step.Name, dev.Info().Kind, r.opt.Devices[at].Info().Kind, err.Error(), len(tiles)); err != nil {
			return dev.Info().Name, err
		}
		programs, err := r.opt.Devices[at].Compile(ctx, []*ir.Kernel{k.IR}, device.Options{})
		if err != nil {
			return dev.Info().Name, errors.Join(s.Fault, err)
		}
		program = programs[0]
		r.fallen.Store(k, fallen{at, program})
	}
}

// fallen is the device, of the chain, that took over a kernel for the rest of a run.
type fallen struct {
	at      int
	program device.Program
}
