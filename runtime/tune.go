package runtime

import (
	"cmp"
	"context"
	"slices"
	"time"

	"weft/kernels/region"
	"weft/planner/bound"
	"weft/runtime/exec"
	"weft/runtime/result"
)

const (
	worthTiling   = 5e-3 // seconds that a kernel is predicted to take at least, so that its tiles are worth measuring
	tileTime      = time.Second
	tileRounds    = 3
	worthChanging = 0.95 // of the time of the planned tiles, below which others replace them: less is noise
)

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
	launch, err := r.bind(k, r.opt.Programs.Of(k), &exec.Sweep{})
	if err != nil {
		return nil // the run itself meets it again, and falls back
	}
	t := &tiling{run: r, step: step, launch: launch, shapes: shapes, least: make([]float64, len(shapes))}
	defer t.restore()
	if err := launch(k.TileSet[0]); err != nil { // which also tunes the schedule
		return nil // as above
	}
	if err := t.measure(ctx, time.Now().Add(cmp.Or(r.opt.TuneTime, tileTime))); err != nil || t.failed {
		return err
	}
	if !slices.ContainsFunc(t.least[1:], func(each float64) bool { return each > 0 }) {
		return nil // there was no time to compare
	}
	t.chosen = t.best()
	t.restore()
	k.TilesTuned = true
	return r.opt.Tiled(k)
}

// tiling is a kernel whose tiles are being measured.
type tiling struct {
	run    *run
	step   *bound.Step
	launch func(region.Region) error
	shapes [][]int   // the planned one first
	least  []float64 // seconds a point; 0: not measured
	chosen int
	failed bool // a launch failed: the run itself meets it again
}

func (t *tiling) restore() { t.step.Kernel.Retile(slices.Clone(t.shapes[t.chosen])) }

// measure times the shapes until the deadline, each for its share of the time that is left, so that a slow or busy machine only
// makes samples smaller: by no more than the tiles under way is it late. The planned shape is measured whatever the time.
func (t *tiling) measure(ctx context.Context, deadline time.Time) error {
	for range tileRounds {
		for i, size := range t.shapes {
			share := time.Until(deadline) / time.Duration(len(t.shapes)-i)
			if share <= 0 && t.least[0] > 0 {
				return nil
			}
			t.step.Kernel.Retile(slices.Clone(size))
			each, err := t.sample(ctx, max(share, 0))
			if err != nil || t.failed {
				return err
			}
			if each > 0 && (t.least[i] == 0 || each < t.least[i]) {
				t.least[i] = each
			}
		}
	}
	return nil
}

// sample runs the kernel's tiles for a while, at least one, and gives seconds a point.
func (t *tiling) sample(ctx context.Context, most time.Duration) (float64, error) {
	tiles := t.step.Kernel.TileSet
	limited, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	s := &exec.Sweep{Name: t.step.Name, Launch: t.launch, Threads: t.run.opt.Threads, Hands: t.run.hands}
	start := time.Now()
	if err := s.Run(limited, tiles); err != nil && ctx.Err() != nil {
		return 0, ctx.Err()
	}
	if t.failed = s.Fault != nil; t.failed {
		return 0, nil
	}
	points := extent(tiles) - extent(s.Left)
	if points == 0 {
		start = time.Now()
		if err := t.launch(tiles[0]); err != nil {
			t.failed = true
			return 0, nil
		}
		points = tiles[0].Points() * int64(min(t.run.opt.Threads, len(tiles))) // as all threads would have done
	}
	return result.Since(start) / float64(points), nil
}

// extent is the points in some tiles.
func extent(tiles []region.Region) (points int64) {
	for _, t := range tiles {
		points += t.Points()
	}
	return points
}

// best is the shape to take: the fastest, if it is faster than the planned one by more than noise.
func (t *tiling) best() int {
	best := 0
	for i, each := range t.least {
		if each > 0 && each < t.least[best] {
			best = i
		}
	}
	if t.least[best] > worthChanging*t.least[0] {
		return 0
	}
	return best
}
