package schedule

import "weft/kernels/ir"

// stride is the distance in elements between neighbours along a binder's variable; 0 if it is not a constant, or none.
func stride(buf *ir.Buffer, index []*ir.Node, axis *ir.Node) int64 {
	for _, t := range ir.Flatten(buf, index).Terms {
		if t.N == axis {
			return t.Coef
		}
	}
	return 0
}
