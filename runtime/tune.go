package runtime

import (
	"cmp"
	"context"
	"time"

	"weft/planner/bound"
	"weft/runtime/exec"
)

const tileTime, worthTiling = time.Second, 5e-3 // seconds that a kernel is predicted to take at least, so that its tiles are worth measuring

// tuneTiles measures a kernel cut into tiles of several sizes, round by round so that a disturbance hits all alike, and keeps
// the fastest. It takes no longer than TuneTime but for the tiles under way. The kernel then runs once more, so what the measurements stored does not matter.
func (r *run) tuneTiles(ctx context.Context, step *bound.Step) error {
	k := step.Kernel
	if !r.opt.Tune || r.opt.Tiled == nil || k.Predicted*1e-3 < worthTiling || k.Device != r.opt.Devices[0].Info().Name {
		return nil
	}
	if k.TilesTuned && r.opt.TuneTime == 0 {
		return nil
	}
	shapes := k.TileShapes(r.opt.Threads)
	if len(shapes) < 2 {
		return nil
	}
	bound, err := r.bind(k, r.opt.Programs.Of(k), &exec.Sweep{})
	if err != nil {
		return nil // the run itself meets it again, and falls back
	}
	t := &exec.Tiling{Name: step.Name, Kernel: k, Threads: r.opt.Threads, Hands: r.hands, Bound: bound, Shapes: shapes}
	defer t.Restore()
	if err := bound.Launch(k.TileSet[0]); err != nil { // which also tunes the schedule
		return nil // as above
	}
	if err := t.Measure(ctx, time.Now().Add(cmp.Or(r.opt.TuneTime, tileTime))); err != nil || t.Failed || !t.Choose() {
		return err
	}
	t.Restore()
	k.TilesTuned = true
	return r.opt.Tiled(k)
}
