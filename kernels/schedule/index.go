package schedule

import "weft/kernels/ir"

// stride is the distance in elements between neighbours along a binder's variable, but for what lies beyond the ends of an array; 0 if it is not a
// constant, or none.
func stride(buf *ir.Buffer, index []*ir.Node, axis *ir.Node) int64 {
	within, _ := Within(ir.Flatten(buf, index), func(n *ir.Node) bool { return n.Free().Meets(axis.Bind()) })
	for _, t := range within.Terms {
		if t.N == axis {
			return t.Coef
		}
	}
	return 0
}
