package runtime

import (
	"slices"
	"sync/atomic"

	"weft/kernels/device"
	"weft/planner/bound"
)

// prefault gives what a kernel stores, and what its launches need for themselves, its pages while the source before it is read: a source
// keeps one processor busy, and the first touch of new pages is a large part of a short kernel's time. The memory is alive at the same time
// anyway, when the kernel runs. The function that is returned ends it.
func (r *run) prefault(source *bound.Step) (stop func(), err error) {
	next := r.after(source)
	if next == nil || next.Kernel == nil || !next.Kernel.Prefault || len(next.Kernel.Place.Devices) > 0 {
		return func() {}, nil
	}
	var pages [][]byte
	for _, id := range next.Writes {
		if err := r.arrays.Need(id); err != nil {
			return nil, err
		}
		for _, part := range r.arrays.ByID[id].In(r.arrays.Memory).Parts {
			pages = append(pages, part.Data)
		}
	}
	var ended atomic.Bool
	populating := beside(func() error {
		for _, data := range pages {
			device.Populate(data, ended.Load)
		}
		if p, ok := r.opt.Programs.Of(next.Kernel).(device.Preparing); ok {
			return p.Prepare(min(r.opt.Threads, len(next.Kernel.TileSet)), ended.Load)
		}
		return nil
	})
	return func() {
		ended.Store(true)
		_ = populating.wait() // what has no memory now says so when it is launched
	}, nil
}

// after is the step that follows another one.
func (r *run) after(step *bound.Step) *bound.Step {
	if i := slices.IndexFunc(r.plan.Steps, func(s bound.Step) bool { return s.ID == step.ID }) + 1; i < len(r.plan.Steps) {
		return &r.plan.Steps[i]
	}
	return nil
}
