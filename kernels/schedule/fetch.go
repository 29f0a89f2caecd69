package schedule

import "weft/kernels/ir"

// Fetched is how many cache lines a load through a window brings into a core's own caches, a vector in flight, as estimated from the
// data that the positions are computed from: what the vectors of a lane tile span together, less what the lane tile before has brought if
// that is still there.
func Fetched(k *ir.Kernel, t Target, c CPU) float64 {
	if c.Window == 0 {
		return 0
	}
	s := newSurvey(k, t)
	f := s.heaviest()
	at := s.positions(f)
	spreads := s.someSpreads(f, at.at)
	flight := float64(Product(c.Unroll))
	sum := 0.0
	for _, p := range spreads {
		span := p.over(c.Lanes) + 1
		for _, u := range c.Unroll { // vectors that lie far apart load lines of their own
			span += float64(u.N-1) * min(p[u.Axis]*float64(lanesAlong(c, u.Axis)), span+lineElements)
		}
		lines := span/lineElements + 1
		if len(c.Order) > 0 && lines*lineElements*4*float64(len(at.loads))*s.trips(f)*s.times(f.Node) <= ownCache {
			inner := c.Order[len(c.Order)-1]
			lines *= min(1, p[inner]*float64(c.Step(inner))/span)
		}
		sum += lines
	}
	return sum / flight / float64(len(spreads))
}

func lanesAlong(c CPU, axis int) int {
	n := 1
	for _, l := range c.Lanes {
		if l.Axis == axis {
			n *= l.N
		}
	}
	return n
}

// someSpreads are estimates at as many places as a mean needs: each costs about as much as a point of the kernel.
func (s *survey) someSpreads(f *ir.Fold, positions []*ir.Node) (out []spread) {
	for i := 0; i < places; i += 4 {
		p := s.spread(f, positions, i)
		if p == nil { // nothing is known of the data
			return s.spreads(f, positions)
		}
		out = append(out, p)
	}
	return out
}
