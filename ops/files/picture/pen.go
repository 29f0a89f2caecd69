package picture

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
)

// pen draws one line of characters of an array that is drawn in rows x cols of them.
type pen interface {
	line(out *bytes.Buffer, m *Image, row, rows, cols int, s Scale, c *colours)
}

var pens = map[Depth]pen{
	NoColour:   density(" .:-=+*#%@"),
	Indexed:    halfBlocks(func(c color.RGBA) string { return fmt.Sprintf("5;%d", indexed(c)) }),
	TrueColour: halfBlocks(func(c color.RGBA) string { return fmt.Sprintf("2;%d;%d;%d", c.R, c.G, c.B) }),
}

// density is characters from the least value to the greatest. One that no value has, ?, is missing data.
type density string

func (d density) line(out *bytes.Buffer, m *Image, row, rows, cols int, s Scale, _ *colours) {
	for col := range cols {
		v := m.sample(row, rows, col, cols)
		if math.IsNaN(v) {
			out.WriteByte('?')
			continue
		}
		level, few := s.key(v, len(d))
		if !few {
			level = int(min(max((v-s.Lo)/(s.Hi-s.Lo)*float64(len(d)), 0), float64(len(d)-1)))
		}
		out.WriteByte(d[level])
	}
	out.WriteByte('\n')
}

// halfBlocks draws two dots in a character, the upper in the colour of the letter and the lower in that of the ground.
// It gives the part of the escape sequence (ECMA-48 SGR 38 and 48) that names a colour.
type halfBlocks func(color.RGBA) string

func (h halfBlocks) line(out *bytes.Buffer, m *Image, row, rows, cols int, _ Scale, c *colours) {
	var upper, lower color.RGBA // transparent at first: no colour of a map
	for col := range cols {
		u := c.of(m.sample(2*row, 2*rows, col, cols))
		l := c.of(m.sample(2*row+1, 2*rows, col, cols))
		if u != upper {
			fmt.Fprintf(out, "\x1b[38;%sm", h(u))
		}
		if l != lower {
			fmt.Fprintf(out, "\x1b[48;%sm", h(l))
		}
		upper, lower = u, l
		out.WriteString("▀")
	}
	out.WriteString("\x1b[0m\n")
}

// indexed is the nearest of xterm's 256 colours: a cube of 6 x 6 x 6 from 16 on and 24 grays from 232 on.
func indexed(c color.RGBA) int {
	steps := [6]int{0, 95, 135, 175, 215, 255}
	nearest := func(v uint8) int {
		best := 0
		for i, s := range steps {
			if abs(int(v)-s) < abs(int(v)-steps[best]) {
				best = i
			}
		}
		return best
	}
	r, g, b := nearest(c.R), nearest(c.G), nearest(c.B)
	cube := distance(c, steps[r], steps[g], steps[b])
	level := min(max((int(c.R)+int(c.G)+int(c.B))/3-8+5, 0)/10, 23)
	if y := 8 + 10*level; distance(c, y, y, y) < cube {
		return 232 + level
	}
	return 16 + 36*r + 6*g + b
}

func distance(c color.RGBA, r, g, b int) int {
	dr, dg, db := int(c.R)-r, int(c.G)-g, int(c.B)-b
	return dr*dr + dg*dg + db*db
}

func abs(i int) int { return max(i, -i) }
