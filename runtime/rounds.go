package runtime

import (
	"errors"

	"weft/kernels/region"
	"weft/ops"
	"weft/planner/blocks"
	"weft/planner/bound"
	"weft/planner/plan"
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

// chained is the chain of a program that begins with a step, and its blocks: of rows or, in rounds, of the objects that are there; nil: the step runs by itself.
func (d *drive) chained(p *program, s *bound.Step) (*plan.Chain, []region.Interval) {
	if d.rounds.Rounds == nil {
		return p.chained(s)
	}
	c := p.chainOf(s)
	if c == nil || c.Steps[0] != s.ID || !p.compiled(c) {
		return nil, nil
	}
	return c, blocks.CutObjects(p.run.plan, c, d.rounds.Rounds, d.rounds.there)
}

// chain runs the kernels of a chain.
func (d *drive) chain(p *program, c *plan.Chain, cuts []region.Interval, works []*work) error {
	if d.rounds.Rounds == nil {
		return p.runChain(d.ctx, c, cuts, works)
	}
	return d.few(p, c, cuts, works)
}

// few runs the kernels of a turn one behind the other over a few objects at a time. Each time these are the first ones for the kernels, as an object is
// computed to the same bits wherever it stands.
func (d *drive) few(p *program, c *plan.Chain, cuts []region.Interval, works []*work) error {
	if err := p.arrays.Few(c.Inside, c.Rows); err != nil {
		return p.failed(d.ctx, &p.chain(c)[0], err)
	}
	move, end := p.arrays.Stand(blocks.Standing(p.run.plan, c, d.rounds.Dim))
	defer end()
	return p.chainBlocks(d.ctx, chainRun{steps: p.chain(c), works: works, cuts: cuts,
		move: func(objects region.Interval) error { move(objects.Lo); return nil },
		over: func(k *bound.Kernel, objects region.Interval) region.Region {
			return k.Objects(d.rounds.Rounds, region.Interval{Hi: objects.Len()})
		},
		look: func(s *bound.Step, over region.Region) error { return d.watch(p, s, over) },
	})
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
