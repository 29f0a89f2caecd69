package audit

import (
	"context"
	"slices"

	"weft/kernels/device"
	"weft/kernels/enclose"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/planner/bounds"
)

// Effort is what a second look may take.
type Effort struct {
	Mem     map[*ir.Buffer]device.Memory
	Threads int
	Left    float64 // operations
}

// Given looks once more at elements that nothing explains, by the same stages' definition r that takes what their kernel read as it was stored.
// Where they agree with that, and each element that they were made from is right by itself, what follows from a tie in a stored array, or is made
// of its last digits by a steep function, is as it should be. Of what is wrong nothing is explained. The samples are those at the points; right
// reports whether elements of a stored stage are what they should be.
func (r *Reference) Given(
	ctx context.Context, samples []Sample, points [][]int, by *Effort, right func(s *ops.Stage, at [][]int) (bool, error),
) error {
	numbers, few := open(samples, points)
	if by.Left -= r.Cost * float64(len(few)); by.Left < 0 || len(few) == 0 {
		return nil
	}
	want, err := r.Eval(ctx, few, by.Mem, by.Threads)
	if err != nil {
		return err
	}
	again := make([]Sample, len(samples))
	elements := make([][]int, len(samples))
	for i, s := range samples {
		elements[i] = s.of(numbers, points)
		again[i] = s.Only(elements[i])
		again[i].Want = want[i]
	}
	r.Settle(again, few, by.Mem)
	for i, s := range again {
		for j, e := range elements[i] {
			if !samples[i].Holds(e) && !s.Holds(j) {
				return nil
			}
		}
	}
	made, ok := r.reads(few, by)
	if !ok {
		return nil
	}
	for s, at := range made {
		if ok, err := right(s, at); err != nil || !ok {
			return err
		}
	}
	for i := range samples {
		for _, e := range elements[i] {
			if !samples[i].Holds(e) {
				samples[i].Rounded = append(samples[i].Rounded, e)
			}
		}
	}
	return nil
}

// reads are the elements of stored stages that some points are made from: those that are read on the way where that is known, else all of a
// region that holds them; ok is false where these are more than there is time for.
func (r *Reference) reads(points [][]int, by *Effort) (out map[*ops.Stage][][]int, ok bool) {
	out = map[*ops.Stage][][]int{}
	seen := map[*ops.Stage]map[int]bool{}
	take := func(b *ir.Buffer, index []int) {
		s := r.Loads[b]
		if s == nil || s.Data != nil {
			return
		}
		if seen[s] == nil {
			seen[s] = map[int]bool{}
		}
		if flat := Flat(index, b.Shape); !seen[s][flat] {
			seen[s][flat] = true
			out[s] = append(out[s], slices.Clone(index))
		}
	}
	load := r.loader(by.Mem)
	kernel := enclose.New(r.Kernel, func(b *ir.Buffer, index []int) (ir.Interval, error) {
		take(b, index)
		return load(b, index)
	})
	needed := bounds.Needed(r.Kernel)
	for _, p := range points {
		if _, _, ok := kernel.At(p, tieWork); ok {
			continue
		}
		for b, over := range needed.Of(region.Point(p)) {
			if by.Left -= float64(over.Points()); by.Left < 0 {
				return nil, false
			}
			for flat := range int(over.Points()) {
				take(b, PointOf(flat, over))
			}
		}
	}
	return out, true
}
