package picture

import (
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

var ink = color.RGBA{30, 30, 30, 255}

// style is sans-serif text of a size in dots: figures are drawn at 72 dots an inch, where a point is a dot. The font
// is Liberation Sans, which gonum/plot brings along.
func style(size float64) text.Style {
	return text.Style{
		Color:   ink,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Length(size)},
		Handler: plot.DefaultTextHandler,
	}
}

func textWidth(s string, size float64) int {
	if s == "" {
		return 0
	}
	return int(math.Ceil(float64(style(size).Width(s))))
}

func lineHeight(size float64) int { return int(math.Ceil(size * 1.15)) }

// letters writes text on an image whose origin is the upper left corner.
type letters struct {
	canvas draw.Canvas
	height int
}

// newLetters makes a white image and writes on it. vgimg works on a copy of any image that it is given, so the image
// is the canvas's own.
func newLetters(size image.Point) (*letters, *image.RGBA) {
	c := vgimg.NewWith(vgimg.UseWH(vg.Length(size.X), vg.Length(size.Y)), vgimg.UseDPI(72))
	return &letters{canvas: draw.New(c), height: size.Y}, c.Image().(*image.RGBA)
}

// put writes s with the point of the text that x and y name at (x, y).
func (l *letters) put(s string, size float64, at image.Point, x text.XAlignment, y text.YAlignment) {
	sty := style(size)
	sty.XAlign, sty.YAlign = x, y
	l.canvas.FillText(sty, l.point(at), s)
}

// upward writes s turned by a quarter, to be read from below to above, with its middle at the point.
func (l *letters) upward(s string, size float64, at image.Point) {
	sty := style(size)
	sty.XAlign, sty.YAlign = text.XCenter, text.YCenter
	sty.Rotation = math.Pi / 2
	l.canvas.FillText(sty, l.point(at), s)
}

func (l *letters) point(at image.Point) vg.Point {
	return vg.Point{X: vg.Length(at.X), Y: vg.Length(l.height - at.Y)}
}
