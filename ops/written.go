package ops

import (
	"slices"

	"weft/kernels/ir"
)

// Written is embedded in an Op of which the Body of its spec makes the outputs. Known are values that Bind found, by the names that they have in
// the body. Outputs have the dims that are Last behind others, in this order; Exact and Void are those of their stages.
type Written struct {
	Gives
	Known map[string]Value
	Last  []string
	Exact bool
	Void  error
}

// Writer is an Op that embeds Written.
type Writer interface {
	Op
	Body() *Written
}

// Body is itself.
func (w *Written) Body() *Written { return w }

// Lower hands on what the body made, the only arrays of the call, with the dims in the order of the outputs.
func (w *Written) Lower(l *Lowering) []*Stage {
	made := l.Lists[l.Op.Spec.Params[0].Name]
	var out []*Stage
	for i, o := range w.Gives {
		s := l.Stage(o.Name, o.Type, made[i:i+1], func(b *Body, index []*ir.Node) Elem {
			at := make([]*ir.Node, len(index))
			for k, d := range made[i].Type.Dims {
				at[k] = index[o.Type.Dim(d.Name)]
			}
			return made[i].At(b, at...)
		})
		s.Exact, s.Void = w.Exact && o.Type.Elem.Base.Float(), w.Void
		out = append(out, s)
	}
	return out
}

// Give makes a record of arrays the outputs, and gives the arrays.
func (w *Written) Give(r Record) (made List) {
	w.Gives = nil
	w.give(r, "", &made)
	return made
}

func (w *Written) give(r Record, prefix string, made *List) {
	for _, name := range r.Names {
		switch v := r.Fields[name].(type) {
		case Record:
			w.give(v, prefix+name+".", made)
		case Array:
			t := v.Type()
			t.Dims = slices.Clone(t.Dims)
			slices.SortStableFunc(t.Dims, func(a, b Dim) int { return slices.Index(w.Last, a.Name) - slices.Index(w.Last, b.Name) })
			*made, w.Gives = append(*made, v), append(w.Gives, Output{prefix + name, t})
		}
	}
}
