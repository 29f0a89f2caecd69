package blocks

import (
	"slices"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/planner/bound"
	"weft/planner/plan"
)

// page is the least that memory comes in, and manyPages are those of the shortest rows that are cut where pages begin: a part of a row that begins anywhere
// takes up to a page more than it holds, which is no less than what a whole page takes.
const (
	page      = 4 << 10
	manyPages = 2
)

// toPages has the long rows of arrays that come in strips end with pages, and returns what takes that back. A strip that begins and ends with pages takes
// no memory beside what it holds: where rows begin anywhere, each piece of one takes parts of two more.
func (f *flow) toPages() (undo func()) {
	was, stays := map[*ir.Buffer]ir.Pad{}, map[*bound.Buffer]bool{}
	for _, u := range f.units {
		switch u.step.Kind {
		case plan.DriveStep: // its programs were planned for arrays as they lie
			for _, b := range slices.Concat(u.reads, u.makes) {
				stays[b] = true
			}
		case plan.KernelStep:
			for b, at := range f.probe(u) {
				if last := len(at) - 1; last > 0 && at[last].Len() == b.Layout.Dims[last].Size { // rows come whole, and many at a time if they lie side by side
					stays[b] = true
				}
			}
		}
	}
	for i := range f.plan.Buffers {
		b := &f.plan.Buffers[i]
		if f.kept[b] != "" || stays[b] || len(b.Layout.Dims) < 2 || b.Role != plan.FromSource && b.Role != plan.FromKernel {
			continue
		}
		for _, part := range b.Bufs {
			size := part.Type.Size()
			if row := part.Row() * size; row%page != 0 && row%size == 0 && row >= manyPages*page {
				was[part] = part.Pad
				part.Pad.After += (page - row%page) / size
			}
		}
	}
	f.rewrite(was)
	return func() {
		for part, pad := range was {
			part.Pad = pad
		}
		f.rewrite(was)
	}
}

// rewrite has the plan say how arrays lie of which some parts lie otherwise now, and what kernels of them are.
func (f *flow) rewrite(changed map[*ir.Buffer]ir.Pad) {
	other := func(b *bound.Buffer) bool {
		return slices.ContainsFunc(b.Bufs, func(part *ir.Buffer) bool { _, ok := changed[part]; return ok })
	}
	for i := range f.plan.Buffers {
		if b := &f.plan.Buffers[i]; other(b) {
			b.Measure()
		}
	}
	for _, u := range f.units {
		if k := u.step.Kernel; k != nil && slices.ContainsFunc(slices.Concat(u.reads, u.makes), other) {
			k.Write()
			k.Predict()
		}
	}
}

// ends is what each piece of a region takes where it begins and ends within pages.
func ends(part *ir.Buffer, at region.Region) int64 {
	for from, to := range ops.ByteRanges(part, at) {
		if from%page == 0 && to%page == 0 && part.Row()*part.Type.Size()%page == 0 {
			return 0
		}
		break
	}
	return page
}
