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

// approximations says that rays are cut, where they are.
func (s *scene) approximations() []string {
	if s.full == 0 {
		return nil
	}
	return []string{fmt.Sprintf("rays end after %g m (reach), and what stands up to %.4g m away could hide more of the sky or the sun", s.reach, s.full)}
}

func approximateSkyview(c *ops.Call) []string {
	v, err := resolveView(c)
	if err != nil || !c.Has("reach") {
		return nil
	}
	v.findRelief(c)
	v.findCut(v.trace)
	return v.approximations()
}

func approximateShadow(c *ops.Call) []string {
	d, err := resolveShadow(c)
	if err != nil || !c.Has("reach") {
		return nil
	}
	d.findRelief(c)
	d.findCut(d.trace)
	return d.approximations()
}
