package blocks

import (
	"cmp"
	"fmt"
	"slices"

	"weft/ops/amount"
	"weft/planner/bound"
	"weft/planner/plan"
)

// holdsWhole are the kinds of devices whose memory is not the host's: an array there has all its rows.
var holdsWhole = map[string]bool{"cuda": true, "emulated": true}

// waysToCut are ways to cut arrays, the cheapest first: each strip goes through the pass anew, and a chunk of a file that is cut is read, or put together,
// as a whole for each of its parts.
var waysToCut = []struct{ strips, carrying, chunks bool }{
	{}, {carrying: true}, {strips: true}, {chunks: true}, {carrying: true, chunks: true}, {strips: true, chunks: true},
}

// dear is how much more than in one block a program may take in blocks before other ways to cut are looked at.
const dear = 1.25

// Fit makes a plan that does not fit a memory budget run in blocks of rows, in the way of those that fit which takes least. Where it does not fit so either, why
// says what is in the way, and least what it takes. Of a program that is tried with more memory until it fits, least is what does not do in any case.
func Fit(p *bound.Plan, kind string, budget int64, tried bool) (why string, least int64) {
	if holdsWhole[kind] {
		return "its device holds arrays as a whole", p.Totals.PeakBytes
	}
	var s, nearest, smallest *Stream
	first := map[bool]*flow{} // that have their strips in common
	for _, way := range waysToCut {
		f := newFlow(p, way.strips, way.carrying)
		if first[way.strips] == nil {
			first[way.strips] = f
		}
		f.needs = first[way.strips].needs
		if way.carrying && len(f.carry) == 0 {
			continue
		}
		try, fits := f.stream(budget, way.chunks, tried)
		switch {
		case fits && p.Totals.Later: // what is counted has the rest: half, or what the smallest blocks leave
			half, fits := newFlow(p, way.strips, way.carrying).stream(budget/2, way.chunks, tried)
			if !fits {
				if half, _ = newFlow(p, way.strips, way.carrying).stream(0, way.chunks, false); smallest == nil || half.least < least {
					smallest, least = try, half.least
				}
				break
			}
			try = half
			fallthrough
		case fits:
			if s == nil || try.seconds < worth*s.seconds {
				s = try
			}
		case way.chunks && (nearest == nil || try.least < nearest.least): // what is in the way of the others is not in the way of these
			nearest = try
		}
		if s != nil && s.seconds <= dear*s.once {
			break
		}
	}
	if s == nil && smallest != nil {
		if s = smallest; p.Totals.PeakBytes <= min(budget, least) { // all of it takes no more
			return "", 0
		}
	}
	if s == nil {
		return nearest.obstacle(budget), min(p.Totals.PeakBytes, nearest.least)
	}
	clear(s.flow.needs) // of blocks that were not chosen
	s.flow.lay()
	for u, c := range s.flow.carry {
		u.step.Kernel.Carries(c)
		s.Carries = append(s.Carries, u.step.ID)
	}
	slices.Sort(s.Carries)
	v := s.Stream
	for _, pass := range s.Passes {
		v.Passes = append(v.Passes, pass.Pass)
	}
	p.Stream, p.Chains = &v, nil
	return "", 0
}

// Narrow has the passes from one on make do with a budget that is less than they were laid out for: those that take more get smaller blocks. peak is what they take
// then, and least what does where that is more.
func (s *Stream) Narrow(from int, budget int64) (peak, least int64) {
	for i := range s.Passes[from:] {
		p := &s.Passes[from+i]
		if p.Peak > budget && !p.choose(s.flow, budget, false) && !p.choose(s.flow, budget, true) {
			least = max(least, p.least)
		}
		peak = max(peak, p.Peak)
	}
	return peak, least
}

// obstacle says what keeps a run in blocks from fitting: an array that stays as a whole, or the rows that one block needs.
func (s *Stream) obstacle(budget int64) string {
	for _, k := range slices.SortedFunc(slices.Values(s.Kept), func(a, b plan.KeptArray) int { return cmp.Compare(b.Bytes, a.Bytes) }) { // the largest
		if s.flow.plan.Buffer(k.Buffer).Known() > budget/2 {
			return fmt.Sprintf("%s (%s) stays in memory, because %s", k.Name, amount.Bytes(k.Bytes), k.Why)
		}
	}
	if s.Strips {
		return fmt.Sprintf("strips of rows, which cannot be narrower, take %s", amount.Bytes(s.least))
	}
	name, rows, bytes := s.largestWindow()
	if bytes < s.PeakBytes/4 {
		return fmt.Sprintf("the smallest take %s", amount.Bytes(s.PeakBytes))
	}
	return fmt.Sprintf("the smallest take %s, of which %s takes %s for %d rows that are needed at once",
		amount.Bytes(s.PeakBytes), name, amount.Bytes(bytes), rows)
}
