package picture

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"

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
	return f, err
}

// Draw renders the figure on white. Images whose axes share a unit are drawn to one scale, equal in both directions;
// images that count pixels take a whole number of dots for each pixel, where they are not larger than the figure.
func Draw(f Figure) (*image.RGBA, error) {
	return render(f, panelLimits(len(f.Panels)))
}

func render(f Figure, most limits) (*image.RGBA, error) {
	f, err := f.resolve()
	if err != nil {
		return nil, err
	}
	colours, err := f.colours()
	if err != nil {
		return nil, err
	}
	l := arrange(&f, most)
	letters, img := newLetters(l.size)
	if f.Title != "" {
		letters.put(f.Title, titleSize, l.title, text.XCenter, text.YTop)
	}
	for i := range l.panels {
		l.panels[i].draw(img, letters, colours)
	}
	l.drawBar(img, letters, &f, colours)
	return img, nil
}

func (p *panel) draw(img *image.RGBA, letters *letters, c *colours) {
	m, a := p.image, p.array
	paint(img, a, m, c)
	frame(img, a)
	middle := a.Min.Add(a.Max).Div(2)
	if m.Title != "" {
		letters.put(m.Title, labelSize, image.Pt(middle.X, a.Min.Y-gap-frameWidth), text.XCenter, text.YBottom)
	}
	x0, x1 := m.X.edges(m.Cols)
	for _, t := range p.xTicks {
		x := a.Min.X + along(t.at, x0, x1, a.Dx())
		fill(img, image.Rect(x-1, a.Max.Y, x+1, a.Max.Y+frameWidth+tickLength), ink)
		letters.put(typographic(t.label), tickSize, image.Pt(x, a.Max.Y+tickLength+gap), text.XCenter, text.YTop)
	}
	letters.put(m.X.label("column"), labelSize, image.Pt(middle.X, a.Max.Y+tickLength+2*gap+lineHeight(tickSize)), text.XCenter, text.YTop)
	y0, y1 := m.Y.edges(m.Rows)
	for _, t := range p.yTicks {
		y := a.Min.Y + along(t.at, y0, y1, a.Dy())
		fill(img, image.Rect(a.Min.X-frameWidth-tickLength, y-1, a.Min.X, y+1), ink)
		letters.put(typographic(t.label), tickSize, image.Pt(a.Min.X-tickLength-gap, y-lift), text.XRight, text.YCenter)
	}
	left := a.Min.X - tickLength - 2*gap - widest(p.yTicks, tickSize) - lineHeight(labelSize)/2
	letters.upward(m.Y.label("row"), labelSize, image.Pt(left, middle.Y))
}

// drawBar draws the colour bar, greatest value above, and the key of missing data.
func (l *layout) drawBar(img *image.RGBA, letters *letters, f *Figure, c *colours) {
	b := l.bar
	for y := b.Min.Y; y < b.Max.Y; y++ {
		t := (float64(b.Max.Y-y) - 0.5) / float64(b.Dy())
		if f.pair {
			t = math.Round(t)
		}
		fill(img, image.Rect(b.Min.X, y, b.Max.X, y+1), c.of(f.Lo+t*(f.Hi-f.Lo)))
	}
	frame(img, b)
	right := b.Max.X + tickLength + gap
	for _, t := range l.barTicks {
		y := b.Min.Y + along(t.at, f.Hi, f.Lo, b.Dy())
		fill(img, image.Rect(b.Max.X, y-1, b.Max.X+frameWidth+tickLength, y+1), ink)
		letters.put(typographic(t.label), tickSize, image.Pt(right, y-lift), text.XLeft, text.YCenter)
	}
	across := widest(l.barTicks, tickSize)
	if f.missing {
		fill(img, l.swatch, c.nan)
		frame(img, l.swatch)
		letters.put(missingLabel, tickSize, image.Pt(right, (l.swatch.Min.Y+l.swatch.Max.Y)/2-lift), text.XLeft, text.YCenter)
	}
	letters.upward(f.Label, labelSize, image.Pt(right+across+gap+lineHeight(labelSize)/2, (b.Min.Y+b.Max.Y)/2))
}

// along is the dot, of n between two coordinates, where v lies.
func along(v, from, to float64, n int) int {
	return min(int(math.Round((v-from)/(to-from)*float64(n))), n)
}

// paint fills a rectangle with an image.
func paint(img *image.RGBA, at image.Rectangle, m *Image, c *colours) {
	rows, cols := at.Dy(), at.Dx()
	for y := range rows {
		line := img.Pix[img.PixOffset(at.Min.X, at.Min.Y+y):]
		// Dots of the same pixel row repeat the line above.
		if y > 0 && rows >= m.Rows {
			if r, _ := covered(y, rows, m.Rows); r == (2*y-1)*m.Rows/(2*rows) {
				copy(line[:4*cols], img.Pix[img.PixOffset(at.Min.X, at.Min.Y+y-1):])
				continue
			}
		}
		for x := range cols {
			k := c.of(m.sample(y, rows, x, cols))
			copy(line[4*x:], []uint8{k.R, k.G, k.B, k.A})
		}
	}
}

func fill(img *image.RGBA, r image.Rectangle, c color.RGBA) {
	draw.Draw(img, r, image.NewUniform(c), image.Point{}, draw.Src)
}

// frame draws a border outside r.
func frame(img *image.RGBA, r image.Rectangle) {
	o := r.Inset(-frameWidth)
	for _, side := range []image.Rectangle{
		{o.Min, image.Pt(o.Max.X, r.Min.Y)},
		{image.Pt(o.Min.X, r.Max.Y), o.Max},
		{o.Min, image.Pt(r.Min.X, o.Max.Y)},
		{image.Pt(r.Max.X, o.Min.Y), o.Max},
	} {
		fill(img, side, ink)
	}
}

// EncodePNG writes the figure as PNG. Equal figures give equal bytes.
func EncodePNG(w io.Writer, f Figure) error {
	img, err := Draw(f)
	if err != nil {
		return err
	}
	return (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(w, img)
}

// WritePNG writes the figure to a PNG file, which appears complete or not at all.
func WritePNG(path string, f Figure) error {
	img, err := Draw(f)
	if err != nil {
		return &fileio.Error{Path: path, Reason: "cannot draw: " + err.Error(), Err: err}
	}
	return fileio.WriteFile(path, func(w io.Writer) error {
		return (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(w, img)
	})
}
