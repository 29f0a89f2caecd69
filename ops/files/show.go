package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"weft/kernels/device"
	"weft/ops"
	"weft/ops/files/format"
	"weft/ops/files/picture"
	"weft/ops/problem"
)

// Small arrays are shown as numbers, up to so many of them along each of at most two dimensions.
const (
	numbersAcross = 8
	numbersDown   = 16
)

// pictureRows bounds the height of a picture in a terminal.
const pictureRows = 40

func showSpec() *ops.Spec {
	everything := ops.KArray | ops.KNumber | ops.KText | ops.KBool | ops.KList | ops.KRange | ops.KObject | ops.KRecord
	return &ops.Spec{
		Name: "show", Doc: "Show a value in the terminal.", Group: group,
		Long: "Numbers and small arrays are shown as numbers, lines as a curve, arrays of two dimensions as a picture with coordinates, of three " +
			"as pictures of the largest values along each, in colours where the terminal has them. Complex arrays are drawn by magnitude. With `all` every " +
			"number is shown: a line of them one below the other, and of more dimensions than two a table for each element of the outer ones. Of a record every " +
			"part is shown, one after the other.",
		Params: []ops.Param{
			{Name: "value", Doc: "what to show", Accept: everything, Unit: "*"},
			{Name: "map", Doc: "colours: " + strings.Join(picture.Names(), ", ") + "; gray for dB, otherwise tide", Accept: ops.KText | ops.KSymbol, Optional: true},
			ops.Span("range", "*", "values at the ends of the colours; the least and the largest when left out").Opt(),
			{Name: "steps", Doc: "values at which the colours change, and nowhere between, such as [9 degC, 26 degC, 32 degC] for thermal stress", Accept: ops.KList, Optional: true},
			{Name: "all", Doc: "all numbers, whatever there are", Accept: ops.KBool, Default: ops.Flag(false)},
		},
		Examples: []ops.Example{{Title: "A picture", Code: "x = axis(x, -1 mm .. 1 mm in 33)\ny = axis(y, -1 mm .. 1 mm in 33)\nshow(exp(-(x ^ 2 + y ^ 2) / (0.5 mm) ^ 2))"}},
		Counts:   true,
		Bind: func(c *ops.Call) (ops.Op, error) {
			var errs []error
			if c.Has("map") || c.Has("range") || c.Has("steps") || c.Args["value"].Kind() == ops.KArray {
				c.Arrays(func(_ string, a ops.Array) { errs = append(errs, picture.CheckColours(c, a.Type())) })
			}
			return showing{c}, errors.Join(errs...)
		},
	}
}

// showing is a use of show.
type showing struct{ *ops.Call }

// Outputs are none.
func (showing) Outputs() []ops.Output { return nil }

// Take prints or draws.
func (s showing) Take(_ context.Context, in []ops.HostArray, t ops.Terminal) (ops.Note, error) {
	return ops.Note{}, s.tell(s.Args["value"], s.Written, &in, t)
}

// tell shows a value that has a name, or none. Arrays come in the order in which the value has them.
func (s showing) tell(v ops.Value, name string, in *[]ops.HostArray, t ops.Terminal) error {
	switch v := v.(type) {
	case ops.Record:
		for _, part := range v.Names {
			full := part
			if name != "" {
				full = name + "." + part
			}
			if err := s.tell(v.Fields[part], full, in, t); err != nil {
				return err
			}
		}
		return nil
	case ops.Array:
		h := (*in)[0]
		*in = (*in)[1:]
		return s.array(h, name, t)
	}
	text := plainText(v)
	if s.Args["value"].Kind() == ops.KRecord {
		text = name + " = " + text
	}
	_, err := fmt.Fprintln(t, text)
	return err
}

func (s showing) array(h ops.HostArray, name string, t ops.Terminal) error {
	if len(h.Type.Dims) == 0 {
		return single(h, name, t)
	}
	heading := h.Type.String()
	if name != "" {
		heading = name + ": " + heading
	}
	if _, err := fmt.Fprintln(t, heading); err != nil || h.Type.Len() == 0 {
		return err
	}
	return draw(s.Call, h, t)
}

