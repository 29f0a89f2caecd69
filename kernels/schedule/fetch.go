package schedule

import (
	"math"

	"weft/kernels/ir"
)

// Fetched is how many cache lines a load through a window brings into a core's own caches, a vector in flight, as estimated from the
// data that the positions are computed from: what the vectors of a lane tile span together, less what the lane tile before has brought if
// that is still there. Loads that stay in their rows in all iterations bring no more than these hold.
func Fetched(k *ir.Kernel, t Target, c CPU) float64 {
	if c.Window == 0 {
		return 0
	}
	s := newSurvey(k, t)
	f := s.heaviest()
	at := s.positions(f)
	spreads := s.someSpreads(f, at.at)
	flight, iterations := float64(Product(c.Unroll)), s.trips(f)*s.times(f.Node)
	most := s.rowLines(c, at) / iterations
	sum := 0.0
	for _, p := range spreads {
		span := p.over(c.Lanes) + 1
		for _, u := range c.Unroll { // vectors that lie far apart load lines of their own
			span += float64(u.N-1) * min(p[u.Axis]*float64(along(c.Lanes, u.Axis)), span+lineElements)
		}
		lines := min(span/lineElements+1, most)
		if len(c.Order) > 0 && lines*lineBytes*float64(len(at.loads))*iterations <= ownCache {
			inner := c.Order[len(c.Order)-1]
			lines *= min(1, p[inner]*float64(c.Step(inner))/span)
		}
		sum += lines
	}
	return sum / flight / float64(len(spreads))
}

// rowLines is how many lines the rows hold that a load takes for all vectors in flight, if none leaves its row from one iteration to another: those of the longest.
func (s *survey) rowLines(c CPU, at scatter) (lines float64) {
	for _, n := range at.loads {
		for _, f := range s.folds {
			if leavesRow(n, f) {
				return math.Inf(1)
			}
		}
		lines = max(lines, float64(n.Buf.Shape[len(n.Buf.Shape)-1])/lineElements)
	}
	for a := range s.k.Axes {
		if s.takesRows(at.loads, a) {
			lines *= float64(c.Step(a))
		}
	}
	return lines
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
