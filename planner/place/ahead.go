package place

import "slices"

// handed reports whether the host gets an array that is no kernel's alone: of calls that go ahead of it, numbers, by which it is steered.
func (s *site) handed(array int) bool {
	return !s.ahead || len(s.plan.Buffers[array].Layout.Dims) == 0
}

// goAhead is the placement of calls that go ahead of the host on one team, if that is better: what the first of them copies, and what comes to the host in the end, counts for all of them together.
func (s *site) goAhead(best *chain) *chain {
	if s.turn == nil || !s.plan.MayGoAhead(s.turn) {
		return best
	}
	s.stays, s.ahead = true, true
	least, before := best.total(), holding(nil)
	for n := 1; n < len(s.teams); n++ {
		if slices.ContainsFunc(s.teams[n], func(d int) bool {
			limit := s.devices[d].Info.Limits.Memory
			return limit > 0 && limit < s.plan.AllBytes()
		}) {
			continue
		}
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
	s.before, s.stays, s.ahead = before, before != nil, before != nil
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
