package picture

import (
	"image"
	"math"
)

// All lengths here are dots of the figure.
const (
	tickSize   = 19 // letters
	labelSize  = 21
	titleSize  = 23
	tickLength = 7
	gap        = 9 // between letters and what they belong to
	margin     = 22
	panelGap   = 34
	barWidth   = 24
	frameWidth = 2
	lift       = 2 // of figures beside a tick: they have nothing below the line
)

// limits are the greatest size of a panel's array, in dots.
type limits struct{ width, height float64 }

func panelLimits(panels int) limits {
	if panels == 1 {
		return limits{840, 640}
	}
	return limits{max(1440/float64(panels), 200), 480}
}

// shape is the size of one image in its own unit. Images with equal units are drawn to the same scale.
type shape struct {
	width, height float64
	unit          string
	free          bool // directions of different kinds: any ratio is as good
	counted       bool // the unit is a pixel
}

func shapeOf(m *Image) shape {
	x0, x1 := m.X.edges(m.Cols)
	y0, y1 := m.Y.edges(m.Rows)
	s := shape{width: math.Abs(x1 - x0), height: math.Abs(y1 - y0), unit: m.X.Unit}
	s.counted = m.X.counted() && m.Y.counted()
	s.free = m.X.counted() != m.Y.counted() || m.X.Unit != m.Y.Unit && !s.counted
	return s
}

// arraySizes are the dots that each image's array takes up.
func arraySizes(images []Image, most limits) []image.Point {
	type group struct {
		unit    string
		counted bool
	}
	scale := map[group]float64{}
	for i := range images {
		s := shapeOf(&images[i])
		if s.free {
			continue
		}
		g := group{s.unit, s.counted}
		fit := min(most.width/s.width, most.height/s.height)
		if s.counted && fit > 1 {
			fit = math.Floor(fit) // whole dots for every pixel
		}
		if known, ok := scale[g]; !ok || fit < known {
			scale[g] = fit
		}
	}
	sizes := make([]image.Point, len(images))
	for i := range images {
		s := shapeOf(&images[i])
		width, height := most.width, most.width*3/4
		if height > most.height {
			width, height = most.height*4/3, most.height
		}
		if !s.free {
			k := scale[group{s.unit, s.counted}]
			width, height = s.width*k, s.height*k
		}
		sizes[i] = image.Pt(max(int(math.Round(width)), 1), max(int(math.Round(height)), 1))
	}
	return sizes
}

// panel is the place of one image in a figure.
type panel struct {
	image  *Image
	array  image.Rectangle
	xTicks []tick
	yTicks []tick
}

// layout is the place of everything in a figure.
type layout struct {
	size     image.Point
	panels   []panel
	bar      image.Rectangle
	barTicks []tick
	swatch   image.Rectangle // key of the colour of missing data; empty if none is missing
	title    image.Point     // middle of the upper edge
}

// widest is the dots across the widest label.
func widest(all []tick, size float64) int {
	w := 0
	for _, t := range all {
		w = max(w, textWidth(typographic(t.label), size))
	}
	return w
}

// arrange places the panels from left to right with their upper edges in line, and the colour bar after them.
func arrange(f *Figure, most limits) layout {
	var l layout
	top := margin
	if f.Title != "" {
		top += lineHeight(titleSize) + gap
	}
	titles := false
	for i := range f.Panels {
		titles = titles || f.Panels[i].Title != ""
	}
	if titles {
		top += lineHeight(labelSize) + gap
	}
	x, bottom := margin, top
	tallest := 0
	for i, size := range arraySizes(f.Panels, most) {
		m := &f.Panels[i]
		x0, x1 := m.X.edges(m.Cols)
		y0, y1 := m.Y.edges(m.Rows)
		p := panel{image: m}
		p.yTicks = ticks(y0, y1, max(size.Y/52, 2), m.Y.counted())
		p.xTicks = ticks(x0, x1, max(size.X/82, 2), m.X.counted())
		x += widest(p.yTicks, tickSize) + tickLength + gap + frameWidth
		below := tickLength + gap + lineHeight(tickSize)
		if m.Y.label("row") != "" {
			x += lineHeight(labelSize) + gap
		}
		if m.X.label("column") != "" {
			below += lineHeight(labelSize) + gap
		}
		p.array = image.Rect(x, top, x+size.X, top+size.Y)
		l.panels = append(l.panels, p)
		// A title or the last tick label may be wider than the array.
		x += max(size.X, (size.X+textWidth(m.Title, labelSize))/2) + panelGap
		bottom = max(bottom, p.array.Max.Y+below)
		tallest = max(tallest, size.Y)
	}
	tallest = max(tallest, shortestBar, (len(f.few)+len(f.Steps))*lineHeight(tickSize))
	l.bar = image.Rect(x, top, x+barWidth, top+tallest)
	if f.missing {
		l.swatch = image.Rect(x, l.bar.Max.Y-barWidth, x+barWidth, l.bar.Max.Y)
		l.bar.Max.Y -= barWidth + 2*gap
	}
	l.barTicks = f.barTicks(max(l.bar.Dy()/52, 2))
	across := widest(l.barTicks, tickSize)
	if f.Label != "" {
		across += gap + lineHeight(labelSize)
	}
	if f.missing {
		across = max(across, textWidth(missingLabel, tickSize))
	}
	x += barWidth + tickLength + gap + across
	bottom = max(bottom, top+tallest+lineHeight(tickSize)/2)
	l.size = image.Pt(max(x, margin+textWidth(f.Title, titleSize))+margin, bottom+margin)
	l.title = image.Pt(l.size.X/2, margin)
	return l
}

// barTicks are at most so many places along the colour bar, or one for each of few values or steps.
func (f *Figure) barTicks(most int) (all []tick) {
	along := func(share float64, v float64) { all = append(all, tick{f.Lo + (f.Hi-f.Lo)*share, f.text(v)}) }
	for i, v := range f.few {
		along((float64(i)+0.5)/float64(len(f.few)), v)
	}
	for i, v := range f.Steps {
		along(float64(i+1)/float64(len(f.Steps)+1), v)
	}
	if all == nil {
		return ticks(f.Lo, f.Hi, most, false)
	}
	return all
}

const (
	missingLabel = "no data"
	shortestBar  = 120
)
