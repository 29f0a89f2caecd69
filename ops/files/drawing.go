package files

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/ops"
	"weft/ops/files/picture"
	"weft/ops/problem"
)

func checkPicture(c *ops.Call, t ops.Type) error {
	switch n := len(t.Dims); {
	case c.Has("as"):
		return problem.Wrong(problem.ContradictArguments, "as", "leave it out, or write a .npy", "`as` is for numbers, and %s is a picture", c.Text("path"))
	case t.Elem.Complex:
		return problem.Wrong(problem.CannotStore, "array", "take abs, real or phase of it first", "a picture shows real numbers: the array is complex (%s)", t)
	case n != 2 && n != 3:
		return problem.Wrong(problem.CannotStore, "array", "reduce it, or choose one index of a dimension", "a picture shows 2 dimensions, or projections of 3: the array has %d (%s)", n, t)
	}
	return checkColours(c, t)
}

// checkColours checks the arguments map and range.
func checkColours(c *ops.Call, t ops.Type) error {
	if name := mapName(c); name != "" && !slices.Contains(mapNames(), name) {
		return problem.Wrong(problem.UnknownChoice, "map", "it is one of "+strings.Join(mapNames(), ", "), "there is no colour map %s", name).Among(mapNames())
	}
	r, ok := c.Args["range"].(ops.Range)
	switch {
	case !ok:
	case !r.From.Unit.Same(t.Unit):
		return problem.Wrong(problem.UnitMismatch, "range", "", "the range is %s, the array %s", inUnit(r.From.Unit), inUnit(t.Unit))
	case !(r.From.V < r.To.V):
		return problem.Wrong(problem.EmptyRange, "range", "", "the range %s is empty", r)
	}
	return nil
}

func mapName(c *ops.Call) string {
	if c.Has("map") {
		return strings.Trim(c.Args["map"].String(), `"`)
	}
	return ""
}

func writePNG(_ context.Context, c *ops.Call, h ops.HostArray) error {
	unit, err := unitIn(c, h.Type)
	if err != nil {
		return err
	}
	return picture.WritePNG(c.Text("path"), picture.Figure{Title: c.Text("title"), Panels: panels(h, unit), Scale: scale(c, unit)})
}

// scale is the colour scale that a call asks for, for values shown in a unit.
func scale(c *ops.Call, unit ops.Unit) picture.Scale {
	s := picture.Scale{Map: mapName(c), Label: unit.String()}
	if r, ok := c.Args["range"].(ops.Range); ok {
		s.Lo, s.Hi = shown(r.From.V, unit), shown(r.To.V, unit)
	}
	return s
}

// shown is a value in SI units as a person writes it in a unit.
func shown(v float64, u ops.Unit) float64 { return (v - u.Offset) / u.SI() }

// panels are an array of two dimensions as an image, or the projections of one of three.
func panels(h ops.HostArray, unit ops.Unit) []picture.Image {
	values := make([]float64, h.Type.Len())
	h.LoadRange(values, 0, 0)
	for i, v := range values {
		values[i] = shown(v, unit)
	}
	dims := h.Type.Dims
	if len(dims) == 2 {
		return []picture.Image{image(values, dims[0], dims[1], "")}
	}
	var out []picture.Image
	for _, along := range []int{1, 0, 2} { // of x, y and z: x-z, y-z, x-y
		kept := slices.Delete(slices.Clone(dims), along, along+1)
		title := "largest along " + dims[along].Name
		out = append(out, image(project(values, h.Type.Shape(), along), kept[0], kept[1], title))
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

// image lays an array of two dims out: x across and z down where there are such, otherwise the first down.
func image(values []float64, first, second ops.Dim, title string) picture.Image {
	narrow := make([]float32, len(values))
	for i, v := range values {
		narrow[i] = float32(v)
	}
	m := picture.NewImage(narrow, first.Size, second.Size)
	m.Title, m.Y, m.X = title, axisOf(first), axisOf(second)
	if first.Name == "x" || second.Name == "z" {
		return m.Transposed()
	}
	return m
}

// axisOf gives a dim's coordinates, where they are evenly spaced; a picture counts the others.
func axisOf(d ops.Dim) picture.Axis {
	a := picture.Axis{Name: d.Name}
	n := len(d.Coords)
	if n < 2 {
		return a
	}
	step := (d.Coords[n-1] - d.Coords[0]) / float64(n-1)
	for i, v := range d.Coords {
		if math.Abs(v-d.Coords[0]-float64(i)*step) > 1e-3*math.Abs(step) {
			return a
		}
	}
	a.Unit, a.First, a.Last = d.Unit.String(), shown(d.Coords[0], d.Unit), shown(d.Coords[n-1], d.Unit)
	return a
}

// number writes a value to six digits.
func number(v float64) string { return fmt.Sprintf("%.6g", v) }
