package codegen

import (
	"slices"

	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// layout says what the lanes of a value are.
type layout uint8

const (
	byLane      layout = iota // the points of the lane tile
	origin                    // no lanes: the value at lane 0 of the tile, for addresses
	byIteration               // consecutive iterations of gen.iter
)

// geometry is how the points of a tile lie on lanes and vectors in flight.
type geometry struct {
	axes  []*ir.Node
	s     schedule.CPU
	W, V  int    // lanes, and vectors in flight
	lanes ir.Set // the axes that lanes run along
	clamp bool   // the tile may be smaller than a step: axis values are cut to the tile
	tail  Tail
}

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
		x = g.vary.Of(n).Meets(g.lanes)
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

// canon drops from the number of a vector in flight what a value with this variation does not depend on.
func (g *geometry) canon(vary ir.Set, v int) int {
	if g.s.Flat > 0 && vary.Meets(g.lanes) {
		return v
	}
	out, weight := 0, 1
	for _, u := range slices.Backward(g.s.Unroll) {
		if vary.Meets(g.axes[u.Axis].Bind()) {
			out += v % u.N * weight
		}
		v /= u.N
		weight *= u.N
	}
	return out
}

// copies lists the distinct vectors in flight of a value with this variation.
func (g *geometry) copies(vary ir.Set) []int {
	var out []int
	for v := range g.V {
		if g.canon(vary, v) == v {
			out = append(out, v)
		}
	}
	return out
}

// laneCount is the extent of the lane tile along an axis.
func (g *geometry) laneCount(axis *ir.Node) int {
	for _, l := range g.s.Lanes {
		if g.axes[l.Axis] == axis {
			return l.N
		}
	}
	return 1
}

// offset is how far vector v lies from the first along an axis, in points.
func (g *geometry) offset(axis *ir.Node, v int) int {
	for _, u := range slices.Backward(g.s.Unroll) {
		if g.axes[u.Axis] == axis {
			return v % u.N * g.laneCount(axis)
		}
		v /= u.N
	}
	return 0
}

// laneCoord is the coordinate of lane l of the tile along an axis.
func (g *geometry) laneCoord(axis *ir.Node, l int) int {
	for _, p := range slices.Backward(g.s.Lanes) {
		if g.axes[p.Axis] == axis {
			return l % p.N
		}
		l /= p.N
	}
	return 0
}

// step is how many points of an axis one turn of its tile loop covers.
func (g *geometry) step(axis *ir.Node) int { return g.s.Step(slices.Index(g.axes, axis)) }
