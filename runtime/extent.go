package runtime

import (
	"weft/kernels/region"
	"weft/ops"
	"weft/planner/bound"
)

// elements is how many elements there are along a dim of a size, as a step finds it; all of them where that is not counted.
func (r *run) elements(by *bound.Buffer, size int) (int, error) {
	h, err := r.arrays.Host(by.ID)
	if err != nil {
		return size, err
	}
	return int(min(float64(size), max(0, h.Float(0)))), nil
}

// extent is the part of a kernel's domain that there is.
func (r *run) extent(step *bound.Step) (region.Region, error) {
	over, by := step.Kernel.IR.Domain(), r.plan.CountsOf(step)
	for i, b := range by {
		if b == nil {
			continue
		}
		n, err := r.elements(b, over[i].Hi)
		if err != nil {
			return nil, err
		}
		over[i].Hi = n
	}
	return over, nil
}

// stores is what a kernel stores of a region of its axes, as far as that is there.
func (r *run) stores(step *bound.Step, over region.Region) (region.Region, error) {
	at := step.Kernel.Elements(over)
	for i, d := range step.Kernel.Roots[0].Type.Dims {
		if b := r.plan.Count(d, step); b != nil {
			n, err := r.elements(b, d.Size)
			if err != nil {
				return nil, err
			}
			at[i].Hi = min(at[i].Hi, n)
		}
	}
	return at, nil
}

// there is the part of an array that there is when a step takes it.
func (r *run) there(h ops.HostArray, step *bound.Step) (ops.HostArray, error) {
	at, all := h.Type.Whole(), h.Type.Whole()
	for i, d := range h.Type.Dims {
		if b := r.plan.Count(d, step); b != nil {
			n, err := r.elements(b, d.Size)
			if err != nil {
				return h, err
			}
			at[i].Hi = n
		}
	}
	if at.Equal(all) {
		return h, nil
	}
	out, row := ops.NewHostArray(h.Type.Sub(at)), 0
	for piece := range ops.Pieces(at, h.Type.Shape()) {
		from := h.Sub(piece)
		for i, p := range from.Parts {
			for k := range p.Rows() {
				copy(out.Parts[i].Row(row+k), p.Row(k))
			}
		}
		row += from.Parts[0].Rows()
	}
	return out, nil
}
