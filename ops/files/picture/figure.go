package picture

import (
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot/text"

	"weft/ops/files/fileio"
)

// Figure is one or several images side by side with a shared colour scale.
type Figure struct {
	Title  string
	Panels []Image
	Scale
	missing bool // some value is NaN
}

// resolve checks the figure and fills in what it leaves open.
func (f Figure) resolve() (Figure, error) {
	if len(f.Panels) == 0 {
		return f, errors.New("a figure needs at least one image")
	}
	for i := range f.Panels {
		if err := f.Panels[i].check(); err != nil {
			return f, fmt.Errorf("image %d of the figure: %w", i+1, err)
		}
	}
	var err error
	f.Scale, err = f.Scale.resolve(f.Panels)
	f.missing = hasNaN(f.Panels)
	f.Panels = slices.Clone(f.Panels)
	for i := range f.Panels {
		f.Panels[i].kinds = f.few != nil
	}
	return f, err
}

// Draw renders the figure on white. Images whose axes share a unit are drawn to one scale, equal in both directions;
// images that count pixels take a whole number of dots for each pixel, where they are not larger than the figure.
func Draw(f Figure) (*image.RGBA, error) {
	return render(f, panelLimits(len(f.Panels)))
}

func render(f Figure, most limits) (*image.RGBA, error) {
	f, c, l, err := f.arranged(most)
	if err != nil {
		return nil, err
	}
	s := newSheet(l.size)
	l.draw(s, &f, c)
	return s.dots, nil
}

// arranged is a figure with nothing left open, its colours, and where everything has its place.
func (f Figure) arranged(most limits) (Figure, *colours, layout, error) {
	f, err := f.resolve()
	if err != nil {
		return f, nil, layout{}, err
	}
	c, err := f.colours()
	if err == nil {
		c.behind, err = behind(f.Panels)
	}
	return f, c, arrange(&f, most), err
}

func (l *layout) draw(s *sheet, f *Figure, c *colours) {
	if f.Title != "" {
		s.put(f.Title, titleSize, l.title, text.XCenter, text.YTop)
	}
	for i := range l.panels {
		l.panels[i].draw(s, c)
	}
	l.drawBar(s, f, c)
}

func (p *panel) draw(s *sheet, c *colours) {
	m, a := p.image, p.array
	s.place(a, paint(a.Size().Mul(s.fineness()), m, c))
	s.frame(a)
	middle := a.Min.Add(a.Max).Div(2)
	if m.Title != "" {
		s.put(m.Title, labelSize, image.Pt(middle.X, a.Min.Y-gap-frameWidth), text.XCenter, text.YBottom)
	}
	x0, x1 := m.X.edges(m.Cols)
	for _, t := range p.xTicks {
		x := a.Min.X + along(t.at, x0, x1, a.Dx())
		s.fill(image.Rect(x-1, a.Max.Y, x+1, a.Max.Y+frameWidth+tickLength), ink)
		s.put(typographic(t.label), tickSize, image.Pt(x, a.Max.Y+tickLength+gap), text.XCenter, text.YTop)
	}
	s.put(m.X.label("column"), labelSize, image.Pt(middle.X, a.Max.Y+tickLength+2*gap+lineHeight(tickSize)), text.XCenter, text.YTop)
	y0, y1 := m.Y.edges(m.Rows)
	for _, t := range p.yTicks {
		y := a.Min.Y + along(t.at, y0, y1, a.Dy())
		s.fill(image.Rect(a.Min.X-frameWidth-tickLength, y-1, a.Min.X, y+1), ink)
		s.put(typographic(t.label), tickSize, image.Pt(a.Min.X-tickLength-gap, y-lift), text.XRight, text.YCenter)
	}
	left := a.Min.X - tickLength - 2*gap - widest(p.yTicks, tickSize) - lineHeight(labelSize)/2
	s.upward(m.Y.label("row"), labelSize, image.Pt(left, middle.Y))
}

