package audit

import (
	"slices"

	"weft/planner/bound"
)

// Doubt is what is known to be wrong and kept all the same: buffers with a sample beyond its tolerance, and what was made from them.
type Doubt map[string]bool

// Spread doubts what a step makes from what is doubted.
func (d Doubt) Spread(s *bound.Step) bool {
	from := slices.ContainsFunc(s.Reads, func(id string) bool { return d[id] })
	if from {
		for _, id := range s.Writes {
			d[id] = true
		}
	}
	return from
}
