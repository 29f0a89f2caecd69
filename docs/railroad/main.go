// Command railroad draws the grammar as an SVG: lines to follow from the left to the right, boxes for what stands there.
package main

import (
	"fmt"
	"html"
	"os"
	"strings"

	"github.com/alecthomas/participle/v2/ebnf"

	"weft/lang/syntax"
)

func main() {
	if err := draw(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func draw(out string) error {
	grammar, err := ebnf.ParseString(syntax.EBNF())
	if err != nil {
		return err
	}
	var body strings.Builder
	y, width := margin, 0
	for _, p := range grammar.Productions {
		rail := expression(p.Expression)
		fmt.Fprintf(&body, `<text class="title" x="%d" y="%d">%s</text>`+"\n", margin, y+letter, p.Production)
		at := y + titled + rail.up
		line(&body, margin, margin+gap, at)
		rail.draw(&body, margin+gap, at)
		line(&body, margin+gap+rail.width, margin+2*gap+rail.width, at)
		fmt.Fprintf(&body, `<circle cx="%d" cy="%d" r="3"/><circle cx="%d" cy="%d" r="3"/>`+"\n", margin, at, margin+2*gap+rail.width, at)
		width = max(width, rail.width+2*gap+2*margin)
		y = at + rail.down + between
	}
	style := `text{font:13px monospace}.title{font-weight:bold}rect{fill:#fff;stroke:#333}.name{fill:#e8f0f8}.kind{fill:#f6f3e8}path{fill:none;stroke:#333}`
	text := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d"><style>%s</style><rect width="100%%" height="100%%" style="stroke:none"/>`+"\n%s</svg>\n",
		width, y, width, y, style, body.String())
	return os.WriteFile(out, []byte(text), 0o666)
}

// Distances in pixels.
const (
	margin  = 16
	gap     = 12 // between boxes along a line
	half    = 12 // of a box's height
	lane    = 10 // between lines above each other
	curve   = 8  // of lines that branch off
	letter  = 8  // a letter's width
	titled  = 16 // of a production's name
	between = 24 // productions
)

// rail is a piece of line: how far it reaches along, above and below, and how it is drawn from its left end.
type rail struct {
	width, up, down int
	draw            func(out *strings.Builder, x, y int)
}

func line(out *strings.Builder, x0, x1, y int) { fmt.Fprintf(out, `<path d="M%d %dH%d"/>`, x0, y, x1) }

// bend is a line from one level to another, and on to an end there.
func bend(out *strings.Builder, x0, y0, x1, y1 int) {
	c := curve
	if y1 < y0 {
		c = -curve
	}
	fmt.Fprintf(out, `<path d="M%d %dq%d 0 %d %dV%dq0 %d %d %dH%d"/>`, x0, y0, curve, curve, c, y1-c, c, curve, c, x1)
}

// unbend is one from a level back to another.
func unbend(out *strings.Builder, x0, y0, x1, y1 int) {
	c := curve
	if y1 < y0 {
		c = -curve
	}
	fmt.Fprintf(out, `<path d="M%d %dH%dq%d 0 %d %dV%dq0 %d %d %d"/>`, x0, y0, x1-2*curve, curve, curve, c, y1-c, c, curve, c)
}

func box(text, class string) rail {
	width := letter*len([]rune(text)) + 2*gap
	return rail{width, half, half, func(out *strings.Builder, x, y int) {
		round := half
		if class == "name" {
			round = 0
		}
		fmt.Fprintf(out, `<rect class="%s" x="%d" y="%d" width="%d" height="%d" rx="%d"/><text x="%d" y="%d">%s</text>`+"\n",
			class, x, y-half, width, 2*half, round, x+gap, y+4, html.EscapeString(text))
	}}
}

func expression(e *ebnf.Expression) rail {
	options := make([]rail, len(e.Alternatives))
	for i, s := range e.Alternatives {
		options[i] = sequence(s)
	}
	return choice(options)
}

func sequence(s *ebnf.Sequence) rail {
	var parts []rail
	all := rail{}
	for i, t := range s.Terms {
		r := term(t)
		parts = append(parts, r)
		all.width, all.up, all.down = all.width+r.width, max(all.up, r.up), max(all.down, r.down)
		if i > 0 {
			all.width += gap
		}
	}
	all.draw = func(out *strings.Builder, x, y int) {
		for i, r := range parts {
			if i > 0 {
				line(out, x, x+gap, y)
				x += gap
			}
			r.draw(out, x, y)
			x += r.width
		}
	}
	return all
}

func term(t *ebnf.Term) rail {
	var r rail
	switch {
	case t.Group != nil:
		r = expression(t.Group.Expr)
	case t.Name != "":
		r = box(t.Name, "name")
	case t.Token != "":
		r = box(t.Token, "kind")
	default:
		r = box(strings.Trim(t.Literal, `"`), "token")
	}
	switch t.Repetition {
	case "?":
		return choice([]rail{empty(), r})
	case "*":
		return choice([]rail{empty(), again(r)})
	case "+":
		return again(r)
	}
	return r
}

func empty() rail { return rail{draw: func(*strings.Builder, int, int) {}} }

// choice is one line through each of some pieces, the first one straight on.
func choice(options []rail) rail {
	if len(options) == 1 {
		return options[0]
	}
	inner := 0
	for _, r := range options {
		inner = max(inner, r.width)
	}
	all := rail{width: inner + 4*curve + 2*gap, up: options[0].up, down: options[0].down}
	var below []int
	for _, r := range options[1:] {
		all.down += lane + max(r.up, curve)
		below = append(below, all.down)
		all.down += r.down
	}
	all.draw = func(out *strings.Builder, x, y int) {
		in, end := x+2*curve+gap, x+all.width
		for i, r := range options {
			at := y
			if i > 0 {
				at += below[i-1]
				bend(out, x, y, in, at)
				unbend(out, in+r.width, at, end, y)
			} else {
				line(out, x, in, y)
				line(out, in+r.width, end, y)
			}
			r.draw(out, in, at)
		}
		out.WriteByte('\n')
	}
	return all
}

// again is a piece and a line back to its beginning.
func again(r rail) rail {
	back := r.down + lane
	return rail{r.width + 2*gap, r.up, back + 2, func(out *strings.Builder, x, y int) {
		in, end := x+gap, x+gap+r.width
		line(out, x, in, y)
		r.draw(out, in, y)
		line(out, end, end+gap, y)
		fmt.Fprintf(out, `<path d="M%d %dq%d 0 %d %dV%dq0 %d %d %dH%dq%d 0 %d %dV%dq0 %d %d %d"/>`,
			end, y, curve, curve, curve, y+back-curve, curve, -curve, curve, in, -curve, -curve, -curve, y+curve, -curve, curve, -curve)
	}}
}
