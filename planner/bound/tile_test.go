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
