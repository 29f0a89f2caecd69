package sky

import (
	"fmt"
	"math"

	"weft/kernels/ir"
	"weft/ops"
)

// filter is Goodwin's filter as tables: by turn, the pixels of the line and of its two sides.
type filter struct {
	raster
	size    int
	turns   int
	line    window
	sides   [2]window
	heights surface // of the raster
	walls   surface // 1 where there is a wall, with a margin of half a window
}

// window is a list of offsets for each turn, as long as the longest.
type window struct{ count, row, column *ops.Stage }

// Lower finds the steps, and then the lines that cover them.
func (w *walling) Lower(l *ops.Lowering) []*ops.Stage {
	r := w.raster
	in := l.In("input")
	near := newSurface(l, "near", r, 1, []*ops.Stage{in}, func(b *ops.Body, inside, y, x *ir.Node) *ir.Node { return height(b, in, inside, y, x) })
	step := l.Stage("height", r.output(ops.F32, "m"), []*ops.Stage{near.stage}, func(b *ops.Body, index []*ir.Node) ops.Elem {
		return ops.Real(stepHeight(b, r, near, w.limit, index[0], index[1]))
	})
	step.Exact, step.Steps = true, []string{"highest neighbour"}
	f := newFilter(l, r, in, step)
	aspect := l.Stage("aspect", r.output(ops.F32, "deg"), f.inputs(step), func(b *ops.Body, index []*ir.Node) ops.Elem {
		h := step.At(b, index...).Re
		found := b.Select(b.Lt(b.F32(0.5), h), f.aspect(b, index[0], index[1]), b.F32(0))
		return ops.Real(b.Select(number(b, h), found, b.F32(math.NaN())))
	})
	aspect.Exact, aspect.Steps = true, []string{fmt.Sprintf("180 lines of %d pixels", f.size), "higher side"}
	step.Void, aspect.Void = r.noHeights(), r.noHeights()
	return []*ops.Stage{step, aspect}
}

// stepHeight is how much the highest neighbour rises above a pixel; see walls.
func stepHeight(b *ops.Body, r raster, near surface, limit float64, y, x *ir.Node) *ir.Node {
	highest := b.F32(math.Inf(-1))
	for _, o := range []offset{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
		highest = b.Max(near.at(b, b.Add(y, b.I32(o.row)), b.Add(x, b.I32(o.column))), highest)
	}
	self := near.at(b, y, x)
	step := b.Sub(b.Cast(ir.F64, highest), b.Cast(ir.F64, self))
	inner := b.And(within(b, b.Sub(y, b.I32(1)), r.rows()-2), within(b, b.Sub(x, b.I32(1)), r.columns()-2))
	v := b.Select(b.And(inner, b.Le(b.F64(limit), step)), b.Cast(ir.F32, step), b.F32(0))
	return b.Select(number(b, self), v, b.F32(math.NaN()))
}

func newFilter(l *ops.Lowering, r raster, in, step *ops.Stage) *filter {
	f := &filter{raster: r, size: filterSize(r.pixel)}
	list := directions(f.size)
	f.turns = len(list)
	f.line = newWindow(l, "line", list, func(d direction) []offset { return d.line })
	f.sides[0] = newWindow(l, "first", list, func(d direction) []offset { return d.first })
	f.sides[1] = newWindow(l, "other", list, func(d direction) []offset { return d.other })
	f.heights = newSurface(l, "heights", r, f.size, []*ops.Stage{in}, func(b *ops.Body, inside, y, x *ir.Node) *ir.Node { return height(b, in, inside, y, x) })
	f.walls = newSurface(l, "walled", r, f.size, []*ops.Stage{step}, func(b *ops.Body, inside, y, x *ir.Node) *ir.Node {
		return b.Select(b.Lt(b.F32(0.5), step.AtOr(b, inside, 0, y, x).Re), b.F32(1), b.F32(0))
	})
	return f
}

