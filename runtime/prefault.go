package runtime

import (
	"slices"

	"weft/kernels/device"
	"weft/planner/bound"
	"weft/planner/plan"
	"weft/runtime/exec"
)

// prefault gives what a kernel stores, and what its launches need for themselves, its pages while the sources before it are read: a source
// keeps one processor busy, and the first touch of new pages is a large part of a short kernel's time. The memory is alive at the same time
// anyway, when the kernel runs. The function that is returned ends it; with the next source it goes on, as what has pages is passed quickly.
func (r *run) prefault(source *bound.Step) (stop func(), err error) {
	next, err := r.behindSources(source)
	counted := func(id string) bool { return r.arrays.ByID[id].Counted() } // it is not known yet how much there is
	if err != nil || len(next) == 0 || next[0].Kernel == nil || !next[0].Kernel.Prefault || len(next[0].Kernel.Place.Devices) > 0 {
		return func() {}, err
	}
	var pages [][]byte
	for i := range next {
		if slices.ContainsFunc(next[i].Writes, counted) {
			return func() {}, nil
		}
		if err := r.need(&next[i]); err != nil {
			return nil, err
		}
		for _, id := range next[i].Writes {
			pages = append(pages, r.arrays.Held(id)...)
		}
	}
	var prepare []func(ended func() bool) error
	for _, s := range next {
		if p, ok := r.opt.Programs.Of(s.Kernel).(device.Preparing); ok {
			prepare = append(prepare, func(ended func() bool) error { return p.Prepare(min(r.opt.Threads, len(s.Kernel.TileSet)), ended) })
		}
	}
	return exec.Populate(pages, prepare), nil
}

// behindSources are the steps that follow a source and those that are read right behind it, as many as run together. What slides has its memory then.
func (r *run) behindSources(source *bound.Step) ([]bound.Step, error) {
	at := slices.IndexFunc(r.plan.Steps, func(s bound.Step) bool { return s.ID == source.ID })
	for i := at + 1; i < len(r.plan.Steps); i++ {
		if r.plan.Steps[i].Kind == plan.ReadStep {
			continue
		}
		c, cuts := r.chained(&r.plan.Steps[i])
		if cuts == nil {
			return r.plan.Steps[i : i+1], nil
		}
		_, err := r.slide(c, cuts)
		return r.chain(c), err
	}
	return nil, nil
}
