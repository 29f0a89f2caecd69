package blocks

import (
	"slices"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/planner/bound"
	"weft/planner/bounds"
	"weft/planner/plan"
)

// dim is that of the objects which a chain is made for a few at a time, wherever they stand; empty: it goes by rows.
func (c *chain) dim() string {
	if c.turns == nil {
		return ""
	}
	return c.turns.Dim
}

// takesObjects reports whether a kernel may be of a chain that is made for a few objects at a time: it makes what it does for each of them, from what was made
// for the same one. Those that lay out what they read once for many objects are for as many as there are.
func (c *chain) takesObjects(s *bound.Step) bool {
	k := s.Kernel
	if len(k.IR.Axes) == 0 || k.IR.Axes[0].Name != c.dim() || !k.IR.Rowwise() || k.ForMany() {
		return false
	}
	n := k.IR.Axes[0].Extent
	loads := bounds.Needed(k.IR)
	for _, at := range []int{0, n / 2, n - 1} {
		object := region.Interval{Lo: at, Hi: at + 1}
		need := loads.Of(k.Over(object))
		for _, id := range s.Reads {
			b := c.of.Buffer(id)
			for _, part := range b.Bufs {
				rows := need[part]
				if rows == nil || b.Layout.Dim(c.dim()) < 0 {
					continue
				}
				if here := len(rows) > 0 && rows[0].Hull(object) == object; here != stands(b) { // what lies around the drive is read where an object belongs, not where it stands
					return false
				}
			}
		}
	}
	return true
}

// few reports whether an array may be there for a few objects at a time: a kernel stores it, for each of them all of it.
func (c *chain) few(id string) bool {
	b, maker := c.of.Buffer(id), c.of.Maker(id)
	return b.Box == nil && !b.Counted() && !slices.ContainsFunc(b.Bufs, func(part *ir.Buffer) bool { return !maker.Kernel.IR.Fills(part) })
}

// objects is how many are computed at a time: as many as leave what is between the kernels near, but enough to share among threads; 0: the chain is not worth it.
func (c *chain) objects(threads int) int {
	var all int64
	for _, id := range c.inside {
		all += c.of.Buffer(id).Bytes
	}
	row := int(all) / max(1, c.extent)
	if all < LeastAway || row < leastRow {
		return 0
	}
	rows := max(leastRows, 2*threads, max(nearBytes, nearThread*threads)/row/leastRows*leastRows)
	if rows > c.extent/leastBlocks {
		return 0
	}
	return rows
}

// Standing are the arrays of a chain that hold something of each object where it stands, for all of them: the state before and after a turn, and what others of
// the turn make or read.
func Standing(p *bound.Plan, c *plan.Chain, dim string) (out []string) {
	for i := range p.Steps {
		s := &p.Steps[i]
		if !slices.Contains(c.Steps, s.ID) {
			continue
		}
		for _, id := range slices.Concat(s.Reads, s.Writes) {
			b := p.Buffer(id)
			if stands(b) && b.Layout.Dim(dim) == 0 && !slices.Contains(c.Inside, id) && !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
	}
	return out
}

// Between are the arrays of a turn, the next state apart, that hold something of each object where it stands, for all of them.
func Between(p *bound.Plan, dim string, next []string) (out []string) {
	for i := range p.Buffers {
		b := &p.Buffers[i]
		inside := slices.ContainsFunc(p.Chains, func(c plan.Chain) bool { return slices.Contains(c.Inside, b.ID) })
		if b.Role == plan.FromKernel && b.Layout.Dim(dim) == 0 && !inside && !slices.Contains(next, b.ID) {
			out = append(out, b.ID)
		}
	}
	return out
}

// stands reports whether an array holds objects where they stand, rather than where they belong.
func stands(b *bound.Buffer) bool { return b.Role == plan.FromKernel || b.Role == plan.FromState }

// CutObjects cuts the first so many objects that a turn of a compiled plan computes for the kernels of a chain; nil: it does not fit the steps of the plan.
func CutObjects(p *bound.Plan, of *plan.Chain, r *ops.Rounds, objects int) []region.Interval {
	c := &chain{of: p, made: map[string]bool{}, turns: &Turns{Dim: r.Dim, Each: func(*bound.Step) bool { return true }, Lasts: func(*bound.Buffer) bool { return false }}}
	for i := range p.Steps {
		if !slices.Contains(of.Steps, p.Steps[i].ID) {
			continue
		}
		if !c.takes(i) {
			return nil
		}
		c.add(i)
	}
	between := c.between()
	if len(c.at) != len(of.Steps) || of.Rows < 1 || slices.ContainsFunc(of.Inside, func(id string) bool { return !slices.Contains(between, id) }) {
		return nil
	}
	return cutRows(of.Rows, 1, objects)
}

// rounds finds which objects a drive goes on with in every block, and what it needs for that: what its outputs are needed of.
func (s *schedule) rounds(f *flow, u *unit, objects int) {
	all := make([]region.Interval, len(s.clock))
	for _, b := range u.makes {
		for t, n := range s.rows[b] {
			all[t] = all[t].Hull(n)
		}
	}
	tr, done := trackOf(all), 0
	s.runs[u] = make([]region.Region, len(s.clock))
	for t := range s.clock {
		at := region.Interval{Lo: max(done, tr.lo[t]), Hi: max(done, tr.hi[t])}
		if done = at.Hi; at.Empty() {
			continue
		}
		s.runs[u][t] = region.Region{at}
		for _, b := range u.reads {
			if b.Role == plan.FromPlan {
				continue
			}
			need := b.Layout.Whole()
			if f.kept[b] == "" {
				need[0] = at
			}
			s.want(b, t, need)
		}
		for _, b := range u.makes {
			made := b.Layout.Whole()
			made[0] = at
			s.want(b, t, made)
		}
	}
}
