package ops

import (
	"fmt"
	"math"

	"weft/kernels/ir"
)

// MaxTables is ir.MaxPyramid in terms of stages: the largest element of all, and tables over the two innermost dims.
type MaxTables struct {
	Top    *Stage
	Levels []MaxLevel
}

// MaxLevel is one table: entry (r, c) holds the largest element, NaN apart, of rows [r<<Shift, (r<<Shift)+Rows) and columns
// [c<<Shift, (c<<Shift)+Cols); see ir.MaxTable.
type MaxLevel struct {
	Table      *Stage
	Shift      int
	Rows, Cols int
	Block      int // iterations of a fold whose window is meant to fit
}

// Stages are the tables, the top one first.
func (t *MaxTables) Stages() []*Stage {
	if t == nil {
		return nil
	}
	out := []*Stage{t.Top}
	for _, l := range t.Levels {
		out = append(out, l.Table)
	}
	return out
}

// Levels of the tables. A table answers for the elements that a patch of points meets within a block of iterations; patchRows and
// patchColumns are the largest patch a renderer is expected to work on at once.
const (
	patchRows    = 8
	patchColumns = 16
)

var levels = []struct{ shift, block int }{{4, 32}, {3, 8}}

// Define makes a stage of a name.
type Define func(name string, t Type, inputs []*Stage, elem func(b *Body, index []*ir.Node) Elem) *Stage

// Tallest defines tables of a stage of two dims: the largest elements of cells of 8 and 16 by as many, the largest of overlapping groups of
// cells, and the largest of all.
func Tallest(s *Stage, name string, define Define) *MaxTables {
	largest := func(name string, in *Stage, stepRows, stepColumns, rows, columns int) *Stage {
		return largest(define, name, in, stepRows, stepColumns, rows, columns)
	}
	strips := largest(name+".strips", s, 8, 1, 8, 1)
	cells := largest(name+".cells8", strips, 1, 8, 1, 8)
	byShift := map[int]*Stage{3: cells, 4: largest(name+".cells16", cells, 2, 2, 2, 2)}
	out := &MaxTables{Top: largestOfAll(define, name+".top", byShift[4])}
	for _, v := range levels {
		cell := 1 << v.shift
		groupRows, groupColumns := cellsFor(cell, patchRows, v.block), cellsFor(cell, patchColumns, v.block)
		table := largest(fmt.Sprintf("%s.groups%d", name, cell), byShift[v.shift], 1, 1, groupRows, groupColumns)
		out.Levels = append(out.Levels, MaxLevel{Table: table, Shift: v.shift, Rows: groupRows * cell, Cols: groupColumns * cell, Block: v.block})
	}
	return out
}

// cellsFor is how many cells hold a patch moved by up to a block of steps, wherever in the first cell it begins.
func cellsFor(cell, patch, block int) int {
	window := patch + block - 1
	return (window+cell-2)/cell + 1
}

// largest is the largest element, NaN apart, of windows of rows x columns elements, one every stepRows x stepColumns.
func largest(define Define, name string, in *Stage, stepRows, stepColumns, rows, columns int) *Stage {
	dims := in.Type.Dims
	h, w := dims[0].Size, dims[1].Size
	t := Type{Elem: in.Type.Elem, Unit: in.Type.Unit, Dims: []Dim{
		{Name: dims[0].Name, Size: (h + stepRows - 1) / stepRows}, {Name: dims[1].Name, Size: (w + stepColumns - 1) / stepColumns}}}
	return define(name, t, []*Stage{in}, func(b *Body, index []*ir.Node) Elem {
		base := in.Type.Elem.Base
		y0, x0 := b.Mul(index[0], b.I32(stepRows)), b.Mul(index[1], b.I32(stepColumns))
		return Real(largestOf(b, base, rows, func(i *ir.Node) *ir.Node {
			y := b.Min(b.Add(y0, i), b.I32(h-1))
			return largestOf(b, base, columns, func(j *ir.Node) *ir.Node {
				return in.At(b, y, b.Min(b.Add(x0, j), b.I32(w-1))).Re
			})
		}))
	})
}

// largestOf is the largest of n values, NaN apart.
func largestOf(b *Body, t ir.DType, n int, value func(i *ir.Node) *ir.Node) *ir.Node {
	if n == 1 {
		return value(b.I32(0))
	}
	spec := ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(n), Init: []*ir.Node{b.Const(t, math.Inf(-1))}, Monoid: ir.Largest}
	return b.Fold(spec, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		return []*ir.Node{b.Max(value(i), acc[0])}, nil
	})[0]
}

func largestOfAll(define Define, name string, in *Stage) *Stage {
	h, w := in.Type.Dims[0].Size, in.Type.Dims[1].Size
	return define(name, Type{Elem: in.Type.Elem, Unit: in.Type.Unit}, []*Stage{in}, func(b *Body, _ []*ir.Node) Elem {
		return Real(largestOf(b, in.Type.Elem.Base, h, func(y *ir.Node) *ir.Node {
			return largestOf(b, in.Type.Elem.Base, w, func(x *ir.Node) *ir.Node { return in.At(b, y, x).Re })
		}))
	})
}
