package runtime

import (
	"slices"
	"sync/atomic"

	"weft/kernels/device"
	"weft/planner/bound"
	"weft/planner/plan"
)

// prefault gives what a kernel stores, and what its launches need for themselves, its pages while the sources before it are read: a source
// keeps one processor busy, and the first touch of new pages is a large part of a short kernel's time. The memory is alive at the same time
// anyway, when the kernel runs. The function that is returned ends it; with the next source it goes on, as what has pages is passed quickly.
func (r *run) prefault(source *bound.Step) (stop func(), err error) {
	next := r.behindSources(source)
	counted := func(id string) bool { return r.arrays.ByID[id].Counted() } // it is not known yet how much there is
	if next == nil || slices.ContainsFunc(next.Writes, counted) || next.Kernel == nil || !next.Kernel.Prefault || len(next.Kernel.Place.Devices) > 0 {
		return func() {}, nil
	}
	var pages [][]byte
	if err := r.need(next); err != nil {
		return nil, err
	}
	for _, id := range next.Writes {
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

// behindSources is the step that follows a source and those that are read right behind it.
func (r *run) behindSources(source *bound.Step) *bound.Step {
	at := slices.IndexFunc(r.plan.Steps, func(s bound.Step) bool { return s.ID == source.ID })
	for i := at + 1; i < len(r.plan.Steps); i++ {
		if r.plan.Steps[i].Kind != plan.ReadStep {
			return &r.plan.Steps[i]
		}
	}
	return nil
}
