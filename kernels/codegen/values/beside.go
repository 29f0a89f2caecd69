package values

import (
	. "weft/kernels/codegen/tree"
	"weft/kernels/ir"
	"weft/kernels/ir/moved"
)

// beside tells which loads of vectors in flight are those of others.
type beside struct {
	values *moved.Values
	points map[int]*moved.Point // by the number of a vector in flight
}

// loaded is what a load gives, whichever of the vectors in flight it is of.
type loaded struct {
	value int
	m     Layout
}

// sharedLoad is load, once for all vectors in flight of which one loads what others load of their neighbours.
func (g *Generator) sharedLoad(n *ir.Node, v int, m Layout, at int) Value {
	if m == ByIteration || g.V == 1 || g.W == 1 || g.Schedule.Flat > 0 || g.Masked(at) {
		return g.load(n, v, m, at)
	}
	k := loaded{g.point(v).Of(n), m}
	if _, known := g.Stack[at].Once[k]; known && !g.Gathering {
		g.Notes.Loads["shared in flight"]++
	}
	return g.Stack[at].Make(k, func() Value { return g.load(n, v, m, at) })
}

// point is where a vector in flight lies.
func (g *Generator) point(v int) *moved.Point {
	if g.beside.points[v] == nil {
		steps := func(axis *ir.Node) (int64, bool) { return int64(g.Offset(axis, v)), !g.Clamp || g.Step(axis) == 1 }
		g.beside.points[v] = g.beside.values.Point(steps, func(n *ir.Node) bool { return g.Canon(g.Vary.Of(n), v) > 0 })
	}
	return g.beside.points[v]
}