// plainText is a value as it is written in a file, a text without its quotes.
func plainText(v ops.Value) string {
	if t, ok := v.(ops.Text); ok {
		return problem.Printable(string(t))
	}
	return v.String()
}

// single writes an array of one element: name = 3.2 mm.
func single(h ops.HostArray, name string, w io.Writer) error {
	if name != "" {
		name += " = "
	}
	_, err := fmt.Fprintf(w, "%s%s%s\n", name, elementText(h, 0, h.Type.Unit), space(h.Type.Unit.String()))
	return err
}

func draw(c *ops.Call, h ops.HostArray, t ops.Terminal) error {
	dims := h.Type.Dims
	small := len(dims) <= 2 && dims[len(dims)-1].Size <= numbersAcross && h.Type.Len() <= numbersAcross*numbersDown
	switch {
	case c.Args["all"] == ops.Flag(true):
		return tables(h, t)
	case small:
		return table(h, 0, h.Parts[0].Rows(), t)
	case len(dims) == 1:
		return line(magnitudes(h), t)
	case len(dims) <= 3:
		return pictures(c, magnitudes(h), t)
	}
	return summary(magnitudes(h), t)
}

// magnitudes replaces a complex array by its magnitudes.
func magnitudes(h ops.HostArray) ops.HostArray {
	if !h.Type.Elem.Complex {
		return h
	}
	t := h.Type
	t.Elem.Complex = false
	out := ops.NewHostArray(t)
	d := h.Dense()
	for i, im := range d.Im {
		d.Re[i] = math.Hypot(d.Re[i], im)
	}
	out.Parts[0].Store(0, d.Re)
	return out
}

// tables writes all elements: a table for each index of the dims before the last two, and a line downwards.
func tables(h ops.HostArray, w io.Writer) error {
	dims := h.Type.Dims
	if len(dims) == 1 {
		cells := [][]string{{dims[0].Name, ""}}
		for i := range dims[0].Size {
			cells = append(cells, []string{format.Place(dims[0], i), elementText(h, i, h.Type.Unit)})
		}
		return aligned(cells, w)
	}
	outer, rows := dims[:len(dims)-2], dims[len(dims)-2].Size
	for k, index := range ops.Indices(ops.Type{Dims: outer}.Shape()) {
		var heading []string
		for d, i := range index {
			heading = append(heading, outer[d].Name+": "+format.Place(outer[d], i))
		}
		if len(outer) > 0 {
			if _, err := fmt.Fprintln(w, strings.Join(heading, ", ")); err != nil {
				return err
			}
		}
		if err := table(h, k*rows, rows, w); err != nil {
			return err
		}
	}
	return nil
}

// table writes rows of elements as numbers, a row a line, with the coordinates before and above them.
func table(h ops.HostArray, from, rows int, w io.Writer) error {
	width := h.Parts[0].Width()
	cells := make([][]string, rows)
	for r := range cells {
		for i := range width {
			cells[r] = append(cells[r], elementText(h, (from+r)*width+i, h.Type.Unit))
		}
	}
	return aligned(withCoordinates(h, cells), w)
}

