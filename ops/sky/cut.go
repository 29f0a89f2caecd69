package sky

import (
	"fmt"
	"math"

	"weft/ops"
)

// look asks the inputs for the ranges of their values and traces the rays. It is for planning, as it may read files.
func (s *scene) look(trace func() []ray) []ray {
	s.findRelief()
	rays, reach := trace(), s.reach
	s.reach = math.Inf(1)
	for i, y := range trace() {
		if n := len(y.row); n > len(rays[i].row) {
			s.full = max(s.full, y.rise[n-1]/math.Tan(y.altitude*math.Pi/180))
		}
	}
	s.reach = reach
	return rays
}

// Approximations says what is not exact, or hardly meant so: rays that are cut, and trees that stand in the ground.
func (s *scene) Approximations() (out []string) {
	if !math.IsInf(s.reach, 1) {
		s.rays()
	}
	if s.full > 0 {
		out = append(out, fmt.Sprintf("rays end after %g m (reach), and what stands up to %.4g m away could hide more of the sky or the sun", s.reach, s.full))
	}
	if s.canopy == nil || s.relative {
		return out
	}
	low, _, known := ops.RangeOf(s.in)
	_, top, too := ops.RangeOf(s.tops[0])
	if known && too && top < low {
		out = append(out, fmt.Sprintf("no tree stands out of the ground: the canopy reaches %.4g m, and the lowest ground is at %.4g m; if its heights are above ground, write heights: relative", top, low))
	}
	return out
}
