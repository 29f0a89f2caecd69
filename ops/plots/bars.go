package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// blocks are bars from 0, as wide as their distance.
type blocks struct {
	at   plotter.XYs
	wide float64
	hue  color.Color
}

// Plot fills them.
func (b *blocks) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, v := range b.at {
		l, r, top, bottom := x(v.X-b.wide/2), x(v.X+b.wide/2), y(v.Y), y(0)
		corners := []vg.Point{{X: l, Y: bottom}, {X: l, Y: top}, {X: r, Y: top}, {X: r, Y: bottom}}
		c.FillPolygon(b.hue, c.ClipPolygonXY(corners))
	}
}

// DataRange is what they take, with the line they stand on.
func (b *blocks) DataRange() (left, right, low, high float64) {
	left, right, low, high = plotter.XYRange(b.at)
	return left - b.wide/2, right + b.wide/2, math.Min(low, 0), math.Max(high, 0)
}

// Thumbnail is one of them, for the key.
func (b *blocks) Thumbnail(c *draw.Canvas) {
	c.FillPolygon(b.hue, []vg.Point{{X: c.Min.X, Y: c.Min.Y}, {X: c.Min.X, Y: c.Max.Y}, {X: c.Max.X, Y: c.Max.Y}, {X: c.Max.X, Y: c.Min.Y}})
}
