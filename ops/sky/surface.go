package sky

import (
	"math"

	"weft/kernels/ir"
	"weft/ops"
)

// surface is a raster of heights with a margin.
type surface struct {
	stage         *ops.Stage
	rows, columns int // of the margin
}

// newSurface lays a margin, as wide on all sides, around a raster of heights, which define gives inside; outside, nothing stands: -Inf.
func newSurface(l *ops.Lowering, name string, r raster, margin int, inputs []*ops.Stage, define func(b *ops.Body, inside, y, x *ir.Node) *ir.Node) surface {
	s := surface{rows: margin, columns: margin}
	t := ops.Type{Elem: ops.F32, Unit: ops.MustUnit("m"), Dims: []ops.Dim{{Name: "y", Size: r.rows() + 2*s.rows}, {Name: "x", Size: r.columns() + 2*s.columns}}}
	s.stage = l.Stage(name, t, inputs, func(b *ops.Body, index []*ir.Node) ops.Elem {
		y, x := b.Sub(index[0], b.I32(s.rows)), b.Sub(index[1], b.I32(s.columns))
		inside := b.And(within(b, y, r.rows()), within(b, x, r.columns()))
		return ops.Real(b.Select(inside, define(b, inside, y, x), b.F32(math.Inf(-1))))
	})
	s.stage.Steps = []string{"margin"}
	return s
}

// at is the height of the pixel (y, x) of the raster.
func (s surface) at(b *ops.Body, y, x *ir.Node) *ir.Node {
	return s.stage.At(b, b.Add(y, b.I32(s.rows)), b.Add(x, b.I32(s.columns))).Re
}

// height is the value of an input raster in a definition.
func height(b *ops.Body, in *ops.Stage, inside, y, x *ir.Node) *ir.Node {
	index := make([]*ir.Node, 2)
	yx := map[string]*ir.Node{"y": y, "x": x}
	for i, d := range in.Type.Dims {
		index[i] = yx[d.Name]
	}
	return b.Cast(ir.F32, in.AtOr(b, inside, 0, index...).Re)
}

// number tells that a value is not NaN.
func number(b *ops.Body, v *ir.Node) *ir.Node { return b.Alu(ir.Eq, v, v) }

func within(b *ops.Body, i *ir.Node, n int) *ir.Node {
	return b.And(b.Le(b.I32(0), i), b.Lt(i, b.I32(n)))
}
