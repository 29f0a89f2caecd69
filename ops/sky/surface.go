package sky

import (
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
		s.stage.Tall = ops.Tallest(s.stage, name, l.Stage)
	}
	return s
}

func within(b *ops.Body, i *ir.Node, n int) *ir.Node {
	return b.And(b.Le(b.I32(0), i), b.Lt(i, b.I32(n)))
}
