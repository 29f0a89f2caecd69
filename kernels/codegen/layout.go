package codegen

import (
	"slices"

	"weft/kernels/ir"
)

// layout says what the lanes of a value are.
type layout uint8

const (
	byLane      layout = iota // the points of the lane tile
	origin                    // no lanes: the value at lane 0 of the tile, for addresses
	byIteration               // consecutive iterations of gen.iter
)

// laned reports whether a value differs over the lanes of a tile. (Package ir does not know that own operations take that away.)
func (g *gen) laned(n *ir.Node) bool {
	if x, ok := g.lanedMemo[n]; ok {
		return x
	}
	x := false
	switch {
	case n.Op >= ir.OwnOp:
	case n.Kind == ir.KAlu || n.Kind == ir.KLoad:
		x = slices.ContainsFunc(n.Args, g.laned)
	default:
		x = g.vary.Of(n).Meets(g.Lanes)
	}
	g.lanedMemo[n] = x
	return x
}

// simplest is the layout among those that give the same value as m that most uses share.
func (g *gen) simplest(n *ir.Node, m layout) layout {
	if m == origin && !g.laned(n) || m == byIteration && !n.Free().Meets(g.iter.IndexBind) {
		return byLane
	}
	return m
}

// isVec reports whether n in layout m is a vector.
func (g *gen) isVec(n *ir.Node, m layout) bool {
	switch g.simplest(n, m) {
	case byLane:
		return g.laned(n)
	case byIteration:
		return true
	}
	return false
}
