package values

import (
	"slices"

	"weft/kernels/ir"
)

// Layout says what the lanes of a value are.
type Layout uint8

const (
	ByLane      Layout = iota // the points of the lane tile
	Origin                    // no lanes: the value at lane 0 of the tile, for addresses
	ByIteration               // consecutive iterations of gen.iter
)

// Laned reports whether a value differs over the lanes of a tile. (Package ir does not know that own operations take that away.)
func (g *Generator) Laned(n *ir.Node) bool {
	if x, ok := g.lanedMemo[n]; ok {
		return x
	}
	x := false
	switch {
	case n.Op >= ir.OwnOp:
	case n.Kind == ir.KAlu || n.Kind == ir.KLoad:
		x = slices.ContainsFunc(n.Args, g.Laned)
	default:
		x = g.Vary.Of(n).Meets(g.Lanes)
	}
	g.lanedMemo[n] = x
	return x
}

// simplest is the layout among those that give the same value as m that most uses share.
func (g *Generator) simplest(n *ir.Node, m Layout) Layout {
	if m == Origin && !g.Laned(n) || m == ByIteration && !n.Free().Meets(g.Iter.IndexBind) {
		return ByLane
	}
	return m
}

// IsVec reports whether n in layout m is a vector.
func (g *Generator) IsVec(n *ir.Node, m Layout) bool {
	switch g.simplest(n, m) {
	case ByLane:
		return g.Laned(n)
	case ByIteration:
		return true
	}
	return false
}

// OwnStart reports whether a fold's lower bound differs over lanes or vectors in flight: its loop variable then counts from 0.
func (g *Generator) OwnStart(f *ir.Fold) bool { return f != g.Together && g.Differs(f.Lo) }

// Differs reports whether a value is not one scalar for the whole lane tile and all vectors in flight.
func (g *Generator) Differs(n *ir.Node) bool {
	return g.Laned(n) || len(g.Copies(g.Vary.Of(n))) > 1
}
