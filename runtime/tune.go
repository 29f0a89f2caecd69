package runtime

import (
	"cmp"
	"context"
	"slices"
	"time"

	"weft/kernels/device"
	"weft/planner"
)

const (
	worthTiling   = 5e-3 // seconds that a kernel is predicted to take at least, so that its tiles are worth measuring
	tileTime      = time.Second
	tileRounds    = 3
	worthChanging = 0.95 // of the time of the planned tiles, below which others replace them: less is noise
)

// tuneTiles measures a kernel cut into tiles of several sizes, round by round so that a disturbance hits all alike, and keeps
// the fastest. The kernel then runs once more, so what the measurements stored does not matter.
func (r *run) tuneTiles(ctx context.Context, step *planner.Step) error {
	k := step.Kernel
	if !r.opt.Tune || r.opt.Tiled == nil || joins(k.Ir) || k.Predicted*1e-3 < worthTiling || k.Device != r.opt.Devices[0].Info().Name {
		return nil
	}
	if k.TilesTuned && r.opt.TuneTime == 0 {
		return nil
	}
	shapes := k.TileShapes(r.opt.Threads)
	if len(shapes) < 2 {
		return nil
	}
	launch, err := k.Program.Bind(device.Bindings{Mem: r.arrays.mem})
	if err != nil {
		return nil // the run itself meets it again, and falls back
	}
	planned := shapes[0]
	least := make([]float64, len(shapes))
	deadline := time.Now().Add(cmp.Or(r.opt.TuneTime, tileTime))
	for round := range tileRounds {
		for i, size := range shapes {
			k.Retile(slices.Clone(size))
			s := &sweep{name: step.Name, launch: launch, threads: r.opt.Threads, done: func() {}}
			start := time.Now()
			if err := s.run(ctx, k.TileSet); err != nil {
				return err
			}
			if s.fault != nil {
				k.Retile(planned)
				return nil // as above
			}
			if t := since(start); (round > 0 || i > 0) && (least[i] == 0 || t < least[i]) { // the very first also tunes the schedule
				least[i] = t
			}
		}
		if time.Now().After(deadline) {
			break
		}
	}
	best := 0
	for i, t := range least {
		if t > 0 && least[0] > 0 && t < least[best] {
			best = i
		}
	}
	if best > 0 && least[best] > worthChanging*least[0] {
		best = 0
	}
	k.Retile(slices.Clone(shapes[best]))
	k.TilesTuned = true
	return r.opt.Tiled(k)
}
