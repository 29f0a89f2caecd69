package fleet

import (
	"slices"

	"weft/kernels/ir"
	"weft/kernels/region"
)

// home is the part of a job for which the device holds the largest input that has an index for each of the kernel's, or for each block of the first of them.
func (m *Member) home(j *Job) (home region.Set) {
	var largest int64
	for _, a := range j.Reads {
		r, axes, block := m.replica(a.Buf), 0, j.blocks(a.Buf)
		for axes < min(len(j.Over), len(a.Buf.Shape)) && a.Buf.Shape[axes] == j.Kernel.Axes[axes].Extent {
			axes++
		}
		if block > 1 {
			axes = 1
		}
		if r == nil || axes == 0 || a.size() <= largest {
			continue
		}
		largest, home = a.size(), nil
		r.mu.Lock()
		for _, at := range r.valid {
			box := slices.Clone(j.Over)
			copy(box, at[:axes])
			box[0] = region.Interval{Lo: block * box[0].Lo, Hi: block * box[0].Hi}
			home = home.With(box.Intersect(j.Over))
		}
		r.mu.Unlock()
	}
	return home
}

// blocks is of how many points along a job's first axis an input has an index.
func (j *Job) blocks(b *ir.Buffer) int {
	n := 1
	j.Kernel.Walk(func(x *ir.Node) {
		if x.Kind == ir.KLoad && x.Buf == b && len(b.Shape) > 0 && len(j.Kernel.Axes) > 0 {
			if op, by := x.Index()[0].InBlocks(j.Kernel.Axes[0]); op == ir.Div && by > 0 {
				n = int(by)
			}
		}
	})
	return n
}
