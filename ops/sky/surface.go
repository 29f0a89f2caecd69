package sky

import (
	"fmt"
	"math"

	"weft/kernels/ir"
	"weft/ops"
)

// newSurface lays a margin around a raster of heights, which define gives inside; outside, nothing stands: -Inf. With tall,
// the surface carries tables of its largest heights.
func newSurface(l *ops.Lowering, name string, r raster, y *rays, tall bool, inputs []*ops.Stage, define func(b *ops.Body, inside, y, x *ir.Node) *ir.Node) surface {
	s := surface{rays: y, rows: y.rows, columns: y.columns}
	t := ops.Type{Elem: ops.F32, Unit: ops.MustUnit("m"), Dims: []ops.Dim{{Name: "y", Size: r.rows() + 2*s.rows}, {Name: "x", Size: r.columns() + 2*s.columns}}}
	s.stage = l.Stage(name, t, inputs, func(b *ops.Body, index []*ir.Node) ops.Elem {
		y, x := b.Sub(index[0], b.I32(s.rows)), b.Sub(index[1], b.I32(s.columns))
		inside := b.And(within(b, y, r.rows()), within(b, x, r.columns()))
		return ops.Real(b.Select(inside, define(b, inside, y, x), b.F32(math.Inf(-1))))
	})
	s.stage.Steps = []string{"margin"}
	if tall {
		s.stage.Tall = tallest(l, name, s.stage)
	}
	return s
}

func within(b *ops.Body, i *ir.Node, n int) *ir.Node {
	return b.And(b.Le(b.I32(0), i), b.Lt(i, b.I32(n)))
}

// Levels of the tables of largest heights. A table answers for the pixels that a patch of pixels meets within a block of
// steps; patchRows and patchColumns are the largest patch a renderer is expected to work on at once.
const (
	patchRows    = 8
	patchColumns = 16
)

var levels = []struct{ shift, block int }{{4, 32}, {3, 8}}

// tallest defines the tables of a surface: the largest heights of cells of 8 and 16 pixels, the largest of overlapping groups of
// cells, and the largest of all.
func tallest(l *ops.Lowering, name string, s *ops.Stage) *ops.MaxTables {
	strips := largest(l, name+".strips", s, 8, 1, 8, 1)
	cells := largest(l, name+".cells8", strips, 1, 8, 1, 8)
	byShift := map[int]*ops.Stage{3: cells, 4: largest(l, name+".cells16", cells, 2, 2, 2, 2)}
	out := &ops.MaxTables{Top: largestOfAll(l, name+".top", byShift[4])}
	for _, v := range levels {
		cell := 1 << v.shift
		groupRows, groupColumns := cellsFor(cell, patchRows, v.block), cellsFor(cell, patchColumns, v.block)
		table := largest(l, fmt.Sprintf("%s.groups%d", name, cell), byShift[v.shift], 1, 1, groupRows, groupColumns)
		out.Levels = append(out.Levels, ops.MaxLevel{Table: table, Shift: v.shift, Rows: groupRows * cell, Cols: groupColumns * cell, Block: v.block})
	}
	return out
}

// cellsFor is how many cells hold a patch moved by up to a block of steps, wherever in the first cell it begins.
func cellsFor(cell, patch, block int) int {
	window := patch + block - 1
	return (window+cell-2)/cell + 1
}

// largest is the largest element, NaN apart, of windows of rows x columns elements, one every stepRows x stepColumns.
func largest(l *ops.Lowering, name string, in *ops.Stage, stepRows, stepColumns, rows, columns int) *ops.Stage {
	h, w := in.Type.Dims[0].Size, in.Type.Dims[1].Size
	t := ops.Type{Elem: ops.F32, Unit: in.Type.Unit, Dims: []ops.Dim{
		{Name: "y", Size: (h + stepRows - 1) / stepRows}, {Name: "x", Size: (w + stepColumns - 1) / stepColumns}}}
	return l.Stage(name, t, []*ops.Stage{in}, func(b *ops.Body, index []*ir.Node) ops.Elem {
		y0, x0 := b.Mul(index[0], b.I32(stepRows)), b.Mul(index[1], b.I32(stepColumns))
		return ops.Real(over(b, rows, func(i *ir.Node) *ir.Node {
			y := b.Min(b.Add(y0, i), b.I32(h-1))
			return over(b, columns, func(j *ir.Node) *ir.Node {
				return in.At(b, y, b.Min(b.Add(x0, j), b.I32(w-1))).Re
			})
		}))
	})
}

// over is the largest of n values, NaN apart.
func over(b *ops.Body, n int, value func(i *ir.Node) *ir.Node) *ir.Node {
	if n == 1 {
		return value(b.I32(0))
	}
	spec := ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(n), Init: []*ir.Node{b.F32(math.Inf(-1))}, Monoid: ir.Largest}
	return b.Fold(spec, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		return []*ir.Node{b.Max(value(i), acc[0])}, nil
	})[0]
}

func largestOfAll(l *ops.Lowering, name string, in *ops.Stage) *ops.Stage {
	h, w := in.Type.Dims[0].Size, in.Type.Dims[1].Size
	return l.Stage(name, ops.Type{Elem: ops.F32, Unit: in.Type.Unit}, []*ops.Stage{in}, func(b *ops.Body, _ []*ir.Node) ops.Elem {
		return ops.Real(over(b, h, func(y *ir.Node) *ir.Node {
			return over(b, w, func(x *ir.Node) *ir.Node { return in.At(b, y, x).Re })
		}))
	})
}
