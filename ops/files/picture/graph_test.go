package picture

import (
	"image"
	"math"
	"testing"
)

// ofCurve counts the dots in the colour of the first curve within a part of a picture.
func ofCurve(img image.Image, r image.Rectangle) (n int) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if c := at(img, x, y); int(c.B) > int(c.R)+40 {
				n++
			}
		}
	}
	return n
}

// area finds the array of the first panel: between the frames' sides.
func area(img image.Image) image.Rectangle {
	b := img.Bounds()
	dark := func(x, y int) bool { return at(img, x, y) == ink }
	var r image.Rectangle
	for x := b.Max.X - 1; x > 0 && r.Max.X == 0; x-- {
		if dark(x, margin+firstPanel/2) && dark(x, margin+firstPanel/3) {
			r.Max.X = x
		}
	}
	r.Min = image.Pt(r.Max.X-graphWidth, margin)
	r.Max.Y = margin + firstPanel
	return r
}

func TestLinesAndPoints(t *testing.T) {
	var x, y, gap, mixed []float64
	for i := range 101 {
		x, y, gap = append(x, float64(i)), append(y, float64(i)), append(gap, float64(i))
		mixed = append(mixed, float64(i*37%101))
		if i >= 40 && i <= 60 {
			gap[i] = math.NaN()
		}
	}
	graph := func(x, values []float64) image.Image {
		g := Graph{X: x}
		g.add("v", "", values)
		return DrawGraph(g)
	}
	line := graph(x, y)
	a := area(line)
	mid := image.Rect((a.Min.X+a.Max.X)/2-20, a.Min.Y, (a.Min.X+a.Max.X)/2+20, a.Max.Y)
	near := image.Rect(mid.Min.X, (a.Min.Y+a.Max.Y)/2-20, mid.Max.X, (a.Min.Y+a.Max.Y)/2+20)
	if n := ofCurve(line, mid); n < 40 || ofCurve(line, near) != n {
		t.Errorf("a line through the middle has %d dots there, %d of them near it", n, ofCurve(line, near))
	}
	if n := ofCurve(graph(x, gap), mid); n != 0 {
		t.Errorf("a gap has %d dots", n)
	}
	// Points do not join: far fewer dots than lines to and fro would have.
	if points, lines := ofCurve(graph(mixed, y), a), ofCurve(line, a); points < 500 || points > 3000 || lines < 900 {
		t.Errorf("%d dots of points, %d of a line", points, lines)
	}
	if n := ofCurve(graph(x, make([]float64, 101)), mid); n < 40 {
		t.Errorf("a level line has %d dots", n)
	}
}

func TestCurvesOfOnePanel(t *testing.T) {
	g := Graph{X: []float64{0, 1, 2}}
	for _, name := range []string{"spectrum.flux", "spectrum.model", "residual", "other.flux"} {
		g.add(name, "km/s", []float64{1, 2, 3})
	}
	if len(g.Panels) != 3 || len(g.Panels[0].Curves) != 2 || g.Panels[0].Curves[1].Name != "model" || g.Panels[1].Label != "residual (km/s)" {
		t.Errorf("%+v", g.Panels)
	}
	if size := DrawGraph(g).Bounds().Size(); size.Y < firstPanel+2*nextPanel {
		t.Errorf("the figure is %v", size)
	}
}
