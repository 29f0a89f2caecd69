package form

import (
	"math"
	"slices"

	"weft/kernels/ir"
)

// Slow holds which values take a slow operation to compute, as far as it was asked.
type Slow map[*ir.Node]bool

// Is reports whether a value takes a slow operation.
func (s Slow) Is(n *ir.Node) bool {
	if x, ok := s[n]; ok {
		return x
	}
	x := n.Kind == ir.KAlu && n.Op.Info().Cost.Slow() && n.Type.Float()
	if n.Kind == ir.KAlu || n.Kind == ir.KLoad {
		x = x || slices.ContainsFunc(n.Args, s.Is)
	}
	s[n] = x
	return x
}

// Light reports whether a value takes neither a slow operation nor a loop.
func (s Slow) Light(n *ir.Node) (light bool) {
	light = !s.Is(n)
	ir.WalkNodes([]*ir.Node{n}, func(n *ir.Node) { light = light && n.Kind != ir.KGet })
	return light
}

// Below is n < limit, or a little less, without the root if n is a root plus something: a root takes as long as the rest
// of the test, and squaring the limit does as well. NaN is not below.
func Below(b *ir.Builder, slow Slow, binds ir.Set, n, limit *ir.Node) *ir.Node {
	if n.Kind == ir.KAlu && slow.Is(n) {
		switch x := n.Args; n.Op {
		case ir.Sqrt:
			return b.And(b.Lt(b.Const(n.Type, 0), limit), b.Lt(x[0], b.Mul(limit, limit)))
		case ir.Floor:
			return Below(b, slow, binds, x[0], limit)
		case ir.Mul, ir.Div:
			if x[0].Kind == ir.KConst && n.Op == ir.Mul {
				x = []*ir.Node{x[1], x[0]}
			}
			if c := x[1]; c.Kind == ir.KConst && c.F > 0 && c.F < math.Inf(1) {
				by := c.F
				if n.Op == ir.Mul {
					by = 1 / by
				}
				return Below(b, slow, binds, x[0], b.Mul(limit, b.Const(n.Type, by*(1-0x1p-20)))) // a limit that a root is below is positive
			}
		case ir.Add:
			if slow.Is(x[1]) && x[1].Free().Meets(binds) {
				x = []*ir.Node{x[1], x[0]}
			}
			return Below(b, slow, binds, x[0], b.Sub(limit, x[1]))
		case ir.Sub:
			return Below(b, slow, binds, x[0], b.Add(limit, x[1]))
		}
	}
	return b.Lt(n, limit)
}
