package picture

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"testing"
)

// What is written is the image, whatever it shows: the filters of its rows are undone by whoever reads it.
func TestPNGsAreTheImage(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	used := map[byte]bool{}
	for name, at := range map[string]func(x, y int) color.RGBA{
		"one colour": func(x, y int) color.RGBA { return color.RGBA{200, 100, 50, 255} },
		"noise": func(x, y int) color.RGBA {
			return color.RGBA{uint8(r.Uint32()), uint8(r.Uint32()), uint8(r.Uint32()), 255}
		},
		"along a row":   func(x, y int) color.RGBA { v := uint8(x + 97*y*y); return color.RGBA{v, v, v / 2, 255} },
		"down a column": func(x, y int) color.RGBA { v := uint8(y/9 + 97*x*x); return color.RGBA{v, v, v / 2, 255} },
		"a plane": func(x, y int) color.RGBA {
			return color.RGBA{uint8(9*x + 7*y), uint8(5*x - 3*y), uint8(4*x + 11*y), 255}
		},
		"a rough ramp":   func(x, y int) color.RGBA { v := uint8(8*x + 8*y + r.IntN(23)); return color.RGBA{v, v, v, 255} },
		"lines":          func(x, y int) color.RGBA { return color.RGBA{uint8(y / 3 * 91), uint8(y / 3 * 31), 7, 255} },
		"a few bright":   func(x, y int) color.RGBA { return color.RGBA{uint8(r.IntN(40) / 39 * 255), 0, 0, 255} },
		"black at first": func(x, y int) color.RGBA { return color.RGBA{uint8(x * y), uint8(x * y), 0, 255} },
	} {
		for _, size := range []image.Point{{1, 1}, {2, 1}, {1, 5}, {7, 9}, {8, 3}, {9, 3}, {123, 45}, {640, 80}} {
			whole := image.NewRGBA(image.Rect(-2, -1, size.X+3, size.Y+2))
			for y := whole.Rect.Min.Y; y < whole.Rect.Max.Y; y++ {
				for x := whole.Rect.Min.X; x < whole.Rect.Max.X; x++ {
					whole.SetRGBA(x, y, at(x+2, y+1))
				}
			}
			part := whole.SubImage(image.Rectangle{Max: size}).(*image.RGBA)
			var out, again bytes.Buffer
			if err := encodePNG(&out, part); err != nil {
				t.Fatal(err)
			}
			if err := encodePNG(&again, part); err != nil || !bytes.Equal(out.Bytes(), again.Bytes()) {
				t.Errorf("%s of %v is written in two ways: %v", name, size, err)
			}
			back, err := png.Decode(&out)
			if err != nil {
				t.Fatalf("%s of %v: %v", name, size, err)
			}
			if back.Bounds().Size() != size {
				t.Fatalf("%s of %v is %v", name, size, back.Bounds())
			}
			for y := range size.Y {
				for x := range size.X {
					if got, want := color.RGBAModel.Convert(back.At(x, y)), part.RGBAAt(x, y); got != want {
						t.Fatalf("%s of %v: %v at %d, %d, not %v", name, size, got, x, y, want)
					}
				}
			}
			for y := 1; y < size.Y; y++ {
				used[filterFor(pixels(part, y), pixels(part, y-1))] = true
			}
		}
	}
	if len(used) != allFilters {
		t.Errorf("of the filters only %v are used", used)
	}
}

// pixels are those of a row as filters take them.
func pixels(m *image.RGBA, y int) []byte {
	out := make([]byte, pixelBytes)
	for x := range m.Rect.Dx() {
		c := m.RGBAAt(x, y)
		out = append(out, c.R, c.G, c.B)
	}
	return out
}

// A picture that cannot be written says so.
func TestPNGsThatCannotBeWritten(t *testing.T) {
	if err := encodePNG(full{}, image.NewRGBA(image.Rect(0, 0, 3, 3))); err == nil {
		t.Error("nothing was written, and nothing said")
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }
