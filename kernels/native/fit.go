package native

import (
	"weft/kernels/codegen/c"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// What a launch packs of its operands, it packs for all points of a chunk. Chunks are as large as is fast on one thread: for a product of 4,000 x 4,000 in
// float64 that takes 22 MiB, which each of many threads would take. So they are made smaller where all threads together would take more than they may.
const (
	chunkEighths = 8   // chunks become smaller by an eighth of what they were
	leastWhole   = 4   // eighths of points whose operands are packed whole: with half of them, 2,500 x 2,500 in float64 take 4 % longer
	sliceTurns   = 128 // turns for which operands are packed at a time then, and
	slicePoints  = 512 // points of either axis: with 5/8 of these, which take 2 MiB, those products take 10 % longer
)

// fits reports whether launches of a variant, on all threads, take no more than they may.
func (d *Device) fits(v *variant) bool { return d.each == 0 || int64(v.out.Scratch) <= d.each }

// fitting renders a schedule whose launches take no more than they may: in smaller chunks, where they would. What a kernel computes is the same in all of them.
// Where none is small enough it is the smallest, of which fewer launches run at once.
func (d *Device) fitting(k *ir.Kernel, s schedule.CPU) (*variant, error) {
	v, err := d.render(k, s, c.Way{})
	if err != nil || d.fits(v) {
		return v, err
	}
	for _, less := range smaller(k, s) {
		if !schedule.AddsAlike(k, d.target, less) {
			continue
		}
		if w, err := d.render(k, less, c.Way{}); err == nil && w.out.Scratch < v.out.Scratch {
			if v = w; d.fits(v) {
				break
			}
		}
	}
	return v, nil
}

// smaller are schedules with smaller chunks, the fastest first: what is packed for fewer points, and then for a slice of the turns.
func smaller(k *ir.Kernel, s schedule.CPU) (out []schedule.CPU) {
	for n := chunkEighths - 1; n >= leastWhole; n-- {
		less := s
		less.Chunk = chunks(s, func(i int, of schedule.AxisN) int {
			if i > 0 {
				return of.N
			}
			return of.N * n / chunkEighths
		})
		out = append(out, less)
	}
	for n := chunkEighths; n > 0; n-- {
		less := s
		if less.Split = min(s.Split, sliceTurns); s.AccBlock > 0 {
			less.Split = min(s.Split, s.AccBlock)
		}
		less.Chunk = chunks(s, func(_ int, of schedule.AxisN) int {
			extent, most := k.Axes[of.Axis].Extent, slicePoints*n/chunkEighths
			return extent / ((extent + most - 1) / most)
		})
		out = append(out, less)
	}
	return out
}

// chunks are those of a schedule with so many points along an axis, in whole steps.
func chunks(s schedule.CPU, points func(int, schedule.AxisN) int) []schedule.AxisN {
	out := make([]schedule.AxisN, len(s.Chunk))
	for i, of := range s.Chunk {
		step := s.Step(of.Axis)
		out[i] = schedule.AxisN{Axis: of.Axis, N: max(step, points(i, of)/step*step)}
	}
	return out
}
