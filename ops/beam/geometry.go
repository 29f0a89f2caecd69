package beam

import (
	"weft/kernels/ir"
	"weft/ops"
)

// point is a place in samples: metres times fs/c.
type point [3]*ir.Node

// coordinate is one coordinate of many points, in samples: one value for all of them, or a table.
type coordinate struct {
	table *ops.Stage
	value float64
}

// at is the i-th one.
func (c coordinate) at(b *ops.Body, i *ir.Node) *ir.Node {
	if c.table == nil {
		return b.F32(c.value)
	}
	return c.table.At(b, i).Re
}

// newCoordinate scales coordinates in metres; equal ones need no table.
func newCoordinate(l *ops.Lowering, name string, metres []float64, scale float64) coordinate {
	scaled := make([]float64, len(metres))
	for i, v := range metres {
		scaled[i] = v * scale
	}
	if constant(metres) {
		return coordinate{value: scaled[0]}
	}
	return coordinate{table: l.Table(name, ir.F32, scaled, ops.Dim{Name: name, Size: len(scaled)})}
}

// geometry is where elements and points are, in samples.
type geometry struct {
	*setup
	l     *ops.Lowering
	scale float64

	elements [3]coordinate // of a lattice: x by column, y by row
	lattice  bool
	points   [3]coordinate
}

func newGeometry(l *ops.Lowering, s *setup) *geometry {
	g := &geometry{setup: s, l: l, scale: s.fs / s.c, lattice: s.probe.Columns > 1 && s.probe.Rows > 1}
	for a, name := range axisNames {
		metres := s.probe.along(a)
		switch {
		case g.lattice && a == 0:
			metres = metres[:s.probe.Columns]
		case g.lattice && a == 1:
			rows := make([]float64, s.probe.Rows)
			for j := range rows {
				rows[j] = metres[j*s.probe.Columns]
			}
			metres = rows
		}
		g.elements[a] = newCoordinate(l, "element_"+name, metres, g.scale)
		g.points[a] = newCoordinate(l, "grid_"+name, s.grid.Axes[a].Points, g.scale)
	}
	return g
}

// tables are the stages that reading coordinates may read.
func (g *geometry) tables() []*ops.Stage {
	var t []*ops.Stage
	for _, c := range append(g.elements[:], g.points[:]...) {
		if c.table != nil {
			t = append(t, c.table)
		}
	}
	return t
}

// point is the grid's point at an index of the image: one node a dim.
func (g *geometry) point(b *ops.Body, index []*ir.Node) point {
	var p point
	for a, axis := range g.grid.Axes {
		if axis.Fixed {
			p[a] = g.points[a].at(b, nil)
			continue
		}
		p[a] = g.points[a].at(b, index[0])
		index = index[1:]
	}
	return p
}

// element is one element while a kernel is built: its number, and the way from it to the point.
type element struct {
	index *ir.Node
	delta point
}

// reduction is how values over elements join.
type reduction struct {
	monoid   ir.Monoid
	identity []*ir.Node
	join     func(acc, part []*ir.Node) []*ir.Node
}

// sums adds n values. A lattice adds row by row, which keeps rounding small.
func sums(b *ops.Body, n int) reduction {
	r := reduction{monoid: ir.Sum}
	for range n {
		r.identity = append(r.identity, b.F32(0))
	}
	r.join = func(acc, part []*ir.Node) []*ir.Node {
		out := make([]*ir.Node, n)
		for k := range out {
			out[k] = b.Add(acc[k], part[k])
		}
		return out
	}
	return r
}

// unreached stands for an arrival that never comes, in samples: far beyond any record, within a 32-bit index.
const unreached = furthest

// least takes the smallest value.
func least(b *ops.Body) reduction {
	return reduction{ir.Smallest, []*ir.Node{b.F32(unreached)}, func(acc, part []*ir.Node) []*ir.Node {
		return []*ir.Node{b.Min(acc[0], part[0])}
	}}
}

// loop folds n steps.
func (r reduction) loop(b *ops.Body, n int, step func(i *ir.Node, acc []*ir.Node) []*ir.Node) []*ir.Node {
	spec := ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(n), Init: r.identity, Monoid: r.monoid}
	return b.Fold(spec, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) { return step(i, acc), nil })
}

// over folds over the elements as seen from p: over rows and columns of a lattice, over a list otherwise.
func (g *geometry) over(b *ops.Body, p point, r reduction, step func(e element, acc []*ir.Node) []*ir.Node) []*ir.Node {
	visit := func(index, column, row *ir.Node, acc []*ir.Node) []*ir.Node {
		at := [3]*ir.Node{column, row, index}
		e := element{index: index}
		for a := range e.delta {
			e.delta[a] = difference(b, p[a], g.elements[a].at(b, at[a]))
		}
		return step(e, acc)
	}
	if !g.lattice {
		return r.loop(b, g.probe.Elements(), func(i *ir.Node, acc []*ir.Node) []*ir.Node { return visit(i, i, i, acc) })
	}
	columns := b.I32(g.probe.Columns)
	return r.loop(b, g.probe.Rows, func(j *ir.Node, acc []*ir.Node) []*ir.Node {
		row := r.loop(b, g.probe.Columns, func(i *ir.Node, acc []*ir.Node) []*ir.Node {
			return visit(b.Add(b.Mul(j, columns), i), i, j, acc)
		})
		return r.join(acc, row)
	})
}

// difference is x - y, known now if both are.
func difference(b *ops.Body, x, y *ir.Node) *ir.Node {
	if x.Kind == ir.KConst && y.Kind == ir.KConst {
		return b.F32(x.F - y.F)
	}
	return b.Sub(x, y)
}

// squares is the sum of squares, less those known to be zero.
func squares(b *ops.Body, v ...*ir.Node) *ir.Node {
	var sum *ir.Node
	for _, x := range v {
		switch {
		case x.IsConst(0):
		case sum == nil:
			sum = b.Mul(x, x)
		default:
			sum = b.Add(sum, b.Mul(x, x))
		}
	}
	if sum == nil {
		return b.F32(0)
	}
	return sum
}

// length is the length of a way.
func length(b *ops.Body, way point) *ir.Node { return b.Sqrt(squares(b, way[:]...)) }
