// Package draw draws schedules at random, for tests of devices.
package draw

import (
	"math/rand/v2"
	"slices"

	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// CUDA draws a schedule that a kernel has.
func CUDA(rng *rand.Rand, k *ir.Kernel) schedule.CUDA {
	for range 20 {
		s := schedule.CUDA{AccMajor: rng.IntN(2) == 0, AccBlock: rng.IntN(3) * 8, Every: rng.IntN(6), Skip: rng.IntN(2) == 0, Vote: rng.IntN(3) == 0}
		order := rng.Perm(len(k.Axes))
		for _, a := range order[:min(len(order), rng.IntN(4))] {
			s.Block = append(s.Block, schedule.AxisN{Axis: a, N: []int{1, 2, 3, 4, 8, 17, 32}[rng.IntN(7)]})
		}
		for _, a := range order[:min(len(order), rng.IntN(3))] {
			s.Unroll = append(s.Unroll, schedule.AxisN{Axis: a, N: 2 + rng.IntN(2)})
		}
		if len(s.Block) > 0 && rng.IntN(2) == 0 {
			s.Together = true
			s.Unroll = append(slices.DeleteFunc(s.Unroll, func(u schedule.AxisN) bool { return u.Axis == s.Block[0].Axis }), schedule.AxisN{Axis: s.Block[0].Axis, N: []int{2, 4, 8, 16}[rng.IntN(4)]})
		}
		switch rng.IntN(5) {
		case 0:
			s.Fold, s.Unroll = 32, nil
		case 1:
			s.Fold, s.Unroll, s.Block = 32*(1+rng.IntN(4)), nil, nil
		}
		if s.Check(k) == nil {
			if c := s.WithSharedTiles(k, 0, 40<<10); rng.IntN(3) == 0 && c.Check(k) == nil {
				return c
			}
			return s
		}
	}
	return schedule.CUDA{}
}
