package count

import (
	"math"

	"weft/kernels/ir"
)

// Within is how often a fold turns at most whose ends are that far apart at most, wherever they lie, such as clamped ends of so many turns; none where that
// is no less than what follows from all that each end may be.
func Within(f *ir.Fold) (most float64, ok bool) {
	if f.Lo.Kind == ir.KConst || f.Hi.Kind != ir.KAlu {
		return 0, false
	}
	g := gaps{ranges: ir.RangesWhere(nil, nil), known: map[[2]*ir.Node]float64{}}
	most = g.of(f.Hi, f.Lo)
	return max(most, 0), most < math.MaxInt32 && most < g.ranged(f.Hi, f.Lo)
}

// gaps are how far whole numbers are above others at most, by what both are made from. Infinite where that is not known.
type gaps struct {
	ranges func(*ir.Node) (lo, hi float64, ok bool)
	known  map[[2]*ir.Node]float64
}

func (g *gaps) of(hi, lo *ir.Node) (most float64) {
	if hi == lo {
		return 0
	}
	key := [2]*ir.Node{hi, lo}
	if most, ok := g.known[key]; ok {
		return most
	}
	most = g.ranged(hi, lo)
	if hi.Kind == ir.KAlu {
		most = min(most, along(hi, 1, func(n *ir.Node) float64 { return g.of(n, lo) }))
	}
	if lo.Kind == ir.KAlu {
		most = min(most, along(lo, -1, func(n *ir.Node) float64 { return g.of(hi, n) }))
	}
	g.known[key] = most
	return most
}

// ranged is the gap by where both may lie.
func (g *gaps) ranged(hi, lo *ir.Node) float64 {
	_, most, okMost := g.ranges(hi)
	least, _, okLeast := g.ranges(lo)
	if !okMost || !okLeast {
		return math.Inf(1)
	}
	return most - least
}

// along is how far a number is from another at most, in a direction, by how far its operands are.
func along(n *ir.Node, way float64, of func(*ir.Node) float64) float64 {
	switch {
	case n.Op == ir.Cast && n.Type.Int() && n.Args[0].Type.Int():
		return of(n.Args[0])
	case n.Op == ir.Add && n.Args[1].Kind == ir.KConst:
		return of(n.Args[0]) + way*float64(n.Args[1].I)
	case n.Op == ir.Add && n.Args[0].Kind == ir.KConst:
		return of(n.Args[1]) + way*float64(n.Args[0].I)
	case n.Op == ir.Min && way > 0, n.Op == ir.Max && way < 0: // no further than either
		return min(of(n.Args[0]), of(n.Args[1]))
	case n.Op == ir.Min, n.Op == ir.Max:
		return max(of(n.Args[0]), of(n.Args[1]))
	}
	return math.Inf(1)
}
