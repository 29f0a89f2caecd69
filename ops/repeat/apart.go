package repeat

import (
	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/problem"
)

// trial is how a use that carries each element of its state by itself is tried out.
type trial struct {
	lower func(l *ops.Lowering) []*ops.Stage // gives the stages that are built
	until bool                               // elements end by a condition
	apart bool                               // what a turn is made of is planned by itself, and may be annotated
}

// run makes sure that a use carries each element of its state by itself: it builds an element, of arrays that could hold anything.
func (r trial) run(op *ops.Instance) (err error) {
	d := draft{follows: map[*ops.Instance]bool{}, made: map[*ops.Instance][]*ops.Stage{}, bufs: map[*ops.Stage][]*ir.Buffer{}}
	for _, param := range []string{"state", "each"} {
		for _, v := range op.Call.List(param) {
			d.follows[v.(ops.Array).Of] = true
		}
	}
	name := op.Spec.Name
	op.Call.Arrays(func(_ string, a ops.Array) {
		ops.Walk([]*ops.Instance{a.Of}, func(in *ops.Instance) {
			_, drives := in.Bound.(ops.Driver)
			switch {
			case err != nil || !d.turns(in):
			case drives:
				err = at(in, problem.Wrong(problem.WrongKind, "step", "", "`%s` runs programs of its own, which have no place in a turn of `%s`", in.Spec.Name, name))
			case in.Hints.At != nil && !r.apart:
				err = at(in, problem.Wrong(problem.BadAnnotation, "step", "annotate `"+name+"` itself",
					"nothing in a turn of `%s` is planned by itself, so nothing there can be annotated", name))
			}
		})
	})
	if err != nil {
		return err
	}
	defer func() {
		switch fault := recover().(type) {
		case nil:
		case tooLarge:
			err = problem.Wrong(problem.TooComplex, "step", "", "a turn of `%s` has more than %d loops within it", name, mostBinders)
		case elsewhere:
			help := "a state whose elements read each other is carried by iterate, as a whole"
			if r.until {
				help = "a state whose elements read each other goes on as a whole: let `until` give one truth value, by all or any"
			}
			err = at(fault.by.Op, problem.Wrong(problem.WrongKind, "step", help,
				"`%s` carries each element of a state by itself, and `%s` reads others of it", name, fault.by.Op.Spec.Name))
		default:
			panic(fault)
		}
	}()
	for _, s := range r.lower(ops.NewLowering(op, d.stage)) {
		d.build(s)
	}
	return nil
}

// build builds what a stage is defined by.
func (d *draft) build(s *ops.Stage) {
	b := ir.NewBuilder()
	axes := func(dims []ops.Dim) []*ir.Node {
		index := make([]*ir.Node, len(dims))
		for i, dim := range dims {
			index[i] = b.Axis(dim.Name, dim.Size)
		}
		return index
	}
	body := &ops.Body{Builder: b, Read: func(s *ops.Stage, guard *ir.Node, other float64, index []*ir.Node) ops.Elem {
		var parts []*ir.Node
		for _, buf := range d.stored(s) {
			if t := buf.Type.Compute(); guard != nil {
				parts = append(parts, b.LoadOr(buf, guard, b.Const(t, other), index...))
				continue
			}
			parts = append(parts, b.Load(buf, index...))
		}
		return ops.ElemOf(parts)
	}, Stored: d.stored}
	if s.Elem != nil {
		s.Elem(body, axes(s.Type.Dims))
	}
	if s.Put != nil && s.Elem != nil {
		s.Put.Writes(body, axes(s.Put.Axes))
	}
}

// at places a problem where an operator stands.
func at(op *ops.Instance, p problem.Problem) error {
	p.At = op.Where
	return p
}

// draft is what a turn is built of for a trial.
type draft struct {
	follows map[*ops.Instance]bool // from the state, or from what stands at a turn
	made    map[*ops.Instance][]*ops.Stage
	bufs    map[*ops.Stage][]*ir.Buffer
}

// turns reports whether something is made in every turn.
func (d *draft) turns(op *ops.Instance) bool {
	if known, ok := d.follows[op]; ok {
		return known
	}
	d.follows[op] = false
	op.Call.Arrays(func(_ string, a ops.Array) { d.follows[op] = d.turns(a.Of) || d.follows[op] })
	return d.follows[op]
}

// stage is that of an array. What does not follow from the state could be anything.
func (d *draft) stage(a ops.Array) *ops.Stage {
	if d.made[a.Of] == nil {
		lowered, ok := a.Of.Bound.(ops.Lowerer)
		if ok && d.turns(a.Of) {
			d.made[a.Of] = lowered.Lower(ops.NewLowering(a.Of, d.stage))
		} else {
			for i, o := range a.Of.Out {
				d.made[a.Of] = append(d.made[a.Of], &ops.Stage{Name: o.Name, Type: o.Type, Op: a.Of, Source: true, Out: i})
			}
		}
	}
	return d.made[a.Of][a.Out]
}

func (d *draft) stored(s *ops.Stage) []*ir.Buffer {
	if d.bufs[s] == nil {
		d.bufs[s] = s.Type.Buffers(s.Name)
	}
	return d.bufs[s]
}
