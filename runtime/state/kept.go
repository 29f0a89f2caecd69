package state

import (
	"context"
	"slices"

	"weft/planner/bound"
	"weft/planner/plan"
)

// made are the arrays that the kernels of a call make for each other; ok: all that is made in it is made on devices.
func made(p *bound.Plan, about plan.DriveProgram) (ids []string, ok bool) {
	for _, s := range p.Steps {
		if s.Kind == plan.SinkStep || slices.Contains(about.Once, s.ID) {
			continue
		}
		if s.Kernel == nil || !s.Kernel.Place.Accelerates() {
			return nil, false
		}
		for _, id := range s.Writes {
			if !slices.Contains(about.Next, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids, p.Stream == nil && !about.Boxed
}

// Keeps reports whether devices may keep what the kernels of a call make for each other.
func (s *State) Keeps(c *Call) bool { return c.devices && len(c.made) > 0 && s.whole(c) }

func (s *State) whole(c *Call) bool {
	return c.whole && s.few == 0 && s.Disk == nil && s.step.Drive.Rounds == nil
}

// End has the host have what a call made of the state, if devices keep what they make and it did not go ahead. What kernels made for each other stays there until the next call, for who looks
// at it.
func (s *State) End(ctx context.Context, c *Call, kept, ahead bool) error {
	if !kept {
		return nil
	}
	s.kept = append(s.kept, c)
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
	for _, c := range s.kept {
		c.Arrays.Outdate(c.made)
	}
	s.kept = nil
}
