package picture

import (
	"context"
	"io"
	"math"
	"slices"
	"strings"

	"weft/kernels/region"
	"weft/ops"
	"weft/ops/files/format"
	"weft/ops/problem"
)

// PNG and SVG are the formats of pictures.
var (
	PNG = pictures("PNG", ".png", "Pictures show two dimensions with axes and a colour bar, or a key for each value where there are two or at most twelve whole ones, x across and z down where there are such; of three dimensions they show the largest values along each, side by side.", EncodePNG)
	SVG = pictures("SVG", ".svg", "", EncodeSVG)
)

func pictures(name, ending, text string, encode func(io.Writer, Figure) error) *format.Format {
	return &format.Format{
		Name: name, Endings: []string{ending}, Takes: []string{"map", "range", "steps", "title", "behind"}, Check: check, Writes: text,
		Write: func(_ context.Context, o format.Order, h ops.HostArray) error {
			panels := Panels(h, o.Unit)
			for _, other := range o.Other {
				for i, m := range Panels(other, other.Type.Unit) {
					panels[i].Behind = &m
				}
			}
			return writeFile(o.Path, Figure{Title: o.Call.Text("title"), Panels: panels, Scale: ScaleOf(o.Call, o.Unit)}, encode)
		},
		Scratch: func(o format.Order, _ region.Region) int64 { // numbers twice, and colours
			const colours = 32 << 20
			images := int64(1)
			if o.Call.Has("behind") {
				images = 2
			}
			return images*int64(o.Type.Len())*12 + colours
		},
	}
}

// Names are those of the colour maps.
func Names() []string {
	var names []string
	for _, m := range Maps {
		names = append(names, m.Name)
	}
	return names
}

func check(o format.Order) error {
	switch n := len(o.Type.Dims); {
	case o.Type.Elem.Complex:
		return problem.Wrong(problem.CannotStore, "array", "take abs, real or phase of it first", "a picture shows real numbers: the array is complex (%s)", o.Type)
	case n == 1:
		return problem.Wrong(problem.CannotStore, "array", "draw it with plot.line", "a picture shows 2 dimensions, or projections of 3: the array has %d (%s)", n, o.Type)
	case n != 2 && n != 3:
		return problem.Wrong(problem.CannotStore, "array", "reduce it, or choose one index of a dimension", "a picture shows 2 dimensions, or projections of 3: the array has %d (%s)", n, o.Type)
	}
	if b, ok := o.Call.Array("behind"); ok {
		switch t := b.Type(); {
		case t.Elem.Complex:
			return problem.Wrong(problem.CannotStore, "behind", "take abs, real or phase of it first", "a picture shows real numbers: what is behind is complex (%s)", t)
		case !slices.Equal(t.DimNames(), o.Type.DimNames()) || !slices.Equal(t.Shape(), o.Type.Shape()):
			return problem.Wrong(problem.ExtentMismatch, "behind", "give one over the same dimensions, in the same order", "what is behind is %s, and the array %s", t, o.Type)
		}
	}
	return CheckColours(o.Call, o.Type)
}

// CheckColours checks the arguments map and range.
func CheckColours(c *ops.Call, t ops.Type) error {
	if name := mapName(c); name != "" && !slices.Contains(Names(), name) {
		return problem.Wrong(problem.UnknownChoice, "map", "it is one of "+strings.Join(Names(), ", "), "there is no colour map %s", name).Among(Names())
	}
	r, ok := c.Args["range"].(ops.Range)
	if steps := c.List("steps"); steps != nil {
		if ok {
			return problem.Wrong(problem.ContradictArguments, "steps", "leave out one of them", "colours go through a range or change at steps")
		}
		return checkSteps(steps, t)
	}
	switch {
	case !ok:
	case !r.From.Unit.Same(t.Unit):
		return problem.Wrong(problem.UnitMismatch, "range", "", "the range is %s, the array %s", format.InUnit(r.From.Unit), format.InUnit(t.Unit))
	case !(r.From.V < r.To.V):
		return problem.Wrong(problem.EmptyRange, "range", "", "the range %s is empty", r)
	}
	return nil
}

