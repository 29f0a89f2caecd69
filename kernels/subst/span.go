package subst

import (
	"slices"

	"weft/kernels/ir"
)

// Span is a kernel of which some folds run from and to elsewhere, and begin with other values: span changes what each is built from. It gives what these
// folds end with as well.
func Span(k *ir.Kernel, folds []*ir.Fold, span func(b *ir.Builder, f *ir.Fold, spec *ir.FoldSpec)) (out *ir.Kernel, ends map[*ir.Fold][]*ir.Node) {
	b := ir.Extend(slices.Concat(k.Roots(), k.Axes))
	s := New(b, nil)
	s.span = func(f *ir.Fold, spec *ir.FoldSpec) {
		if slices.Contains(folds, f) {
			span(b, f, spec)
		}
	}
	for _, f := range folds {
		s.keys.Put(f.Node, true)
	}
	for _, f := range folds { // before what is stored in their turns
		s.fold(f)
	}
	out = Kernel(k, s, true)
	for i, st := range out.Stores {
		if st.In != nil && s.folds[st.In] != nil {
			out.Stores[i].In = s.folds[st.In][0].Fold
		}
	}
	return out, s.folds
}
