package sky

import (
	"fmt"

	"weft/kernels/ir"
	"weft/ops"
)

// rays are a list of rays as tables: a row a ray, as long as the longest, its last step repeated.
type rays struct {
	list          []ray
	steps         int // of the longest, the pixel itself included
	rows, columns int // furthest offsets
	count         *ops.Stage
	row, column   *ops.Stage
	rise          *ops.Stage // one column later than the others: column k is the rise one step before step k
}

func newRays(l *ops.Lowering, list []ray) *rays {
	y := &rays{list: list}
	for _, r := range list {
		y.steps = max(y.steps, len(r.row))
		for k := range r.row {
			y.rows, y.columns = max(y.rows, r.row[k], -r.row[k]), max(y.columns, r.column[k], -r.column[k])
		}
	}
	width := max(y.steps, 1)
	ray, step := ops.Dim{Name: "ray", Size: len(list)}, ops.Dim{Name: "step", Size: width}
	var count, row, column, rise []float64
	for _, r := range list {
		count = append(count, float64(len(r.row)))
		rise = append(rise, 0)
		for k := range width {
			at := min(k, len(r.row)-1)
			if at < 0 { // an upright ray
				row, column, rise = append(row, 0), append(column, 0), append(rise, 0)
				continue
			}
			row, column, rise = append(row, float64(r.row[at])), append(column, float64(r.column[at])), append(rise, single(r.rise[at]))
		}
	}
	y.count = l.Table("steps", ir.I32, count, ray)
	y.row, y.column = l.Table("rows", ir.I32, row, ray, step), l.Table("columns", ir.I32, column, ray, step)
	y.rise = l.Table("rise", ir.F32, rise, ray, ops.Dim{Name: "step", Size: width + 1})
	y.row.Facts.Mono, y.column.Facts.Mono, y.rise.Facts.Mono = ir.MonoEither, ir.MonoEither, 1
	return y
}

func (y *rays) tables() []*ops.Stage { return []*ops.Stage{y.count, y.row, y.column, y.rise} }

// total is the number of steps of all rays beyond their own pixels.
func (y *rays) total() int {
	n := 0
	for _, r := range y.list {
		n += max(len(r.row)-1, 0)
	}
	return n
}

func (y *rays) describe() string {
	return fmt.Sprintf("%d rays, %d steps", len(y.list), y.total())
}

// march folds over the steps of ray p, from the given one.
func (y *rays) march(b *ops.Body, p *ir.Node, from int, spec ir.FoldSpec, step func(k *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node)) []*ir.Node {
	spec.Name, spec.Lo, spec.Hi = "step", b.I32(from), y.count.At(b, p).Re
	return b.Fold(spec, step)
}

// rises are the heights of ray p at step k and one step before.
func (y *rays) rises(b *ops.Body, p, k *ir.Node) (now, before *ir.Node) {
	return y.rise.At(b, p, b.Add(k, b.I32(1))).Re, y.rise.At(b, p, k).Re
}

// surface is a raster of heights with a margin as wide as rays are long, so that no ray leaves it.
type surface struct {
	stage         *ops.Stage
	rays          *rays
	rows, columns int // margin
}

// at is the height of the pixel (y, x) of the raster.
func (s surface) at(b *ops.Body, y, x *ir.Node) *ir.Node {
	return s.stage.At(b, b.Add(y, b.I32(s.rows)), b.Add(x, b.I32(s.columns))).Re
}

// along is the height at step k of ray p from the pixel (y, x).
func (s surface) along(b *ops.Body, p, k, y, x *ir.Node) *ir.Node {
	row := b.Add(b.Add(y, b.I32(s.rows)), s.rays.row.At(b, p, k).Re)
	column := b.Add(b.Add(x, b.I32(s.columns)), s.rays.column.At(b, p, k).Re)
	return s.stage.At(b, row, column).Re
}

// inputs are what a stage that reads the surface must list.
func (s surface) inputs() []*ops.Stage {
	return append([]*ops.Stage{s.stage}, s.stage.Tall.Stages()...)
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
