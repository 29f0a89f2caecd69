package runtime

import (
	"errors"

	"weft/kernels/region"
	"weft/ops"
	"weft/planner/bound"
)

// rounds is where the objects of a drive are that are done by themselves.
type rounds struct {
	*ops.Rounds
	there int // in front, computed in each round
	left  int // of these, not done
}

// over is the part of a step's domain that a call computes.
func (d *drive) over(p *program, s *bound.Step) region.Region {
	switch {
	case p.box != nil && p.again(s):
		return p.box
	case d.rounds.Rounds == nil || !p.again(s):
		return s.Kernel.IR.Domain()
	}
	return s.Kernel.Objects(d.rounds.Rounds, region.Interval{Hi: d.rounds.there})
}

// Round implements ops.Host. What is done goes to the outputs before the next launch, so that the last one can be looked at.
func (d *drive) Round(call int) (int, error) {
	r := &d.rounds
	if r.Rounds == nil {
		return 0, errors.New("a round of a drive that has none")
	}
	if 2*r.left <= r.there {
		if d.calls >= d.log.calls { // else the state is of later
			if err := d.state.MoveUp(r.there); err != nil {
				return 0, err
			}
		}
		r.there = r.left
	}
	if err := d.Launch(call); err != nil {
		return 0, err
	}
	if v, known := d.log.told.Again(); known {
		r.left = int(v)
		return r.left, nil
	}
	r.left = d.state.Left(r.there)
	d.log.told.Tell(float64(r.left))
	return r.left, nil
}