// checkSteps wants rising numbers in the unit of an array.
func checkSteps(steps ops.List, t ops.Type) error {
	const help = "write numbers that rise, such as [9, 26, 32], in the unit of what is shown"
	if len(steps) == 0 || len(steps) >= mostKeys {
		return problem.Wrong(problem.OutOfBounds, "steps", help, "there are 1 to %d steps, not %d", mostKeys-1, len(steps))
	}
	last := math.Inf(-1)
	for _, v := range steps {
		n, ok := v.(ops.Number)
		switch {
		case !ok:
			return problem.Wrong(problem.NotANumber, "steps", help, "%s is no number", v)
		case !n.Unit.Same(t.Unit):
			return problem.Wrong(problem.UnitMismatch, "steps", "", "the step %s is %s, the array %s", v, format.InUnit(n.Unit), format.InUnit(t.Unit))
		case !(n.V > last):
			return problem.Wrong(problem.NotMonotone, "steps", help, "the step %s does not rise", v)
		}
		last = n.V
	}
	return nil
}

func mapName(c *ops.Call) string {
	if c.Has("map") {
		return strings.Trim(c.Args["map"].String(), `"`)
	}
	return ""
}

// ScaleOf is the colour scale that a call asks for, for values shown in a unit.
func ScaleOf(c *ops.Call, unit ops.Unit) Scale {
	s := Scale{Map: mapName(c), Label: unit.String()}
	if r, ok := c.Args["range"].(ops.Range); ok {
		s.Lo, s.Hi = format.Shown(r.From.V, unit), format.Shown(r.To.V, unit)
	}
	for _, v := range c.List("steps") {
		s.Steps = append(s.Steps, format.Shown(v.(ops.Number).V, unit))
	}
	return s
}

// Panels are an array of two dimensions as an image, or the projections of one of three.
func Panels(h ops.HostArray, unit ops.Unit) []Image {
	values := make([]float64, h.Type.Len())
	h.Parts[0].Load(values, 0)
	for i, v := range values {
		values[i] = format.Shown(v, unit)
	}
	dims := h.Type.Dims
	if len(dims) == 2 {
		return []Image{imageOf(values, dims[0], dims[1], "")}
	}
	var out []Image
	for _, along := range []int{1, 0, 2} { // of x, y and z: x-z, y-z, x-y
		kept := slices.Delete(slices.Clone(dims), along, along+1)
		title := "largest along " + dims[along].Name
		out = append(out, imageOf(project(values, h.Type.Shape(), along), kept[0], kept[1], title))
	}
	return out
}

// project takes the largest value along one of three dimensions; NaN are skipped.
func project(values []float64, shape []int, along int) []float64 {
	strides := []int{shape[1] * shape[2], shape[2], 1}
	var kept []int
	for i := range shape {
		if i != along {
			kept = append(kept, i)
		}
	}
	rows, cols := shape[kept[0]], shape[kept[1]]
	out := make([]float64, rows*cols)
	for r := range rows {
		for c := range cols {
			most := math.NaN()
			at := r*strides[kept[0]] + c*strides[kept[1]]
			for range shape[along] {
				if v := values[at]; !(v <= most) && v == v {
					most = v
				}
				at += strides[along]
			}
			out[r*cols+c] = most
		}
	}
	return out
}

// imageOf lays an array of two dims out: x across and z down where there are such, otherwise the first down.
func imageOf(values []float64, first, second ops.Dim, title string) Image {
	narrow := make([]float32, len(values))
	for i, v := range values {
		narrow[i] = float32(v)
	}
	m := NewImage(narrow, first.Size, second.Size)
	m.Title, m.Y, m.X = title, axisOf(first), axisOf(second)
	if first.Name == "x" || second.Name == "z" {
		return m.Transposed()
	}
	return m
}

// axisOf gives a dim's coordinates, where they are evenly spaced; a picture counts the others.
func axisOf(d ops.Dim) Axis {
	a := Axis{Name: d.Name}
	if n := len(d.Coords); n > 1 {
		if _, uneven := d.Step(1e-3); uneven < 0 {
			a.Unit, a.First, a.Last = d.Unit.String(), format.Shown(d.Coords[0], d.Unit), format.Shown(d.Coords[n-1], d.Unit)
		}
	}
	return a
}
