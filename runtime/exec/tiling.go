package exec

import (
	"context"
	"slices"
	"time"

	"weft/kernels/region"
	"weft/planner/bound"
)

const (
	tileRounds    = 3
	worthChanging = 0.95 // of the time of the planned tiles, below which others replace them: less is noise
)

// Tiling is a kernel whose tiles are being measured.
type Tiling struct {
	Name    string
	Kernel  *bound.Kernel
	Threads int
	Hands   *Hands
	Bound
	Shapes [][]int // the planned one first
	Failed bool    // a launch failed: the run itself meets it again

	least  []float64 // seconds a point; 0: not measured
	chosen int
}

// Restore cuts the kernel into tiles of the shape that was chosen.
func (t *Tiling) Restore() { t.Kernel.Retile(slices.Clone(t.Shapes[t.chosen])) }

// Measure times the shapes until the deadline, each for its share of the time that is left, so that a slow or busy machine only
// makes samples smaller: by no more than the tiles under way is it late. The planned shape is measured whatever the time.
func (t *Tiling) Measure(ctx context.Context, deadline time.Time) error {
	t.least = make([]float64, len(t.Shapes))
	for range tileRounds {
		for i, size := range t.Shapes {
			share := time.Until(deadline) / time.Duration(len(t.Shapes)-i)
			if share <= 0 && t.least[0] > 0 {
				return nil
			}
			t.Kernel.Retile(slices.Clone(size))
			each, err := t.sample(ctx, max(share, 0))
			if err != nil || t.Failed {
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
func (t *Tiling) sample(ctx context.Context, most time.Duration) (float64, error) {
	tiles := t.Kernel.TileSet
	limited, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	s := &Sweep{Name: t.Name, Bound: t.Bound, Threads: t.Threads, Hands: t.Hands}
	start := time.Now()
	if err := s.Run(limited, tiles); err != nil && ctx.Err() != nil {
		return 0, ctx.Err()
	}
	if t.Failed = s.Fault != nil; t.Failed {
		return 0, nil
	}
	points := extent(tiles) - extent(s.Left)
	if points == 0 {
		start = time.Now()
		if err := t.Launch(tiles[0]); err != nil {
			t.Failed = true
			return 0, nil
		}
		points = tiles[0].Points() * int64(min(t.Threads, len(tiles))) // as all threads would have done
	}
	return time.Since(start).Seconds() / float64(points), nil
}

// extent is the points in some tiles.
func extent(tiles []region.Region) (points int64) {
	for _, t := range tiles {
		points += t.Points()
	}
	return points
}

// Choose takes the fastest shape, if it is faster than the planned one by more than noise; false where there was no time to compare.
func (t *Tiling) Choose() bool {
	if !slices.ContainsFunc(t.least[1:], func(each float64) bool { return each > 0 }) {
		return false
	}
	best := 0
	for i, each := range t.least {
		if each > 0 && each < t.least[best] {
			best = i
		}
	}
	if t.least[best] > worthChanging*t.least[0] {
		best = 0
	}
	t.chosen = best
	return true
}