// aligned writes columns as wide as the widest text in them.
func aligned(cells [][]string, w io.Writer) error {
	widths := make([]int, len(cells[0]))
	for _, row := range cells {
		for i, cell := range row {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	var b strings.Builder
	for _, row := range cells {
		var line strings.Builder
		for i, cell := range row {
			fmt.Fprintf(&line, "  %*s", widths[i], cell)
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// withCoordinates puts the places of the columns above and those of the rows before the numbers.
func withCoordinates(h ops.HostArray, cells [][]string) [][]string {
	n := len(h.Type.Dims)
	across := h.Type.Dims[n-1]
	head := make([]string, across.Size)
	for i := range head {
		head[i] = format.Place(across, i)
	}
	cells = append([][]string{head}, cells...)
	if n == 1 {
		cells[0] = append([]string{across.Name}, cells[0]...)
		cells[1] = append([]string{""}, cells[1]...)
		return cells
	}
	down := h.Type.Dims[n-2]
	cells[0] = append([]string{down.Name + "\\" + across.Name}, cells[0]...)
	for r := range down.Size {
		cells[r+1] = append([]string{format.Place(down, r)}, cells[r+1]...)
	}
	return cells
}

// elementText writes element i in a unit.
func elementText(h ops.HostArray, i int, u ops.Unit) string {
	if h.Type.Elem == ops.Bool {
		return fmt.Sprint(h.Float(i) != 0)
	}
	v := h.Complex(i)
	if !h.Type.Elem.Base.Float() && u.Plain() {
		p := h.Parts[0]
		return fmt.Sprint(device.Int(p.Buf.Type, p.Element(i), 0)) // all digits of a count
	}
	text := format.Digits(format.Shown(real(v), u))
	if !h.Type.Elem.Complex {
		return text
	}
	im := format.Digits(imag(v) / u.SI())
	if !strings.HasPrefix(im, "-") {
		im = "+" + im
	}
	return text + im + "j"
}

// pictures draws an array of two or three dimensions.
func pictures(c *ops.Call, h ops.HostArray, t ops.Terminal) error {
	columns, rows := t.Size()
	caps := picture.CapsOf(t)
	for _, m := range picture.Panels(h, h.Type.Unit) {
		if m.Title != "" {
			if _, err := fmt.Fprintln(t, m.Title); err != nil {
				return err
			}
		}
		if err := picture.Terminal(t, m, picture.ScaleOf(c, h.Type.Unit), columns, max(1, min(rows-1, pictureRows)), caps); err != nil {
			return err
		}
	}
	return nil
}

// bars are the heights of a curve, from low to high, and plainBars those of terminals without such signs.
var (
	bars      = []rune("▁▂▃▄▅▆▇█")
	plainBars = []rune("_.-=*#")
)

// line draws an array of one dimension as a curve of bars: each is the largest of the elements it stands for.
func line(h ops.HostArray, t ops.Terminal) error {
	values := h.Dense().Re
	columns, _ := t.Size()
	n := max(1, min(len(values), columns-2))
	lo, hi := finiteRange(values)
	signs := plainBars
	if t.Rich() {
		signs = bars
	}
	var b strings.Builder
	b.WriteString("  ")
	for i := range n {
		most := math.Inf(-1)
		for _, v := range values[i*len(values)/n : (i+1)*len(values)/n] {
			if v > most {
				most = v
			}
		}
		b.WriteRune(sign(signs, most, lo, hi))
	}
	d := h.Type.Dims[0]
	fmt.Fprintf(&b, "\n  %s from %s to %s\n", d.Name, format.Place(d, 0), format.Place(d, d.Size-1))
	_, err := io.WriteString(t, b.String())
	return errors.Join(err, summary(h, t))
}

// sign chooses the bar for a value between lo and hi; a blank for what is not finite.
func sign(signs []rune, v, lo, hi float64) rune {
	switch {
	case v-v != 0:
		return ' '
	case hi == lo:
		return signs[0]
	}
	return signs[min(len(signs)-1, int((v-lo)/(hi-lo)*float64(len(signs))))]
}

func finiteRange(values []float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if v-v == 0 {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return lo, hi
}

// summary writes least, largest and mean of an array, and how many of its elements are not finite.
func summary(h ops.HostArray, w io.Writer) error {
	lo, hi, sum, finite := math.Inf(1), math.Inf(-1), 0.0, 0
	for row := range h.Parts[0].Values() {
		for _, v := range row {
			if v-v == 0 {
				lo, hi, sum, finite = min(lo, v), max(hi, v), sum+v, finite+1
			}
		}
	}
	u := h.Type.Unit
	text := "  no finite value\n"
	if finite > 0 {
		text = fmt.Sprintf("  least %s, largest %s, mean %s%s\n", format.Digits(format.Shown(lo, u)), format.Digits(format.Shown(hi, u)), format.Digits(format.Shown(sum/float64(finite), u)), space(u.String()))
	}
	if bad := h.Type.Len() - finite; bad > 0 && finite > 0 {
		text = strings.TrimSuffix(text, "\n") + fmt.Sprintf("; %d not finite\n", bad)
	}
	_, err := io.WriteString(w, text)
	return err
}

func space(s string) string {
	if s == "" {
		return ""
	}
	return " " + s
}
