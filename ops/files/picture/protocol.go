package picture

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/BourgeoisBear/rasterm"

	"weft/ops"
)

// dotsOf is the size in dots that a terminal's characters are taken to have.
var dotsOf = image.Pt(9, 18)

// protocols send an image to a terminal. iTerm2's gets as few colours as Sixel: for more rasterm takes JPEG, which blurs.
var protocols = map[Protocol]func(io.Writer, *image.RGBA) error{
	Kitty: func(w io.Writer, img *image.RGBA) error {
		return rasterm.KittyWriteImage(w, img, rasterm.KittyImgOpts{})
	},
	ITerm: func(w io.Writer, img *image.RGBA) error { return rasterm.ItermWriteImage(w, reduced(img)) },
	Sixel: func(w io.Writer, img *image.RGBA) error { return rasterm.SixelWriteImage(w, reduced(img)) },
}

// send shows a figure in about width x height characters.
func (p Protocol) send(w io.Writer, f Figure, width, height int) error {
	img, err := fitted(f, width, height)
	if err != nil {
		return err
	}
	if err := protocols[p](w, img); err != nil {
		return err
	}
	_, err = io.WriteString(w, "\n")
	return err
}

// Show shows a PNG file on a terminal that has a protocol for pictures, and nothing on others.
func Show(t ops.Terminal, file string) error {
	send, ok := protocols[CapsOf(t).Protocol]
	if !ok {
		return nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	from, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	img := image.NewRGBA(from.Bounds())
	draw.Draw(img, img.Bounds(), from, from.Bounds().Min, draw.Src)
	if err := send(t, img); err != nil {
		return err
	}
	_, err = io.WriteString(t, "\n")
	return err
}

// fitted draws a figure for a terminal of width x height characters.
func fitted(f Figure, width, height int) (*image.RGBA, error) {
	around := image.Pt(300, 180) // labels and colour bar
	most := panelLimits(1)
	return render(f, limits{
		width:  min(most.width, float64(max(width*dotsOf.X-around.X, 120))),
		height: min(most.height, float64(max(height*dotsOf.Y-around.Y, 120))),
	})
}

// reduced gives an image at most 256 colours: the commonest, and in place of any other the nearest of these.
func reduced(img *image.RGBA) *image.Paletted {
	counts := map[color.RGBA]int{}
	for i := 0; i < len(img.Pix); i += 4 {
		counts[color.RGBA{img.Pix[i], img.Pix[i+1], img.Pix[i+2], 255}]++
	}
	out := image.NewPaletted(img.Bounds(), commonest(counts, 256))
	index := make(map[color.RGBA]uint8, len(counts))
	for c := range counts {
		index[c] = uint8(out.Palette.Index(c))
	}
	for i := range out.Pix {
		out.Pix[i] = index[color.RGBA{img.Pix[4*i], img.Pix[4*i+1], img.Pix[4*i+2], 255}]
	}
	return out
}

// commonest are the n colours that occur most, ties in a fixed order.
func commonest(counts map[color.RGBA]int, n int) color.Palette {
	all := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int {
		return cmp.Or(counts[b]-counts[a], cmp.Compare(rgb(a), rgb(b)))
	})
	var p color.Palette
	for _, c := range all[:min(n, len(all))] {
		p = append(p, c)
	}
	return p
}

func rgb(c color.RGBA) uint32 { return uint32(c.R)<<16 | uint32(c.G)<<8 | uint32(c.B) }
