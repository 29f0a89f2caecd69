package runtime

import (
	"context"
	"errors"
	"slices"
	"time"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/planner"
)

// kernel runs one kernel step: on its device, and what fails there on the devices after it.
func (r *run) kernel(ctx context.Context, step *planner.Step) error {
	k := step.Kernel
	s := &sweep{name: step.Name, threads: r.opt.Threads, done: r.opt.Progress.Tile, trace: r.opt.Trace}
	r.opt.Progress.Begin(step.Name, len(k.TileSet), time.Duration(k.Predicted*float64(time.Millisecond)))
	defer r.opt.Progress.End()
	start, cpu := time.Now(), cpuTime()
	device, err := r.launches(ctx, step, s)
	mean, p95 := meanAndP95(s.turnaround)
	r.result.Kernels = append(r.result.Kernels, Kernel{
		ID: step.ID, Ops: k.Ops, Device: device, Tiles: len(s.turnaround), Wall: since(start), CPU: (cpuTime() - cpu).Seconds(),
		Flops: k.Flops, Bytes: k.Bytes, Predicted: k.Predicted * 1e-3, Precision: k.Precision, Schedule: k.Schedule,
		Cached: k.Program.Report().Cached, TurnaroundMean: mean, TurnaroundP95: p95, QueuePeak: s.queuePeak,
	})
	r.opt.Trace.Span(0, "kernel", step.Name, start, map[string]any{"flops": k.Flops, "bytes": k.Bytes, "device": device})
	return err
}

// launches works the tiles of a kernel off along the chain of devices and names the device that finished them.
func (r *run) launches(ctx context.Context, step *planner.Step, s *sweep) (string, error) {
	k := step.Kernel
	at := slices.IndexFunc(r.opt.Devices, func(d device.Device) bool { return d.Info().Name == k.Device })
	program, tiles := k.Program, k.TileSet
	for {
		dev := r.opt.Devices[at]
		s.left, s.fault = nil, nil
		bound, err := program.Bind(device.Bindings{Mem: r.arrays.mem})
		if err == nil {
			s.launch = bound
			if err := s.run(ctx, tiles); err != nil {
				return dev.Info().Name, err
			}
			err, tiles = s.fault, s.left
		}
		if err == nil {
			return dev.Info().Name, nil
		}
		if at++; at == len(r.opt.Devices) {
			return dev.Info().Name, err
		}
		if joins(k.Ir) { // a tile that failed half-way may have added some of its terms already
			tiles = k.TileSet
			for _, id := range step.Writes {
				if err := r.arrays.refresh(id); err != nil {
					return dev.Info().Name, err
				}
			}
		}
		if err := r.fellBack(step.Name, dev.Info().Kind, r.opt.Devices[at].Info().Kind, err.Error(), len(tiles)); err != nil {
			return dev.Info().Name, err
		}
		programs, err := r.opt.Devices[at].Compile(ctx, []*ir.Kernel{k.Ir}, device.Options{})
		if err != nil {
			return dev.Info().Name, errors.Join(s.fault, err)
		}
		program = programs[0]
	}
}

// joins reports a kernel whose stores add to what is there, so that no tile may run twice.
func joins(k *ir.Kernel) bool {
	return slices.ContainsFunc(k.Stores, func(s ir.Store) bool { return s.Combine != ir.Ordered })
}
