package place

import (
	"slices"

	"weft/ops"
	"weft/planner/bound"
	"weft/planner/plan"
)

// handed reports whether the host gets an array that is no kernel's alone: of calls that go ahead of it, numbers, by which it is steered.
func (s *site) handed(array int) bool {
	return !s.calls || len(s.plan.Buffers[array].Layout.Dims) == 0
}

// goesAhead reports whether calls go ahead of the host where devices make all of one. Whole numbers are looked at in each call.
func (s *site) goesAhead() bool {
	return s.turn != nil && !s.turn.Boxed && s.stream == nil && len(s.tasks) > 0 && !s.plan.Counted() && !slices.ContainsFunc(s.plan.Steps, func(step bound.Step) bool {
		switch {
		case slices.Contains(s.turn.Once, step.ID):
			return false
		case step.Kernel == nil:
			return step.Kind != plan.SinkStep
		}
		return s.plan.Starts(&step) != nil || slices.ContainsFunc(step.Kernel.Roots, func(r *ops.Stage) bool { return r.Type.Elem.Base.Int() })
	})
}

// ahead is the placement of calls that go ahead of the host on one team, if that is better: what the first of them copies, and what comes to the host in the end, counts for all of them together.
func (s *site) ahead(best *chain) *chain {
	if !s.goesAhead() {
		return best
	}
	s.stays, s.calls = true, true
	least, before := best.total(), holding(nil)
	for n := 1; n < len(s.teams); n++ {
		s.before = nil
		first := s.chain(n)
		if slices.ContainsFunc(first.made, func(o outcome) bool { return len(o.team) == 0 }) {
			continue
		}
		s.before = s.next(first.end)
		c := s.chain(n)
		calls := max(1, s.turn.Most)
		for _, id := range s.turn.Next {
			if id != "" { // of the first call, which does not go ahead, and of the last
				c.once += float64(min(calls, 2)) * s.fetch(s.index[id], 1, c.end)
			}
		}
		c.once += first.total() - c.total()
		if each := c.total() + c.once/float64(calls); each < least {
			best, least, before = c, each, s.before
		}
	}
	s.before, s.stays, s.calls = before, before != nil, before != nil
	return best
}

// next is what is held before a call, by what is after the one before it.
func (s *site) next(end holding) holding {
	out := slices.Clone(end)
	for i, id := range s.turn.Next {
		if now := s.turn.Now[i]; id != "" && now != "" {
			copy(out[s.at(s.index[now], 0):s.at(s.index[now]+1, 0)], end[s.at(s.index[id], 0):])
		}
	}
	return out
}
