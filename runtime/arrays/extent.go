package arrays

import (
	"cmp"
	"fmt"
	"math"

	"weft/kernels/region"
	"weft/ops"
	"weft/planner/bound"
)

// Elements is how many elements there are along a dim of a size, as a step finds it; all of them where that is not counted.
func (a *Arrays) Elements(by *bound.Buffer, size int) (int, error) {
	h, err := a.Host(by.ID)
	if err != nil {
		return size, err
	}
	return int(min(float64(size), max(0, h.Float(0)))), nil
}

// Extent is the part of a kernel's domain that there is.
func (a *Arrays) Extent(step *bound.Step) (region.Region, error) {
	over, by := step.Kernel.IR.Domain(), a.plan.CountsOf(step)
	for i, b := range by {
		if b == nil {
			continue
		}
		n, err := a.Elements(b, over[i].Hi)
		if err != nil {
			return nil, err
		}
		over[i].Hi = n
	}
	return over, nil
}

// Found finds how much memory those arrays take that a step makes, of which it was not known while planning how many elements they have, and which has most; those that it was
// found of before, and what is counted in the pass under way, left out.
func (a *Arrays) Found(step *bound.Step) (asked int64, largest string, err error) {
	most := int64(0)
	for _, id := range step.Writes {
		b := a.ByID[id]
		if _, asked := a.Sizes[id]; asked || !b.Counted() || a.There(id) {
			continue
		}
		there, room := 1, 1
		for _, d := range b.Layout.Dims {
			if by := a.plan.Count(d, step); by != nil {
				if !a.There(by.ID) {
					return asked, largest, nil
				}
				n, err := a.Elements(by, d.Size)
				if err != nil {
					return asked, largest, err
				}
				there, room = there*n, room*max(1, d.Size)
			}
		}
		bytes := int64(math.Ceil(float64(b.Bytes) * float64(there) / float64(room)))
		if a.Sizes[id], asked = bytes, asked+bytes; bytes >= most {
			most, largest = bytes, fmt.Sprintf("%s has %d elements", cmp.Or(b.Label, b.Stage), there)
		}
	}
	return asked, largest, nil
}

// Part is the part of an array that there is when a step takes it.
func (a *Arrays) Part(h ops.HostArray, step *bound.Step) (ops.HostArray, error) {
	at, all := h.Type.Whole(), h.Type.Whole()
	for i, d := range h.Type.Dims {
		if b := a.plan.Count(d, step); b != nil {
			n, err := a.Elements(b, d.Size)
			if err != nil {
				return h, err
			}
			at[i].Hi = n
		}
	}
	if at.Equal(all) {
		return h, nil
	}
	if len(at) > 0 && at[1:].Equal(all[1:]) { // it lies in one piece
		return h.Sub(at), nil
	}
	return h.Cut(at), nil
}
