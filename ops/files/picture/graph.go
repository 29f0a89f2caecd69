package picture

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Curve is values over the abscissas of a graph.
type Curve struct {
	Name   string
	Values []float64
}

// GraphPanel is curves with a scale in common.
type GraphPanel struct {
	Label  string // of the scale: what it shows, with its unit
	Curves []Curve
}

// Graph is panels below each other over abscissas in common. Where these rise or fall from value to value, curves are lines, otherwise points.
type Graph struct {
	Title  string
	X      []float64
	Label  string // of the abscissas
	Panels []GraphPanel
}

const (
	graphWidth = 960
	firstPanel = 360 // dots of height
	nextPanel  = 200
)

// inks are the colours of curves, one after the other.
var inks = []color.RGBA{{31, 90, 165, 255}, {214, 95, 14, 255}, {35, 139, 69, 255}, {140, 60, 150, 255}, {120, 120, 120, 255}}

// span is the least and the greatest of finite values, with a little room.
func span(lists ...[]float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, list := range lists {
		for _, v := range list {
			if v-v == 0 {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	if lo > hi {
		return 0, 1
	}
	room := 0.04 * (hi - lo)
	if room == 0 {
		room = max(math.Abs(lo), 1) / 2
	}
	return lo - room, hi + room
}

// ordered says whether values rise all along, or fall.
func ordered(x []float64) bool {
	for i := 1; i < len(x); i++ {
		if !((x[i]-x[i-1])*(x[len(x)-1]-x[0]) > 0) {
			return false
		}
	}
	return true
}

// DrawGraph renders a graph on white.
func DrawGraph(g Graph) *image.RGBA {
	top := margin
	if g.Title != "" {
		top += lineHeight(titleSize) + gap
	}
	type scale struct {
		lo, hi float64
		ticks  []tick
	}
	scales := make([]scale, len(g.Panels))
	across := 0
	for i, p := range g.Panels {
		var lists [][]float64
		for _, c := range p.Curves {
			lists = append(lists, c.Values)
		}
		s := &scales[i]
		s.lo, s.hi = span(lists...)
		s.ticks = ticks(s.lo, s.hi, panelHeight(i)/52, false)
		across = max(across, widest(s.ticks, tickSize))
	}
	left := margin + lineHeight(labelSize) + 2*gap + across + tickLength
	bottom := top
	areas := make([]image.Rectangle, len(g.Panels))
	for i := range g.Panels {
		areas[i] = image.Rect(left, bottom, left+graphWidth, bottom+panelHeight(i))
		bottom += panelHeight(i) + gap
	}
	size := image.Pt(left+graphWidth+panelGap, bottom+tickLength+gap+lineHeight(tickSize)+gap+lineHeight(labelSize)+margin)
	letters, img := newLetters(size)
	letters.put(g.Title, titleSize, image.Pt(size.X/2, margin), text.XCenter, text.YTop)
	x0, x1 := span(g.X)
	for i, p := range g.Panels {
		a, s := areas[i], scales[i]
		frame(img, a)
		for _, t := range s.ticks {
			y := a.Min.Y + along(t.at, s.hi, s.lo, a.Dy())
			fill(img, image.Rect(a.Min.X-frameWidth-tickLength, y-1, a.Min.X, y+1), ink)
			letters.put(typographic(t.label), tickSize, image.Pt(a.Min.X-tickLength-gap, y-lift), text.XRight, text.YCenter)
		}
		letters.upward(p.Label, labelSize, image.Pt(margin+lineHeight(labelSize)/2, (a.Min.Y+a.Max.Y)/2))
		x := a.Min.X + gap
		for k, c := range p.Curves {
			pen := inks[k%len(inks)]
			letters.curve(a, g.X, c.Values, [4]float64{x0, x1, s.lo, s.hi}, pen)
			if len(p.Curves) > 1 {
				fill(img, image.Rect(x, a.Min.Y+gap+lineHeight(tickSize)/2-2, x+24, a.Min.Y+gap+lineHeight(tickSize)/2+2), pen)
				letters.put(c.Name, tickSize, image.Pt(x+24+gap, a.Min.Y+gap), text.XLeft, text.YTop)
				x += 24 + 3*gap + textWidth(c.Name, tickSize)
			}
		}
	}
	last := areas[len(areas)-1]
	for _, t := range ticks(x0, x1, graphWidth/82, false) {
		x := last.Min.X + along(t.at, x0, x1, graphWidth)
		fill(img, image.Rect(x-1, last.Max.Y, x+1, last.Max.Y+frameWidth+tickLength), ink)
		letters.put(typographic(t.label), tickSize, image.Pt(x, last.Max.Y+tickLength+gap), text.XCenter, text.YTop)
	}
	letters.put(g.Label, labelSize, image.Pt(left+graphWidth/2, last.Max.Y+tickLength+2*gap+lineHeight(tickSize)), text.XCenter, text.YTop)
	return img
}

func panelHeight(i int) int {
	if i == 0 {
		return firstPanel
	}
	return nextPanel
}

// curve draws values over x within a rectangle that shows these ends of x and of the values. What is not finite leaves a gap.
func (l *letters) curve(a image.Rectangle, x, values []float64, ends [4]float64, pen color.RGBA) {
	lines := ordered(x)
	canvas := draw.Crop(l.canvas, vg.Length(a.Min.X), vg.Length(a.Max.X)-l.canvas.Max.X, vg.Length(l.height-a.Max.Y), vg.Length(l.height-a.Min.Y)-l.canvas.Max.Y)
	style := draw.LineStyle{Color: pen, Width: 1.2}
	var part []vg.Point
	flush := func() {
		if lines && len(part) > 1 {
			canvas.StrokeLines(style, canvas.ClipLinesXY(part)...)
		}
		part = part[:0]
	}
	for i, v := range values {
		if v-v != 0 || x[i]-x[i] != 0 {
			flush()
			continue
		}
		at := vg.Point{X: vg.Length(float64(a.Min.X) + (x[i]-ends[0])/(ends[1]-ends[0])*float64(a.Dx())),
			Y: vg.Length(float64(l.height-a.Max.Y) + (v-ends[2])/(ends[3]-ends[2])*float64(a.Dy()))}
		if part = append(part, at); !lines {
			canvas.DrawGlyph(draw.GlyphStyle{Color: pen, Radius: 1.8, Shape: draw.CircleGlyph{}}, at)
		}
	}
	flush()
}

// add adds a curve to the panel of a name: what stands before the point in its own, or all of it.
func (g *Graph) add(name, unit string, values []float64) {
	group, own, grouped := strings.Cut(name, ".")
	label := group
	if unit != "" {
		label = fmt.Sprintf("%s (%s)", group, unit)
	}
	if n := len(g.Panels); !grouped || n == 0 || g.Panels[n-1].Label != label {
		g.Panels = append(g.Panels, GraphPanel{Label: label})
		if !grouped {
			own = name
		}
	}
	p := &g.Panels[len(g.Panels)-1]
	p.Curves = append(p.Curves, Curve{own, values})
}
