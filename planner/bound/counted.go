package bound

import (
	"slices"

	"weft/ops"
	"weft/planner/cost"
	"weft/planner/plan"
)

// Counted reports whether there are arrays of which it is known only when they are computed how many elements there are.
func (p *Plan) Counted() bool {
	return slices.ContainsFunc(p.Buffers, func(b Buffer) bool { return b.Counted() })
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
	known := b.Role == plan.FromPlan || b.Role == plan.FromAround
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

// Starts is where it stands where what each point of the axes of a step's kernel stores begins, one after the other; nil: that is not told.
func (p *Plan) Starts(s *Step) (out *Buffer) {
	for i, root := range s.Kernel.Roots {
		if root.Put == nil || root.Put.Starts == nil || i > 0 && root.Put.Starts != s.Kernel.Roots[0].Put.Starts {
			return nil
		}
		at := slices.IndexFunc(p.Buffers, func(b Buffer) bool { return b.Array == root.Put.Starts })
		if at < 0 || !slices.Contains(s.Reads, p.Buffers[at].ID) {
			return nil
		}
		out = &p.Buffers[at]
	}
	return out
}

// Counted reports whether it is known only in a run how many elements there are.
func (b *Buffer) Counted() bool {
	return slices.ContainsFunc(b.Layout.Dims, func(d ops.Dim) bool { return d.Count != nil })
}

// Known are the bytes of an array as far as they are known while planning.
func (b *Buffer) Known() int64 {
	if b.Counted() {
		return 0
	}
	return b.Bytes
}

// PeakFrom is the most memory that is alive at once from a step on, and at which step that is. Arrays whose elements are counted when it runs are no part of it
// where their memory is asked for then.
func (p *Plan) PeakFrom(first int) (most int64, at string) {
	alive := int64(0)
	bytes := map[string]int64{}
	for i := range p.Steps {
		s := &p.Steps[i]
		for _, id := range slices.Concat(s.Reads, s.Writes) {
			b := p.Buffer(id)
			if b.Role == plan.FromAround || bytes[id] != 0 {
				continue
			}
			if bytes[id] = b.Bytes; p.Totals.Later {
				bytes[id] = b.Known()
			}
			if c := p.ChainOf(s.ID); c != nil && slices.Contains(c.Inside, id) {
				bytes[id] = b.Bytes / int64(max(1, b.Layout.RowCount())) * int64(c.Rows)
			}
			alive += bytes[id]
		}
		if takes := alive + s.Takes(); i >= first && takes > most {
			most, at = takes, s.ID
		}
		for _, id := range s.Frees {
			alive -= bytes[id]
		}
	}
	return most, at
}

// Needs are the arrays that must be there for a step.
func (p *Plan) Needs(s *Step) []string { return slices.Concat(s.Reads, s.Writes, p.counts(s)) }

// Told is a step's kernel with figures of what it moves and computes, and of the time it was to take, that go by how many elements there are, as elements
// finds them; the kernel itself where it is known while planning.
func (p *Plan) Told(s *Step, elements func(by *Buffer, size int) (int, error)) (*Kernel, error) {
	counted := ops.Counted{}
	for _, id := range slices.Concat(s.Reads, s.Writes) {
		for _, d := range p.Buffer(id).Array.Type.Dims {
			by := p.Count(d, s)
			if by == nil || d.Size == 0 {
				continue
			}
			n, err := elements(by, d.Size)
			if err != nil {
				return nil, err
			}
			counted[*d.Count] = float64(n) / float64(d.Size)
		}
	}
	if len(counted) == 0 {
		return s.Kernel, nil
	}
	k := *s.Kernel
	p.tell(&k, s, counted)
	return &k, nil
}

// tell has the figures of a step's kernel go by how much there is of what is counted.
func (p *Plan) tell(k *Kernel, s *Step, counted ops.Counted) {
	k.counted, k.told, k.work, k.In, k.Out = counted, cost.Told{}, nil, nil, nil
	for _, id := range s.Reads {
		b := p.Buffer(id)
		k.In = append(k.In, cost.ArrayOf(b.Array, b.Bufs, counted))
		for a, share := range counted {
			if a.Of != b.Array.Op {
				continue
			}
			for _, part := range b.Bufs {
				if part.Facts.Likely > 0 {
					k.told[part] = share
				}
			}
		}
	}
	for _, id := range s.Writes {
		b := p.Buffer(id)
		k.Out = append(k.Out, cost.ArrayOf(b.Array, b.Bufs, counted))
	}
	k.count()
	k.Predict()
}

// Counted are the shares that the kernel's figures go by, of the most there can be of what is counted when it runs; none: they are guessed.
func (k *Kernel) Counted() ops.Counted { return k.counted }

// Recall has predictions go by how much there was of what is counted, as it is known from earlier runs by the identity of what counts it. What was
// decided stays: no choice depends on earlier runs.
func (p *Plan) Recall(share func(identity string) (float64, bool)) {
	known := ops.Counted{}
	for a, s := range p.Graph.Counts {
		if x, ok := share(p.CountedBy(s)); ok {
			known[a] = x
		}
	}
	if len(known) > 0 {
		p.recall(known)
		p.Distances()
		p.SumPredictions()
	}
}

func (p *Plan) recall(known ops.Counted) {
	for i := range p.Steps {
		s, counted := &p.Steps[i], ops.Counted{}
		for _, program := range s.Programs {
			program.recall(known)
		}
		if s.Kernel == nil {
			continue
		}
		for _, id := range slices.Concat(s.Reads, s.Writes) {
			for _, d := range p.Buffer(id).Array.Type.Dims {
				if d.Count == nil {
					continue
				}
				if x, ok := known[*d.Count]; ok {
					counted[*d.Count] = x
				}
			}
		}
		if len(counted) > 0 {
			p.tell(s.Kernel, s, counted)
		}
	}
}
