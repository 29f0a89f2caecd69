package blocks

import (
	"weft/kernels/region"
	"weft/planner/bound"
	"weft/planner/plan"
)

// carries has a step go from block to block by turns of its kernel's fold, from what it carried out of the block before, if it can and would have to have all of
// an array at once otherwise.
func (f *flow) carries(u *unit) bool {
	c := u.step.Kernel.Carry
	if c == nil && f.carrying {
		whole := f.inOrder(u) && !f.packs(u)
		for b, n := range f.probe(u) {
			whole = whole || f.all(u, b, n)
		}
		if whole {
			c = f.plan.Carried(u.step)
		}
	}
	if c == nil {
		return false
	}
	f.carry[u], f.prints[u] = c, f.plan.Turns(u.step, c)
	gains := c.Rows
	for b, n := range f.probe(u) {
		gains = gains || b.Role != plan.FromPlan && b.Layout.RowCount() > 1 && !f.all(u, b, n)
	}
	if !gains {
		delete(f.carry, u)
		delete(f.prints, u)
	}
	return gains
}

// Begin has kernels go on from so many turns in blocks that do not start with the first row.
func (s *Stream) Begin(turns map[string]int) { s.flow.begun = turns }

// turns finds which turns a kernel makes in every block, and what it needs for that: as many as what it makes is needed of, and as its share of the rows is.
func (s *schedule) turns(f *flow, u *unit, c *bound.Carry) {
	need := make([]region.Interval, len(s.clock))
	if c.Rows {
		for _, b := range u.makes {
			for t, n := range s.rows[b] {
				need[t] = need[t].Hull(n)
			}
		}
	}
	tr := trackOf(need)
	done, told := f.begun[u.step.ID]
	if from := s.clock[0].Lo; from == 0 || !told {
		done = scaled(region.Interval{Hi: from}, s.of, c.Turns).Hi
	}
	s.runs[u], s.spans[u] = make([]region.Region, len(s.clock)), make([]region.Interval, len(s.clock))
	for t, at := range s.clock {
		rows := region.Interval{Lo: done, Hi: max(done, tr.hi[t], scaled(at, s.of, c.Turns).Hi)}
		if done = rows.Hi; rows.Empty() {
			continue
		}
		s.runs[u][t], s.spans[u][t] = c.IR.Domain(), rows
		for b, n := range f.inputs(u, region.Region{rows}) {
			if b.Role != plan.FromPlan {
				s.want(b, t, n)
			}
		}
		for _, b := range u.makes {
			made := b.Layout.Whole()
			if c.Rows {
				made[0] = rows
			}
			s.want(b, t, made)
		}
	}
}