// drawBar draws the colour bar, greatest value above, the bands between steps or the keys of few values, and that of missing data.
func (l *layout) drawBar(s *sheet, f *Figure, c *colours) {
	b := l.bar
	bar := image.NewRGBA(image.Rectangle{Max: b.Size()})
	for y := range b.Dy() {
		t := (float64(b.Dy()-y) - 0.5) / float64(b.Dy())
		v := f.Lo + t*(f.Hi-f.Lo)
		switch few, steps := f.few, f.Steps; {
		case few != nil:
			v = few[int(t*float64(len(few)))]
		case steps != nil: // bands of one height, whatever lies between the steps
			if i := int(t * float64(len(steps)+1)); i == 0 {
				v = math.Inf(-1)
			} else {
				v = steps[i-1]
			}
		}
		for x := range b.Dx() {
			bar.SetRGBA(x, y, c.of(v))
		}
	}
	s.place(b, bar)
	s.frame(b)
	right := b.Max.X + tickLength + gap
	for _, t := range l.barTicks {
		y := b.Min.Y + along(t.at, f.Hi, f.Lo, b.Dy())
		s.fill(image.Rect(b.Max.X, y-1, b.Max.X+frameWidth+tickLength, y+1), ink)
		s.put(typographic(t.label), tickSize, image.Pt(right, y-lift), text.XLeft, text.YCenter)
	}
	across := widest(l.barTicks, tickSize)
	if f.missing {
		s.fill(l.swatch, c.nan)
		s.frame(l.swatch)
		s.put(missingLabel, tickSize, image.Pt(right, (l.swatch.Min.Y+l.swatch.Max.Y)/2-lift), text.XLeft, text.YCenter)
	}
	s.upward(f.Label, labelSize, image.Pt(right+across+gap+lineHeight(labelSize)/2, (b.Min.Y+b.Max.Y)/2))
}

// along is the dot, of n between two coordinates, where v lies.
func along(v, from, to float64, n int) int {
	return min(int(math.Round((v-from)/(to-from)*float64(n))), n)
}

// paint makes so many dots of an image.
func paint(size image.Point, m *Image, c *colours) *image.RGBA {
	img := image.NewRGBA(image.Rectangle{Max: size})
	rows, cols := size.Y, size.X
	for y := range rows {
		line := img.Pix[img.PixOffset(0, y):]
		// Dots of the same pixel row repeat the line above.
		if y > 0 && rows >= m.Rows {
			if r, _ := covered(y, rows, m.Rows); r == (2*y-1)*m.Rows/(2*rows) {
				copy(line[:4*cols], img.Pix[img.PixOffset(0, y-1):])
				continue
			}
		}
		for x := range cols {
			v, from := m.sample(y, rows, x, cols), c
			if m.Behind != nil && math.IsNaN(v) {
				v, from = m.Behind.sample(y, rows, x, cols), c.behind
				if math.IsNaN(v) {
					from = c
				}
			}
			k := from.of(v)
			copy(line[4*x:], []uint8{k.R, k.G, k.B, k.A})
		}
	}
	return img
}

// frame draws a border outside r.
func (s *sheet) frame(r image.Rectangle) {
	o := r.Inset(-frameWidth)
	for _, side := range []image.Rectangle{
		{o.Min, image.Pt(o.Max.X, r.Min.Y)},
		{image.Pt(o.Min.X, r.Max.Y), o.Max},
		{o.Min, image.Pt(r.Min.X, o.Max.Y)},
		{image.Pt(r.Max.X, o.Min.Y), o.Max},
	} {
		s.fill(side, ink)
	}
}

// EncodePNG writes the figure as PNG. Equal figures give equal bytes.
func EncodePNG(w io.Writer, f Figure) error {
	img, err := Draw(f)
	if err != nil {
		return err
	}
	return encodePNG(w, img)
}

// EncodeSVG writes the figure as SVG: letters and lines are shapes, arrays and the colour bar images within it.
func EncodeSVG(w io.Writer, f Figure) error {
	f, c, l, err := f.arranged(panelLimits(len(f.Panels)))
	if err != nil {
		return err
	}
	s, canvas := newShapes(l.size)
	l.draw(s, &f, c)
	_, err = canvas.WriteTo(w)
	return err
}

// writeFile writes the figure to a file, which appears complete or not at all.
func writeFile(path string, f Figure, encode func(io.Writer, Figure) error) error {
	if _, err := f.resolve(); err != nil {
		return &fileio.Error{Path: path, Reason: "cannot draw: " + err.Error(), Err: err}
	}
	return fileio.WriteFile(path, func(w io.Writer) error { return encode(w, f) })
}
