package form

import "weft/kernels/ir"

// Near is a comparison of float64 values in float32: of a level that is a float32 value plus or minus a number that is the same for all points in flight, with a threshold that is a
// float32 value.
func Near(b *ir.Builder, t Comparison, differs func(*ir.Node) bool) (out Comparison, ok bool) {
	out = t
	if out.Threshold, ok = widened(t.Threshold); !ok || t.Level.Kind != ir.KAlu || t.Level.Op != ir.Add && t.Level.Op != ir.Sub {
		return out, false
	}
	for i, n := range t.Level.Args {
		a, ok := widened(n)
		if u := t.Level.Args[1-i]; ok && differs(a) && !differs(u) {
			out.Term = b.Cast(ir.F32, u)
			args := [2]*ir.Node{a, a}
			args[1-i] = out.Term
			out.Level = b.Alu(t.Level.Op, args[0], args[1])
			return out, true
		}
	}
	return out, false
}

// widened is the float32 value that a float64 one is.
func widened(n *ir.Node) (*ir.Node, bool) {
	if n.Kind != ir.KAlu || n.Op != ir.Cast || n.Type != ir.F64 || n.Args[0].Type != ir.F32 {
		return nil, false
	}
	return n.Args[0], true
}
