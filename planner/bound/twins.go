package bound

import (
	"slices"

	"weft/planner/plan"
)

// Twins are the arrays of this plan that another one makes by the same kernels, from the same, and keeps in the same way: by their ids, those of the
// other.
func (p *Plan) Twins(q *Plan) map[string]string {
	out := map[string]string{}
	same := func(id, other string) bool {
		a, b := p.Buffer(id), q.Buffer(other)
		switch {
		case a.Role == plan.FromSource:
			return a.SameSource(b)
		case a.Role == plan.FromPlan:
			return a.liesAs(b) && slices.Equal(a.Array.Data, b.Array.Data)
		}
		return out[id] == other
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Kernel == nil {
			continue
		}
		for j := range q.Steps {
			t := &q.Steps[j]
			if t.Kernel == nil || t.Kernel.Hash != s.Kernel.Hash || !slices.EqualFunc(s.Reads, t.Reads, same) ||
				!slices.EqualFunc(s.Writes, t.Writes, func(id, other string) bool {
					a, b := p.Buffer(id), q.Buffer(other)
					return a.Key == b.Key && a.liesAs(b)
				}) {
				continue
			}
			for k, id := range s.Writes {
				out[id] = t.Writes[k]
			}
			break
		}
	}
	return out
}

// liesAs reports whether two arrays lie in memory in the same way.
func (b *Buffer) liesAs(c *Buffer) bool {
	return b.Transposed == c.Transposed && b.Interleaved == c.Interleaved && slices.Equal(b.Box, c.Box) && b.Units == c.Units && slices.EqualFunc(b.Bufs, c.Bufs, alike)
}
