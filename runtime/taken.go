package runtime

import (
	"slices"

	"weft/planner/bound"
)

// take finds the steps of a program that do the same in every call and need not be done here: what they store is there, made by the same kernels of
// the run around the drive, or of a program that was called before; or nobody needs it then.
func (d *drive) take(p *program) {
	if p.plan.Stream != nil || d.rounds.Rounds != nil {
		return
	}
	p.taken = map[string]bool{}
	from := []*run{d.run}
	for _, q := range d.programs {
		if q != p {
			from = append(from, q.run)
		}
	}
	steps := p.plan.Steps
	for _, q := range from {
		if q.plan.Stream != nil {
			continue
		}
		twins := p.plan.Twins(q.plan)
		for _, s := range steps {
			there := func(id string) bool {
				return twins[id] != "" && q.made[twins[id]] && q.arrays.There(twins[id]) && !q.passes(twins[id]) && !p.passes(id)
			}
			if p.again(&s) || s.Kernel == nil || p.taken[s.ID] || slices.ContainsFunc(s.Writes, func(id string) bool { return !there(id) }) {
				continue
			}
			p.taken[s.ID] = true
			for _, id := range s.Writes {
				p.borrow(id, q, twins[id])
			}
		}
	}
	for i := len(steps) - 1; i >= 0; i-- {
		if s := &steps[i]; !p.again(s) && !slices.ContainsFunc(s.Writes, p.needed) {
			p.taken[s.ID] = true
		}
	}
}

// passes reports whether an array is of a state, whose memory holds another in the next call.
func (r *run) passes(id string) bool {
	return r.program != nil && (slices.Contains(r.program.Now, id) || slices.Contains(r.program.Next, id))
}

// needed reports whether a step reads an array that is not taken over itself, or a state does.
func (p *program) needed(id string) bool {
	return slices.Contains(p.Next, id) || slices.ContainsFunc(p.plan.Steps, func(s bound.Step) bool { return !p.taken[s.ID] && slices.Contains(s.Reads, id) })
}

// borrow makes an array that of another run.
func (p *program) borrow(id string, q *run, other string) {
	to, of := p.arrays.ByID[id], q.arrays.ByID[other]
	for i, part := range to.Bufs {
		p.arrays.Memory[part] = q.arrays.Memory[of.Bufs[i]]
	}
	p.arrays.Lent[id], p.made[id] = true, true
	if q.doubt[other] {
		p.doubt[id] = true
	}
}
