package picture

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Terminal draws an image in at most width x height characters, with the coordinates beside it and the range of its
// values below: as a figure where caps name a picture protocol, in half blocks where there are colours, otherwise in
// characters from light to dense. A terminal's characters are taken to be twice as high as wide.
func Terminal(w io.Writer, m Image, s Scale, width, height int, caps Caps) error {
	if err := m.check(); err != nil {
		return err
	}
	s, err := s.resolve([]Image{m})
	if err != nil {
		return err
	}
	m.kinds = s.few != nil
	if caps.Protocol != NoProtocol {
		return caps.Protocol.send(w, Figure{Panels: []Image{m}, Scale: s}, width, height)
	}
	c, err := s.colours()
	if err != nil {
		return err
	}
	t, err := newScreen(&m, width, height)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	p := pens[caps.Depth]
	t.draw(&out, s, c, p)
	_, err = w.Write(out.Bytes())
	return err
}

// screen is the layout of an image in characters.
type screen struct {
	image      *Image
	cols, rows int            // characters of the array
	margin     int            // characters left of the array's border
	yLabels    map[int]string // by row
	xTicks     []tick
}

const (
	narrowest = 20 // characters in which anything can be recognised
	lowest    = 8
)

// newScreen fits the array to the space that the labels leave, with the ratio of its sides where it has one.
func newScreen(m *Image, width, height int) (*screen, error) {
	if width < narrowest || height < lowest {
		return nil, fmt.Errorf("%d x %d characters are too few for a picture: at least %d x %d are needed", width, height, narrowest, lowest)
	}
	t := &screen{image: m}
	lines := height - 2 // coordinates and range below
	for _, text := range []string{m.Title, t.heading(), m.X.label("")} {
		if text != "" {
			lines--
		}
	}
	y0, y1 := m.Y.edges(m.Rows)
	yTicks := ticks(y0, y1, max(lines/4, 2), m.Y.counted())
	for _, y := range yTicks {
		t.margin = max(t.margin, len(y.label))
	}
	t.fit(width-t.margin-1, lines)
	t.yLabels = map[int]string{}
	for _, y := range yTicks {
		t.yLabels[cell(y.at, y0, y1, t.rows)] = y.label
	}
	x0, x1 := m.X.edges(m.Cols)
	t.xTicks = ticks(x0, x1, max(t.cols/12, 2), m.X.counted())
	return t, nil
}

// heading is the line above the array, which names the vertical axis.
func (t *screen) heading() string { return t.image.Y.label("") }

// fit chooses the characters of the array. An image that counts pixels is not made larger than it is.
func (t *screen) fit(cols, rows int) {
	s := shapeOf(t.image)
	t.cols, t.rows = cols, rows
	if s.free {
		return
	}
	scale := min(float64(cols)/s.width, 2*float64(rows)/s.height) // half blocks by unit
	if s.counted && scale > 1 {
		scale = math.Floor(scale)
	}
	t.cols = min(max(int(math.Round(s.width*scale)), 1), cols)
	t.rows = min(max(int(math.Ceil(s.height*scale/2-1e-9)), 1), rows)
}

// cell is the character, of n between two coordinates, where v lies.
func cell(v, from, to float64, n int) int {
	return min(max(int((v-from)/(to-from)*float64(n)), 0), n-1)
}

func (t *screen) draw(out *bytes.Buffer, s Scale, c *colours, p pen) {
	indent := strings.Repeat(" ", t.margin+1)
	if t.image.Title != "" {
		fmt.Fprintf(out, "%s%s\n", indent, t.image.Title)
	}
	if t.heading() != "" {
		fmt.Fprintln(out, t.heading())
	}
	for row := range t.rows {
		fmt.Fprintf(out, "%*s ", t.margin, t.yLabels[row])
		p.line(out, t.image, row, t.rows, t.cols, s, c)
	}
	fmt.Fprintf(out, "%s%s\n", indent, t.xLine())
	if name := t.image.X.label(""); name != "" {
		left := max((t.cols-utf8.RuneCountInString(name))/2, 0)
		fmt.Fprintf(out, "%s%s%s\n", indent, strings.Repeat(" ", left), name)
	}
	t.legend(out, s, c, p)
}

// xLine is the horizontal coordinates, each with its middle below its column; one that would touch another is left out.
func (t *screen) xLine() string {
	x0, x1 := t.image.X.edges(t.image.Cols)
	line := []byte{}
	for _, x := range slices.SortedFunc(slices.Values(t.xTicks), func(a, b tick) int {
		return cell(a.at, x0, x1, t.cols) - cell(b.at, x0, x1, t.cols)
	}) {
		start := max(cell(x.at, x0, x1, t.cols)-len(x.label)/2, 0)
		if len(line) > 0 && start < len(line)+2 {
			continue
		}
		line = append(line, bytes.Repeat([]byte{' '}, start-len(line))...)
		line = append(line, x.label...)
	}
	return string(line)
}

// legend is the line that shows the colours from the least value to the greatest, those between steps, or those of few values.
func (t *screen) legend(out *bytes.Buffer, s Scale, c *colours, p pen) {
	patch := func(values ...float32) string {
		var sample bytes.Buffer
		m := NewImage(values, 1, len(values))
		p.line(&sample, &m, 0, 1, len(values), s, c)
		return strings.TrimSuffix(sample.String(), "\n")
	}
	const steps = 16
	bar := make([]float32, steps)
	for i := range bar {
		bar[i] = float32(s.Lo + (float64(i)+0.5)/steps*(s.Hi-s.Lo))
	}
	line := fmt.Sprintf("%s %s %s", s.text(s.Lo), patch(bar...), s.text(s.Hi))
	if s.few != nil {
		var keys []string
		for _, v := range s.few {
			keys = append(keys, fmt.Sprintf("[%s] %s", patch(float32(v), float32(v)), s.text(v)))
		}
		line = strings.Join(keys, "  ")
	}
	if s.Steps != nil {
		keys := []string{fmt.Sprintf("[%s]", patch(float32(math.Inf(-1)), float32(math.Inf(-1))))}
		for _, v := range s.Steps {
			after := math.Nextafter32(float32(v), float32(math.Inf(1))) // as what is shown is rounded
			keys = append(keys, fmt.Sprintf("%s [%s]", s.text(v), patch(after, after)))
		}
		line = strings.Join(keys, " ")
	}
	if s.Label != "" {
		line += " " + s.Label
	}
	if hasNaN([]Image{*t.image}) {
		line += "  " + patch(float32(math.NaN())) + " " + missingLabel
	}
	fmt.Fprintf(out, "%s%s\n", strings.Repeat(" ", t.margin+1), line)
}

// round prints a value to a precision, without zeros that say nothing.
func round(v, step float64) string {
	text := number(math.Round(v/step)*step, step)
	if strings.Contains(text, ".") && !strings.Contains(text, "e") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}
