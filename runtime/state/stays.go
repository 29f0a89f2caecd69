package state

import (
	"context"
	"slices"

	"weft/planner/bound"
	"weft/planner/plan"
)

// between are the arrays that the kernels of a call make for each other.
func between(p *bound.Plan, about *plan.DriveProgram) (ids []string) {
	for _, s := range p.EachCall(about) {
		for _, id := range s.Writes {
			if !slices.Contains(about.Next, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// Stays reports whether what the kernels of a call make for each other may stay on devices.
func (s *State) Stays(c *Call) bool { return c.devices && len(c.between) > 0 && s.whole(c) }

func (s *State) whole(c *Call) bool { return c.whole && s.step.Drive.Whole() }

// End has the host have what a call made of the state, if what devices make stays there and it did not go ahead. What kernels made for each other stays until the next call, for who looks
// at it.
func (s *State) End(ctx context.Context, c *Call, stays, ahead bool) error {
	if !stays {
		return nil
	}
	s.stayed = append(s.stayed, c)
	if ahead {
		return nil
	}
	var ids []string
	for i, id := range c.Next {
		if id != "" && c.Moved[i] < 0 {
			ids = append(ids, id)
		}
	}
	return c.Arrays.Bring(ctx, ids)
}

// outdate ends that: what these arrays were made from is about to change.
func (s *State) outdate() {
	for _, c := range s.stayed {
		c.Arrays.Outdate(c.between)
	}
	s.stayed = nil
}
