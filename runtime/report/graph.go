package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"weft/ops/amount"
	"weft/planner/bound"
)

// Sizes of the graph, in pixels.
const (
	boxWidth   = 340
	lineHeight = 16
	boxPadding = 10
	columnGap  = 36
	layerGap   = 46
	margin     = 12
	leastScale = 0.6 // of what the page may shrink it to
	barLength  = boxWidth - 2*boxPadding - 110
)

// box is a step in the drawing, or, without a step, a gap that a line passes through.
type box struct {
	step   *bound.Step
	title  string
	body   string
	lines  []string // of the body, that fit the box
	m      Measured
	ran    bool
	layer  int
	x, y   float64
	width  float64
	height float64
	into   []*box
	order  float64 // within its layer: mean of those it reads from
}

// gap is the room between a box and the next one.
func (b *box) gap() float64 {
	if b.step == nil {
		return gapWidth
	}
	return columnGap
}

// top and bottom are where lines end and begin.
func (b *box) top() (x, y float64)    { return b.x + b.width/2, b.y }
func (b *box) bottom() (x, y float64) { return b.x + b.width/2, b.y + b.height }

// boundColours are the boxes' by what limits a kernel.
var boundColours = map[string]string{
	"compute": "#e3edfb", "bandwidth": "#e2f3e6", "pages": "#fdf1d8", "latency": "#ececec", "transfer": "#f3e8fd",
}

// drawGraph draws steps as boxes in layers, producers above, and arrays as lines between them.
func drawGraph(p *bound.Plan, a *Analysis) string {
	boxes, arrays := addGaps(boxesOf(p, a))
	width, height := place(boxes)
	var s svg
	// A wide plan shrinks to the page, but not so far that it cannot be read: then it scrolls.
	s.add(`<svg viewBox="0 0 %.0f %.0f" style="width:min(%.0fpx,max(100%%,%.0fpx))" role="img" aria-label="plan">`,
		width, height, width, leastScale*width)
	s.add(`<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">`)
	s.add(`<path d="M0 0L8 4L0 8z" fill="#667"/></marker></defs>`)
	for _, e := range arrays {
		e.draw(&s)
	}
	label(&s, boxes, arrays) // above all lines
	longest := 0.0
	for _, b := range boxes {
		if b.step != nil && b.step.Kernel != nil {
			longest = max(longest, predicted(b.step.Kernel)*1e-3, b.m.Seconds)
		}
	}
	for _, b := range boxes {
		if b.step != nil {
			b.draw(&s, longest)
		}
	}
	s.WriteString(`</svg>`)
	return s.String()
}

// letter and letterHeight are what a character of a label takes, about.
const (
	letter       = 5.8
	letterHeight = 14
)

// label names each array once, beside the first of its lines that has room; where none has, its lines tell when pointed at.
func label(s *svg, boxes []*box, arrays []array) {
	var taken [][4]float64 // left, top, right, bottom
	for _, b := range boxes {
		if b.step != nil {
			taken = append(taken, [4]float64{b.x, b.y, b.x + b.width, b.y + b.height})
		}
	}
	named := map[string]bool{}
	for _, e := range arrays {
		if named[e.id] {
			continue
		}
		x1, y1 := e.from.bottom()
		x2, y2 := e.way[0].top()
		for _, part := range []float64{0.6, 0.35, 0.8, 0.5, 0.2} {
			x, y := x1+(x2-x1)*part+6, y1+(y2-y1)*part+4
			room := [4]float64{x, y - letterHeight + 3, x + letter*float64(len([]rune(e.label))), y + 3}
			if slices.ContainsFunc(taken, func(t [4]float64) bool { return t[0] < room[2] && room[0] < t[2] && t[1] < room[3] && room[1] < t[3] }) {
				continue
			}
			s.add(`<text x="%.0f" y="%.0f" class="edge">%s</text>`, x, y, text(e.label))
			taken, named[e.id] = append(taken, room), true
			break
		}
	}
}

// array is a line from the step that makes it to one that takes it.
type array struct {
	id     string
	from   *box
	way    []*box // gaps in the layers it passes through, then the step that takes it
	label  string
	weight float64
}

