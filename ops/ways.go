package ops

import (
	"strconv"

	"weft/kernels/ir"
)

// Ways is a use that stands for one of several arrays which hold the same, each made in a way of its own: the first, until it is told which
// one with Take. Uses with the same trials take the same way.
type Ways struct {
	Gives
	Names  []string
	Trials []Array // what is made in each way to see what that takes; empty: it is settled
	Within float64 // by which trials may differ from the first, as a share of its largest element
}

// Group tells uses of other trials from this one.
func (w *Ways) Group() string {
	return strconv.Itoa(w.Trials[0].Of.ID) + "." + strconv.Itoa(w.Trials[0].Out)
}

// Lower reads the way that is taken.
func (w *Ways) Lower(l *Lowering) []*Stage {
	of := l.Lists["of"][0]
	return []*Stage{l.Stage("", w.Gives[0].Type, []*Stage{of}, func(b *Body, at []*ir.Node) Elem { return of.At(b, at...) })}
}

// Reference is what any of the ways gives.
func (w *Ways) Reference(in map[string]Dense) ([]Dense, error) { return []Dense{in["of"]}, nil }

// Take settles which of its Ways a use takes: the others are no longer among what it is made from.
func (op *Instance) Take(way int) {
	w := op.Bound.(*Ways)
	op.Become(op.Spec, &Ways{Gives: w.Gives, Names: w.Names[way : way+1]}, &Call{Spec: op.Spec, Args: map[string]Value{"of": List{op.Call.List("of")[way]}}})
}
