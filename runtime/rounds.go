package runtime

import (
	"errors"
	"slices"

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

// objects is how many a state is of; 0: it is of none.
func (d *drive) objects(i int) int {
	if t := d.buffer(i).Layout; d.rounds.Rounds != nil && len(t.Dims) > 0 && t.Dims[0].Name == d.rounds.Dim {
		return t.Dims[0].Size
	}
	return 0
}

// Round implements ops.Host. What is done goes to the outputs before the next launch, so that the last one can be looked at.
func (d *drive) Round(call int) (int, error) {
	r := &d.rounds
	if r.Rounds == nil {
		return 0, errors.New("a round of a drive that has none")
	}
	if 2*r.left <= r.there {
		if d.calls >= d.log.calls { // else the state is of later
			if err := d.moveUp(); err != nil {
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
	done := d.host(r.Done).Parts[0]
	r.left = 0
	for i := range r.there {
		if done.Element(i)[0] == 0 {
			r.left++
		}
	}
	d.log.told.Tell(float64(r.left))
	return r.left, nil
}

// moveUp hands out the objects that are done and moves the others to the front.
func (d *drive) moveUp() error {
	d.settle()
	done := d.host(d.rounds.Done).Parts[0]
	ends := make([]bool, d.rounds.there)
	for i := range ends {
		ends[i] = done.Element(i)[0] != 0
	}
	if err := d.handOutObjects(func(i int) bool { return ends[i] }); err != nil {
		return err
	}
	for i := range d.state {
		n := d.objects(i)
		if n == 0 {
			continue
		}
		for _, part := range d.host(i).Parts {
			size, to := len(part.Data)/n, 0
			for from, end := range ends {
				if !end {
					copy(part.Data[to*size:(to+1)*size], part.Data[from*size:])
					to++
				}
			}
		}
	}
	return nil
}

// handOutObjects copies what the state holds of some of the objects that are computed to where they belong in the outputs.
func (d *drive) handOutObjects(which func(i int) bool) error {
	order := d.host(d.rounds.Order)
	for _, id := range d.step.Writes {
		to, err := d.run.arrays.Host(id)
		if err != nil {
			return err
		}
		n, from := d.objects(to.Out), d.host(to.Out)
		if n == 0 {
			continue
		}
		each := to.Type.Len() / n
		for i := range d.rounds.there {
			if !which(i) {
				continue
			}
			at := int(order.Float(i))
			for k, part := range to.Parts {
				for e := range each {
					copy(part.Element(at*each+e), from.Parts[k].Element(i*each+e))
				}
			}
		}
	}
	return nil
}

// kept are the arrays that a checkpoint holds: the state and, in rounds, what was handed out.
func (d *drive) kept() (out []ops.HostPart, err error) {
	for i := range d.state {
		out = append(out, d.host(i).Parts...)
	}
	if d.rounds.Rounds == nil {
		return out, nil
	}
	for _, id := range d.step.Writes {
		h, err := d.run.arrays.Host(id)
		if err != nil {
			return nil, err
		}
		out = slices.Concat(out, h.Parts)
	}
	return out, nil
}