// draw draws a line through the gaps.
func (e array) draw(s *svg) {
	x, y := e.from.bottom()
	s.add(`<path d="M%.0f %.0f`, x, y)
	for i, b := range e.way {
		toX, toY := b.top()
		if i == len(e.way)-1 {
			toY -= 2
		}
		middle := (y + toY) / 2
		s.add(`C%.0f %.0f %.0f %.0f %.0f %.0f`, x, middle, toX, middle, toX, toY)
		x, y = b.bottom()
		if b.step == nil {
			s.add(`L%.0f %.0f`, x, y)
		}
	}
	s.add(`" fill="none" stroke="#667" stroke-width="%.1f" marker-end="url(#tip)"><title>%s</title></path>`, e.weight, text(e.label))
}

// gapWidth is the room that a line takes in a layer it passes through; mostBeside is how many steps stand beside each other, so that a page
// is wide enough.
const (
	gapWidth   = 8
	mostBeside = 3
)

func boxesOf(p *bound.Plan, a *Analysis) (boxes []*box, arrays []array) {
	maker := map[string]*box{}
	beside := map[int]int{} // steps by layer
	for i := range p.Steps {
		step := &p.Steps[i]
		b := &box{step: step, width: boxWidth, title: step.ID + "  " + string(step.Kind)}
		b.body = step.Name
		if step.Kernel != nil {
			b.body = stages(step.Kernel)
			if step.Kernel.Place.Accelerates() {
				b.title += "  on " + where(step.Kernel)
			}
			b.m, b.ran = a.kernel(step.ID)
		} else if step.Args != "" {
			b.body += "(" + step.Args + ")"
		}
		b.lines = wrap(b.body, 46, 4)
		b.height = float64(2*boxPadding + lineHeight*(1+len(b.lines)))
		if step.Kernel != nil {
			b.height += 2*lineHeight + 6
		}
		for _, id := range step.Reads {
			from, ok := maker[id]
			if !ok || from == b {
				continue
			}
			buf := p.Buffer(id)
			if !slices.Contains(b.into, from) {
				b.into = append(b.into, from)
			}
			b.layer = max(b.layer, from.layer+1)
			name := cmp.Or(buf.Label, buf.Stage)
			arrays = append(arrays, array{id, from, []*box{b}, clip(name, 28) + "  " + size(buf.Bytes), weightOf(buf.Bytes)})
		}
		for beside[b.layer] == mostBeside {
			b.layer++
		}
		beside[b.layer]++
		for _, id := range step.Writes {
			maker[id] = b
		}
		boxes = append(boxes, b)
	}
	return boxes, arrays
}

// addGaps lets lines that pass by a layer take part in it, so that they do not run behind its boxes.
func addGaps(boxes []*box, arrays []array) ([]*box, []array) {
	for i := range arrays {
		e := &arrays[i]
		to, last := e.way[0], e.from
		var way []*box
		for layer := e.from.layer + 1; layer < to.layer; layer++ {
			gap := &box{layer: layer, width: gapWidth, into: []*box{last}}
			boxes = append(boxes, gap)
			way = append(way, gap)
			last = gap
		}
		if last != e.from {
			to.into = append(to.into, last)
		}
		e.way = append(way, to)
	}
	return boxes, arrays
}

// weightOf is the width of an array's line: thicker the more it holds.
func weightOf(bytes int64) float64 {
	w := 1.0
	for n := bytes; n > 1<<20 && w < 5; n >>= 4 {
		w += 0.8
	}
	return w
}

// place puts layers below each other and centres them; within a layer boxes stand near those they read from.
func place(boxes []*box) (width, height float64) {
	var layers [][]*box
	for _, b := range boxes {
		for len(layers) <= b.layer {
			layers = append(layers, nil)
		}
		layers[b.layer] = append(layers[b.layer], b)
	}
	widths := make([]float64, len(layers))
	for i, l := range layers {
		for _, b := range l {
			widths[i] += b.width + b.gap()
		}
	}
	width = slices.Max(widths) + 2*margin
	y := float64(margin)
	for i, l := range layers {
		for _, b := range l {
			b.order = width / 2
			for k, from := range b.into {
				b.order += (from.x + from.width/2 - b.order) / float64(k+1) // the mean
			}
		}
		slices.SortStableFunc(l, func(a, b *box) int { return cmp.Compare(a.order, b.order) })
		x := (width - widths[i]) / 2
		tallest := 0.0
		for _, b := range l {
			b.x, b.y = x, y
			x += b.width + b.gap()
			tallest = max(tallest, b.height)
		}
		for _, b := range l {
			if b.step == nil {
				b.height = tallest
			}
		}
		y += tallest + layerGap
	}
	return width, y - layerGap + margin
}

