package place

import (
	"math"

	"weft/planner/bound"
)

// Exhaustive is what the kernels of a plan take where they are, and at best, by trying every placement on one device.
func Exhaustive(p *bound.Plan, device DeviceModel) (is, best float64) {
	s := &site{plan: p, devices: []DeviceModel{device}, index: map[string]int{}}
	s.survey(nil, false)
	sum := func(team func(i int, t *task) int) (sum float64) {
		held := s.begin()
		for i, t := range s.tasks {
			sum += weighed(s.run(t, s.team(t, team(i, t)), held))
		}
		return sum
	}
	best = math.Inf(1)
	for bits := range 1 << len(s.tasks) {
		best = min(best, sum(func(i int, _ *task) int { return bits >> i & 1 }))
	}
	return sum(func(_ int, t *task) int { return len(t.step.Kernel.Place.Devices) }), best
}
