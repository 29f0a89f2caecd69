package sky

import (
	"fmt"
	"math"

	"weft/ops"
)

// findCut sets how far the rays of a scene would go if reach did not end them: 0 where it ends none early.
func (s *scene) findCut(trace func() []ray) {
	reach := s.reach
	capped := trace()
	s.reach = math.Inf(1)
	for i, y := range trace() {
		if n := len(y.row); n > len(capped[i].row) {
			s.full = max(s.full, y.rise[n-1]/math.Tan(y.altitude*math.Pi/180))
		}
	}
	s.reach = reach
}

// approximations says what is not exact, or hardly meant so: rays that are cut, and trees that stand in the ground.
func (s *scene) approximations(c *ops.Call, trace func() []ray) (out []string) {
	if c.Has("reach") {
		s.findRelief(c)
		s.findCut(trace)
	}
	if s.full > 0 {
		out = append(out, fmt.Sprintf("rays end after %g m (reach), and what stands up to %.4g m away could hide more of the sky or the sun", s.reach, s.full))
	}
	if s.canopy == nil || s.relative {
		return out
	}
	ground, _ := c.Array("input")
	canopy, _ := c.Array("canopy")
	low, _, known := ops.RangeOf(ground)
	_, top, too := ops.RangeOf(canopy)
	if known && too && top < low {
		out = append(out, fmt.Sprintf("no tree stands out of the ground: the canopy reaches %.4g m, and the lowest ground is at %.4g m; if its heights are above ground, write heights: relative", top, low))
	}
	return out
}

func approximateSkyview(c *ops.Call) []string {
	v := resolved(resolveView, c)
	return v.approximations(c, v.trace)
}

func approximateShadow(c *ops.Call) []string {
	d := resolved(resolveShadow, c)
	return d.approximations(c, d.trace)
}
