package picture

import (
	"image/color"
	"math"
	"testing"
)

// Where a value is missing, what is behind it is there in gray, between the least and the greatest of what is behind; where that is missing too, no data is.
func TestBehind(t *testing.T) {
	nan := float32(math.NaN())
	m := NewImage([]float32{1, nan, nan, nan, 2, 3}, 2, 3)
	behind := NewImage([]float32{-40, -40, 0, nan, -20, -20}, 2, 3)
	m.Behind = &behind
	for _, turned := range []bool{false, true} {
		if turned {
			m = m.Transposed()
		}
		f, c, l, err := Figure{Panels: []Image{m}}.arranged(panelLimits(1))
		if err != nil {
			t.Fatal(err)
		}
		a := l.panels[0].array
		dots := paint(a.Size(), l.panels[0].image, c)
		at := func(row, col int) color.RGBA {
			rows, cols := 2, 3
			if turned {
				row, col, rows, cols = col, row, cols, rows
			}
			return dots.RGBAAt((2*col+1)*a.Dx()/(2*cols), (2*row+1)*a.Dy()/(2*rows))
		}
		for _, want := range []struct {
			row, col int
			is       color.RGBA
		}{{0, 0, c.of(1)}, {1, 2, c.of(3)}, {0, 1, color.RGBA{0, 0, 0, 255}}, {0, 2, color.RGBA{255, 255, 255, 255}}, {1, 0, c.nan}} {
			if got := at(want.row, want.col); got != want.is {
				t.Errorf("turned %v: %d, %d is %v, want %v", turned, want.row, want.col, got, want.is)
			}
		}
		if !f.missing {
			t.Error("nothing is said of what is missing")
		}
	}
	behind.Values[3] = -30
	if f, err := (Figure{Panels: []Image{m}}).resolve(); err != nil || f.missing {
		t.Errorf("%v: all is there, or behind: %v", f.missing, err)
	}
	small := NewImage([]float32{1}, 1, 1)
	m.Behind = &small
	if _, err := (Figure{Panels: []Image{m}}).resolve(); err == nil {
		t.Error("another shape is behind")
	}
}