// look is how a box is drawn: a kernel by what limits it, and whether its prediction is off.
func (b *box) look() (fill, stroke string, weight float64) {
	fill, stroke, weight = "#ffffff", "#9999aa", 1
	if k := b.step.Kernel; k != nil {
		_, bound := k.Expected()
		fill = boundColours[bound]
	}
	if b.m.Off {
		stroke, weight = "#c5221f", 2
	}
	return fill, stroke, weight
}

// draw draws the box; a kernel's with bars of its times, the longest of all filling the width.
func (b *box) draw(s *svg, longest float64) {
	fill, stroke, weight := b.look()
	s.add(`<g><rect x="%.0f" y="%.0f" width="%d" height="%.0f" rx="7" fill="%s" stroke="%s" stroke-width="%.0f"/>`,
		b.x, b.y, boxWidth, b.height, fill, stroke, weight)
	y := b.y + boxPadding + 12
	s.add(`<text x="%.0f" y="%.0f" class="name">%s</text>`, b.x+boxPadding, y, text(b.title))
	for _, line := range b.lines {
		y += lineHeight
		s.add(`<text x="%.0f" y="%.0f">%s</text>`, b.x+boxPadding, y, text(line))
	}
	if k := b.step.Kernel; k != nil {
		y += 6
		b.bar(s, &y, "predicted", predicted(k)*1e-3, longest, "#8fa8cc")
		if b.ran {
			colour := "#3c6ab0"
			if b.m.Off {
				colour = "#c5221f"
			}
			b.bar(s, &y, "measured", b.m.Seconds, longest, colour)
		}
	}
	s.WriteString(`</g>`)
}

func (b *box) bar(s *svg, y *float64, what string, t, longest float64, colour string) {
	*y += lineHeight
	length := barLength * t / max(longest, 1e-12)
	s.add(`<text x="%.0f" y="%.0f" class="small">%s</text>`, b.x+boxPadding, *y, what)
	s.add(`<rect x="%.0f" y="%.0f" width="%.1f" height="8" fill="%s"/>`, b.x+boxPadding+64, *y-8, max(1, length), colour)
	s.add(`<text x="%.0f" y="%.0f" class="small">%s</text>`, b.x+boxPadding+68+max(1, length), *y, seconds(t))
}

// Dot writes the plan as a graph: steps are boxes (kernels list what they compute), arrays are the arrows between them.
func Dot(w io.Writer, p *bound.Plan, opt Options) error {
	var b strings.Builder
	b.WriteString("digraph plan {\n  rankdir=TB;\n  node [shape=box, fontname=\"sans-serif\", fontsize=10];\n" +
		"  edge [fontname=\"sans-serif\", fontsize=9];\n")
	boxes, arrays := boxesOf(p, opt.Analysis)
	for _, x := range boxes {
		label := x.title + "\n" + x.body
		if k := x.step.Kernel; k != nil {
			label += "\n" + amount.Of(k.Flops, "flop") + ", " + millis(predicted(k)) + " predicted"
		}
		if x.ran {
			label += "\n" + seconds(x.m.Seconds) + " measured, " + x.m.mark()
		}
		fill, colour, width := x.look()
		fmt.Fprintf(&b, "  %s [label=%s, style=\"rounded,filled\", fillcolor=%q, color=%q, penwidth=%g];\n",
			x.step.ID, quote(label), fill, colour, width)
	}
	for _, e := range arrays {
		fmt.Fprintf(&b, "  %s -> %s [label=%s];\n", e.from.step.ID, e.way[0].step.ID, quote(e.label))
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// quote writes a dot string; line breaks become \n.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
