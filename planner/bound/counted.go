package bound

import (
	"slices"

	"weft/ops"
	"weft/planner/plan"
)

// Counted reports whether there are arrays of which it is known only when they are computed how many elements there are.
func (p *Plan) Counted() bool {
	return slices.ContainsFunc(p.Buffers, func(b Buffer) bool {
		return slices.ContainsFunc(b.Layout.Dims, func(d ops.Dim) bool { return d.Count != nil })
	})
}

// Count is where it stands how many elements there are along a dim; nil: there are all, or it is not known before a step.
func (p *Plan) Count(d ops.Dim, before *Step) *Buffer {
	if d.Count == nil {
		return nil
	}
	i := slices.IndexFunc(p.Buffers, func(b Buffer) bool { return b.Array == p.Graph.Counts[*d.Count] })
	if i < 0 {
		return nil
	}
	b := &p.Buffers[i]
	known := b.Role == plan.FromPlan
	for j := range p.Steps {
		s := &p.Steps[j]
		if s.ID == before.ID {
			break
		}
		known = known || slices.Contains(s.Writes, b.ID)
	}
	if !known {
		return nil
	}
	return b
}

// CountsOf is, for each axis of a step's kernel, where it stands how far there are points; nil: they are all there, as in
// plans that count nothing.
func (p *Plan) CountsOf(s *Step) []*Buffer {
	if !p.Counted() {
		return nil
	}
	k := s.Kernel.IR
	out := make([]*Buffer, len(k.Axes))
	for i, a := range k.Axes {
		if !k.Pointwise() && (i > 0 || !k.Rowwise()) {
			continue
		}
		for j, id := range s.Writes {
			t := p.Buffer(id).Layout
			var by *Buffer
			if d := t.Dim(a.Name); d >= 0 {
				by = p.Count(t.Dims[d], s)
			}
			if by == nil || j > 0 && by != out[i] {
				out[i] = nil
				break
			}
			out[i] = by
		}
	}
	return out
}

// counts are where it stands how many elements there are of what a step reads and stores.
func (p *Plan) counts(s *Step) (ids []string) {
	for _, id := range slices.Concat(s.Reads, s.Writes) {
		for _, d := range p.Buffer(id).Layout.Dims {
			if b := p.Count(d, s); b != nil {
				ids = append(ids, b.ID)
			}
		}
	}
	return ids
}

// Needs are the arrays that must be there for a step.
func (p *Plan) Needs(s *Step) []string { return slices.Concat(s.Reads, s.Writes, p.counts(s)) }
