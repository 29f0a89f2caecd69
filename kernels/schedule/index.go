package schedule

import (
	"weft/kernels/ir"
	"weft/kernels/schedule/groups"
	"weft/kernels/schedule/inside"
)

// stride is the distance in elements between neighbours along a binder's variable, but for what lies beyond the ends of an array; 0 if it is not a
// constant, or none.
func stride(buf *ir.Buffer, index []*ir.Node, axis *ir.Node) int64 {
	within, _ := inside.Look(ir.Flatten(buf, index), func(n *ir.Node) bool { return n.Free().Meets(axis.Bind()) })
	for _, t := range within.Terms {
		if t.N == axis {
			return t.Coef
		}
	}
	return 0
}

// place parts an index: of elements of which a few lie side by side at each place, such as the parts of complex ones, the place comes last, and
// beside is how many they are.
func place(buf *ir.Buffer, index []*ir.Node) (rows []*ir.Node, last *ir.Node, beside int) {
	n := len(index) - 1
	if n > 0 && index[n].Kind == ir.KConst && groups.Serve(buf.Shape[n]) {
		return index[:n-1], index[n-1], buf.Shape[n]
	}
	return index[:n], index[n], 1
}

// Turn is the innermost loop that takes most of a kernel's work, and how many elements each of its turns loads for a point; nil: there is none.
func Turn(k *ir.Kernel) (f *ir.Fold, loads int) {
	s := newSurvey(k, Target{Lanes: 1})
	if f = s.heaviest(); f == nil {
		return nil, 0
	}
	for _, n := range s.nodes {
		if n.Kind == ir.KLoad && s.deepest(n) == f {
			loads++
		}
	}
	return f, loads
}
