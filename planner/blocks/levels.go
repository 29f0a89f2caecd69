package blocks

import (
	"slices"

	"weft/ops"
	"weft/planner/bound"
	"weft/planner/plan"
)

// levels finds the first pass in which each step can run, behind those that make what it needs as a whole, and the last one in which what it makes by
// blocks is made again.
func (f *flow) levels() {
	for _, u := range f.units {
		if later, ok := u.bound().(ops.Later); ok {
			for _, by := range f.units {
				if by.step.Kind == plan.SinkStep && later.After(by.step.Op.Bound) {
					u.level = max(u.level, by.level+1)
				}
			}
		}
		for _, b := range u.reads {
			m := f.maker[b]
			if m == nil {
				continue
			}
			l := m.level
			if f.late[b] && f.computes(m) {
				l++
			}
			u.level = max(u.level, l)
		}
	}
	for _, u := range slices.Backward(f.units) {
		u.last = u.level
		for _, by := range f.units {
			if slices.ContainsFunc(u.makes, func(b *bound.Buffer) bool { return f.kept[b] == "" && slices.Contains(by.reads, b) }) {
				u.last = max(u.last, by.last)
			}
		}
	}
}

// bound is what a step's operator is; nil: it has none.
func (u *unit) bound() ops.Op {
	if u.step.Op == nil {
		return nil
	}
	return u.step.Op.Bound
}

// computes reports whether a step makes what it does block by block.
func (f *flow) computes(u *unit) bool { return u.step.Kind == plan.KernelStep || f.objects[u] > 0 }

// wanted reports whether a later pass, or a sink of this one, reads a kept array.
func (f *flow) wanted(b *bound.Buffer, maker *unit) bool {
	for _, u := range f.units {
		if slices.Contains(u.reads, b) && (u.last > maker.level || u.step.Kind == plan.SinkStep) {
			return true
		}
	}
	return false
}