func newWindow(l *ops.Lowering, name string, list []direction, part func(direction) []offset) window {
	longest := 1
	for _, d := range list {
		longest = max(longest, len(part(d)))
	}
	var count []float64
	row, column := make([]float64, len(list)*longest), make([]float64, len(list)*longest)
	for turn, d := range list {
		count = append(count, float64(len(part(d))))
		for i, o := range part(d) {
			row[turn*longest+i], column[turn*longest+i] = float64(o.row), float64(o.column)
		}
	}
	turn, place := ops.Dim{Name: "turn", Size: len(list)}, ops.Dim{Name: "place", Size: longest}
	return window{l.Table(name+".count", ir.I32, count, turn), l.Table(name+".rows", ir.I32, row, turn, place), l.Table(name+".columns", ir.I32, column, turn, place)}
}

func (f *filter) inputs(step *ops.Stage) []*ops.Stage {
	out := []*ops.Stage{step, f.heights.stage, f.walls.stage}
	for _, w := range append(f.sides[:], f.line) {
		out = append(out, w.count, w.row, w.column)
	}
	return out
}

// sum adds up a surface over the pixels of a window about (y, x).
func (w window) sum(b *ops.Body, t ir.DType, s surface, turn, y, x *ir.Node) *ir.Node {
	spec := ir.FoldSpec{Lo: b.I32(0), Hi: w.count.At(b, turn).Re, Init: []*ir.Node{b.Const(t, 0)}}
	return b.Fold(spec, func(i *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		v := s.at(b, b.Add(y, w.row.At(b, turn, i).Re), b.Add(x, w.column.At(b, turn, i).Re))
		return []*ir.Node{b.Add(acc[0], b.Cast(t, v))}, nil
	})[0]
}

// aspect is the azimuth of the wall at a pixel in radians.
func (f *filter) aspect(b *ops.Body, y, x *ir.Node) *ir.Node {
	spec := ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(f.turns), Init: []*ir.Node{b.F32(0), b.I32(0)}}
	best := b.Fold(spec, func(turn *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		score := f.line.sum(b, ir.F32, f.walls, turn, y, x)
		better := b.Lt(acc[0], score)
		return []*ir.Node{b.Select(better, score, acc[0]), b.Select(better, turn, acc[1])}, nil
	})[1]
	first, other := f.sides[0].sum(b, ir.F64, f.heights, best, y, x), f.sides[1].sum(b, ir.F64, f.heights, best, y, x)
	azimuth := b.Sub(b.I32(firstAzimuth), best)
	azimuth = b.Select(b.Lt(other, first), b.Sub(azimuth, b.I32(180)), azimuth)
	azimuth = b.Select(b.Lt(azimuth, b.I32(0)), b.Add(azimuth, b.I32(360)), azimuth)
	half := f.size / 2
	fits := b.And(within(b, b.Sub(y, b.I32(half)), f.rows()-f.size-1), within(b, b.Sub(x, b.I32(half)), f.columns()-f.size-1))
	byLine := b.Mul(b.Cast(ir.F64, azimuth), b.F64(math.Pi/180))
	none := b.Or(b.Not(fits), b.Alu(ir.Eq, azimuth, b.I32(0)))
	return b.Cast(ir.F32, b.Select(none, f.slope(b, y, x), byLine))
}

// slope is the azimuth of the gradient: central differences, one-sided at the edges.
func (f *filter) slope(b *ops.Body, y, x *ir.Node) *ir.Node {
	difference := func(i *ir.Node, n int, at func(i *ir.Node) *ir.Node) *ir.Node {
		if n < 2 {
			return b.F64(0)
		}
		before, after := b.Alu(ir.Max, b.Sub(i, b.I32(1)), b.I32(0)), b.Min(b.Add(i, b.I32(1)), b.I32(n-1))
		rise := b.Sub(b.Cast(ir.F64, at(after)), b.Cast(ir.F64, at(before)))
		return b.Div(rise, b.Mul(b.Cast(ir.F64, b.Sub(after, before)), b.F64(f.pixel)))
	}
	south := difference(y, f.rows(), func(i *ir.Node) *ir.Node { return f.heights.at(b, i, x) })
	east := difference(x, f.columns(), func(i *ir.Node) *ir.Node { return f.heights.at(b, y, i) })
	angle := b.Neg(b.Alu(ir.Atan2, east, south))
	return b.Select(b.Lt(angle, b.F64(0)), b.Add(angle, b.F64(2*math.Pi)), angle)
}
