package picture

import (
	"image"
	"image/color"
	imagedraw "image/draw"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
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

// sheet is what a figure is drawn on, white at first, whose origin is the upper left corner: dots, or shapes of half a point a dot.
type sheet struct {
	canvas draw.Canvas
	height int
	dots   *image.RGBA // nil: it keeps shapes
}

// newSheet makes one of dots. vgimg works on a copy of any image that it is given, so the image is the canvas's own.
func newSheet(size image.Point) *sheet {
	c := vgimg.NewWith(vgimg.UseWH(vg.Length(size.X), vg.Length(size.Y)), vgimg.UseDPI(72))
	return &sheet{canvas: draw.New(c), height: size.Y, dots: c.Image().(*image.RGBA)}
}

// newShapes makes one of shapes, with letters as large as those of other plots.
func newShapes(size image.Point) (*sheet, *vgsvg.Canvas) {
	w, h := vg.Length(size.X), vg.Length(size.Y)
	c := vgsvg.New(w/2, h/2)
	c.Scale(0.5, 0.5)
	s := &sheet{canvas: draw.NewCanvas(c, w, h), height: size.Y}
	s.fill(image.Rectangle{Max: size}, color.RGBA{255, 255, 255, 255})
	return s, c
}

// fill colours a rectangle.
func (s *sheet) fill(r image.Rectangle, c color.RGBA) {
	if s.dots != nil {
		imagedraw.Draw(s.dots, r, image.NewUniform(c), image.Point{}, imagedraw.Src)
		return
	}
	s.canvas.SetColor(c)
	s.canvas.Fill(s.rectangle(r).Path())
}

// place puts an image into a rectangle. Where there are dots, it has one for each of them.
func (s *sheet) place(r image.Rectangle, img *image.RGBA) {
	if s.dots != nil {
		imagedraw.Draw(s.dots, r, img, image.Point{}, imagedraw.Src)
		return
	}
	s.canvas.DrawImage(s.rectangle(r), img)
}

// fineness is how many dots an image has for each of a rectangle's, so that its pixels stay sharp where shapes are enlarged.
func (s *sheet) fineness() int {
	if s.dots != nil {
		return 1
	}
	return 2
}

func (s *sheet) rectangle(r image.Rectangle) vg.Rectangle {
	return vg.Rectangle{Min: s.point(image.Pt(r.Min.X, r.Max.Y)), Max: s.point(image.Pt(r.Max.X, r.Min.Y))}
}

// put writes a text with its point that x and y name at a place.
func (s *sheet) put(t string, size float64, at image.Point, x text.XAlignment, y text.YAlignment) {
	sty := style(size)
	sty.XAlign, sty.YAlign = x, y
	s.canvas.FillText(sty, s.point(at), t)
}

// upward writes a text turned by a quarter, to be read from below to above, with its middle at the point.
func (s *sheet) upward(t string, size float64, at image.Point) {
	sty := style(size)
	sty.XAlign, sty.YAlign = text.XCenter, text.YCenter
	sty.Rotation = math.Pi / 2
	s.canvas.FillText(sty, s.point(at), t)
}

func (s *sheet) point(at image.Point) vg.Point {
	return vg.Point{X: vg.Length(at.X), Y: vg.Length(s.height - at.Y)}
}
