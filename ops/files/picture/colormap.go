package picture

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/plot/palette"
	"gonum.org/v1/plot/palette/moreland"
)

// Map is a way to colour values, by name.
type Map struct {
	Name string
	Doc  string
	nan  color.RGBA // for missing data: a colour the map does not have
	lut  func() *[levels]color.RGBA
}

// levels is the colours of a map: more cannot be told apart.
const levels = 256

var (
	blue = color.RGBA{70, 110, 180, 255}
	gray = color.RGBA{150, 150, 150, 255}
)

// Maps lists the colour maps. The perceptually uniform ones are those of K. Moreland, "Diverging Color Maps for
// Scientific Visualization" (2009), and of G. Kindlmann, E. Reinhard and S. Creem, "Face-based Luminance Matching
// for Perceptual Colormap Generation" (2002).
var Maps = []Map{
	{"gray", "black to white, usual for ultrasound", blue, ramp(color.Gray{0}, color.Gray{255})},
	{"gray-inverted", "white to black, for printing", blue, ramp(color.Gray{255}, color.Gray{0})},
	{"tide", "violet over teal to yellow, lightness linear in the value", gray, sweep(300, 95)},
	{"kindlmann", "black over purple, green and yellow to white, lightness linear in the value", gray, moreLand(moreland.Kindlmann)},
	{"blackbody", "black over red and yellow to white, lightness linear in the value", gray, moreLand(moreland.BlackBody)},
	{"blue-red", "diverging about the middle of the range", color.RGBA{40, 40, 40, 255}, moreLand(diverging(moreland.SmoothBlueRed))},
	{"purple-orange", "diverging about the middle of the range", color.RGBA{40, 40, 40, 255}, moreLand(diverging(moreland.SmoothPurpleOrange))},
}

// DefaultMap is the map for values in a unit: gray for decibels, otherwise tide.
func DefaultMap(unit string) string {
	if unit == "dB" || strings.HasSuffix(unit, "(dB)") {
		return "gray"
	}
	return "tide"
}

func findMap(name string) (*Map, error) {
	i := slices.IndexFunc(Maps, func(m Map) bool { return m.Name == name })
	if i >= 0 {
		return &Maps[i], nil
	}
	var names []string
	for _, m := range Maps {
		names = append(names, m.Name)
	}
	return nil, fmt.Errorf("there is no colour map %q; there are %s", name, strings.Join(names, ", "))
}

// ramp is a straight line between two grays.
func ramp(from, to color.Gray) func() *[levels]color.RGBA {
	return sync.OnceValue(func() *[levels]color.RGBA {
		var lut [levels]color.RGBA
		for i := range lut {
			t := float64(i) / (levels - 1)
			y := uint8(math.Round(float64(from.Y)*(1-t) + float64(to.Y)*t))
			lut[i] = color.RGBA{y, y, y, 255}
		}
		return &lut
	})
}

func diverging(build func() palette.DivergingColorMap) func() palette.ColorMap {
	return func() palette.ColorMap { return build() }
}

func moreLand(build func() palette.ColorMap) func() *[levels]color.RGBA {
	return sync.OnceValue(func() *[levels]color.RGBA {
		m := build()
		m.SetMin(0)
		m.SetMax(1)
		var lut [levels]color.RGBA
		for i, c := range m.Palette(levels).Colors() {
			lut[i] = color.RGBAModel.Convert(c).(color.RGBA)
			lut[i].A = 255
		}
		return &lut
	})
}

// colours turns values into colours.
type colours struct {
	Scale
	lut    *[levels]color.RGBA
	nan    color.RGBA
	behind *colours // of what is shown where there is no data; nil: nothing is
}

// colours of a scale that has been resolved.
func (s Scale) colours() (*colours, error) {
	m, err := findMap(s.Map)
	if err != nil {
		return nil, err
	}
	return &colours{s, m.lut(), m.nan, nil}, nil
}

func (c *colours) of(v float64) color.RGBA {
	if math.IsNaN(v) {
		return c.nan
	}
	if i, few := c.key(v, levels); few {
		return c.lut[i]
	}
	share := (v - c.Lo) / (c.Hi - c.Lo)
	return c.lut[int(min(max(share*(levels-1), 0), levels-1)+0.5)]
}

// key is where a value lies among so many levels from the least to the greatest, if there are few: those that have keys, and the bands between
// steps, are alike far apart.
func (s Scale) key(v float64, levels int) (level int, few bool) {
	switch {
	case s.few != nil:
		i, _ := slices.BinarySearch(s.few, v)
		return min(i, len(s.few)-1) * (levels - 1) / (len(s.few) - 1), true
	case s.Steps != nil:
		i, at := slices.BinarySearch(s.Steps, v)
		if at {
			i++
		}
		return i * (levels - 1) / len(s.Steps), true
	}
	return 0, false
}
