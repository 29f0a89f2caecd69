package bound

import (
	"testing"

	"weft/kernels/ir"
)

func TestTilesCoverEveryPointOnce(t *testing.T) {
	b := ir.NewBuilder()
	for _, ext := range [][]int{{1}, {7}, {64, 64, 128}, {5, 3, 1}, {1, 1000}, {}} {
		k := &ir.Kernel{}
		var step []int
		points := int64(1)
		for i, e := range ext {
			k.Axes = append(k.Axes, b.Axis("a", e))
			step = append(step, 4>>i+1)
			points *= int64(e)
		}
		tiles := cover(axesOf(k), cut(axesOf(k), nil, step, 1, 2), step)
		var sum int64
		for _, tl := range tiles {
			sum += tl.Points()
			for i, r := range tl {
				if r.Lo%step[i] != 0 || r.Hi%step[i] != 0 && r.Hi != ext[i] {
					t.Errorf("extents %v: tile %v is off the step %v", ext, tl, step)
				}
				if r.Hi-r.Lo < min(step[i], ext[i]) {
					t.Errorf("extents %v: tile %v is shorter than the step %v", ext, tl, step)
				}
			}
		}
		if sum != points {
			t.Errorf("extents %v: tiles hold %d points, want %d", ext, sum, points)
		}
	}
}

// Threads have tiles, though the code would like fewer and larger ones; short parts, and what takes no time, are not cut.
func TestCoarseStepsAreHalvedForThreads(t *testing.T) {
	b := ir.NewBuilder()
	for _, c := range []struct {
		extent, step []int
		seconds      float64
		threads      int
		want         int
	}{
		{[]int{1000, 1000}, []int{496, 240}, 0.01, 2, 8},
		{[]int{128, 128}, []int{52, 64}, 2.5e-4, 2, 4},
		{[]int{2000}, []int{992}, 0.01, 2, 4},
		{[]int{2000}, []int{992}, 0.01, 7, 14},
		{[]int{2000}, []int{992}, 1e-4, 7, 7},
		{[]int{2000}, []int{992}, 9e-5, 7, 1},
		{[]int{40, 120}, []int{40, 120}, 0.01, 8, 1},
		{[]int{304, 1280}, []int{490, 480}, 0.08, 2, 4}, // along the longer axis, and none of 800 beside one of 480
	} {
		k := &ir.Kernel{}
		for _, e := range c.extent {
			k.Axes = append(k.Axes, b.Axis("a", e))
		}
		tiles := cover(axesOf(k), cut(axesOf(k), nil, c.step, c.seconds, c.threads), c.step)
		if len(tiles) != c.want {
			t.Errorf("%v in steps of %v on %d threads: %d tiles, want %d: %v", c.extent, c.step, c.threads, len(tiles), c.want, tiles)
		}
		for _, tile := range tiles {
			if 3*tile.Points() < tiles[0].Points() || 2*tiles[0].Points() < tile.Points() {
				t.Errorf("%v is a sliver beside %v", tile, tiles[0])
			}
		}
	}
}

// Few tiles are cut finer where threads would wait for each other, if they stay long enough and wait less then.
func TestFewTilesAreEven(t *testing.T) {
	b := ir.NewBuilder()
	for _, c := range []struct {
		extent  []int
		seconds float64
		want    int
	}{
		{[]int{5, 5, 5}, 2.8e-4, 6},
		{[]int{5, 5, 5}, 1.5e-4, 6},
		{[]int{5, 5, 5}, 5e-5, 1},
		{[]int{4, 5, 5}, 2.8e-4, 2},
		{[]int{3}, 2.8e-4, 2},
	} {
		k := &ir.Kernel{}
		for _, e := range c.extent {
			k.Axes = append(k.Axes, b.Axis("a", e))
		}
		tiles := cover(axesOf(k), cut(axesOf(k), nil, nil, c.seconds, 2), nil)
		if waits := idle(tiles, 2); len(tiles) != c.want || c.want > 2 && waits > idleShare {
			t.Errorf("%v, %g s: %d tiles, want %d; %.3g idle", c.extent, c.seconds, len(tiles), c.want, waits)
		}
	}
}
