package render

import (
	"weft/kernels/ir"
)

// padCover parts the guard of a load into what the buffer's padding makes needless and what must be tested: conjuncts
// that keep the innermost index within its row go when the padding holds the load's other value and is wide enough.
func padCover(n *ir.Node, width int) (covered bool, rest []*ir.Node) {
	guard, other := n.Guard()
	if guard == nil {
		return false, nil
	}
	buf, index := n.Buf, n.Index()
	conj := conjuncts(guard, nil)
	if len(index) == 0 || buf.Pad.Before < width || buf.Pad.After < width || !other.IsConst(buf.Pad.Value) {
		return false, conj
	}
	inner, size := index[len(index)-1], int64(buf.Shape[len(buf.Shape)-1])
	var lower, upper bool
	for _, c := range conj {
		switch {
		case isLower(c, inner):
			lower = true
		case isUpper(c, inner, size):
			upper = true
		default:
			rest = append(rest, c)
		}
	}
	if !lower || !upper {
		return false, conj
	}
	return true, rest
}

func conjuncts(n *ir.Node, to []*ir.Node) []*ir.Node {
	if n.Kind == ir.KAlu && n.Op == ir.And {
		return conjuncts(n.Args[1], conjuncts(n.Args[0], to))
	}
	return append(to, n)
}

// isLower recognises 0 <= x, and -1 < x.
func isLower(c, x *ir.Node) bool {
	return c.Op == ir.Le && c.Args[0].IsConst(0) && c.Args[1] == x || c.Op == ir.Lt && c.Args[0].IsConst(-1) && c.Args[1] == x
}

// isUpper recognises x < size, and x <= size-1.
func isUpper(c, x *ir.Node, size int64) bool {
	return c.Op == ir.Lt && c.Args[0] == x && c.Args[1].IsConst(float64(size)) ||
		c.Op == ir.Le && c.Args[0] == x && c.Args[1].IsConst(float64(size-1))
}
