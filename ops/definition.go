package ops

import (
	"maps"
	"sync"
)

// definition is what an instance is defined by, with all that it is made from, and what was proved of its outputs: a program asks for bounds of
// many arrays that are made from the same ones.
type definition struct {
	lower  sync.Once
	stages []*Stage

	proved sync.Map // of what is asked, a within
	found  sync.Map // by what it is called: see Found
}

// asked is an output, whether files may be looked at, and how many reads of other arrays are followed.
type asked struct {
	out    int
	files  bool
	follow int
}

func (op *Instance) definition() *definition {
	if d := op.made.Load(); d != nil {
		return d
	}
	op.made.CompareAndSwap(nil, &definition{})
	return op.made.Load()
}

// Found is what find finds out of the instance and what it is made from, by a name; it looks once. Without that, what is told of an array would be sought as often as there are
// ways to it.
func (op *Instance) Found(name any, find func() any) any {
	known := &op.definition().found
	v, ok := known.Load(name)
	if !ok {
		v, _ = known.LoadOrStore(name, find())
	}
	return v
}

// Become makes the instance another use, whose outputs are the same: what was made from it is not touched.
func (op *Instance) Become(spec *Spec, bound Op, call *Call) {
	op.Spec, op.Bound, op.Call = spec, bound, call
	op.made.Store(nil)
}

// With is a use like this one, but for an argument.
func (op *Instance) With(argument string, v Value) (*Instance, error) {
	call := *op.Call
	call.Args = maps.Clone(call.Args)
	call.Args[argument] = v
	bound, err := op.Spec.Bind(&call)
	return &Instance{ID: op.ID, Spec: op.Spec, Call: &call, Bound: bound, Out: op.Out, Label: op.Label, Where: op.Where, Within: op.Within, Hints: op.Hints}, err
}

// defined is the array in pull form, where nothing is decided yet of what is stored.
func (a Array) defined() *Stage {
	d := a.Of.definition()
	d.lower.Do(func() {
		if low, ok := a.Of.Bound.(Lowerer); ok {
			d.stages = low.Lower(NewLowering(a.Of, Array.defined))
			return
		}
		for i, o := range a.Of.Out {
			d.stages = append(d.stages, &Stage{Name: o.Name, Type: o.Type, Op: a.Of, Out: i, Source: true})
		}
	})
	return d.stages[a.Out]
}

// bounds are those of an output, kept once they are found. While they are sought, another output may be asked for, which it is made from.
func (d *definition) bounds(of asked, find func() within) within {
	if w, ok := d.proved.Load(of); ok {
		return w.(within)
	}
	w := find()
	d.proved.Store(of, w)
	return w
}
