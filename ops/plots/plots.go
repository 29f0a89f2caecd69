// Package plots draws curves, points and bars to PNG and SVG files.
package plots

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"weft/ops"
	"weft/ops/files"
	"weft/ops/files/fileio"
	"weft/ops/problem"
)

const group = "plots"

// mostLines is how many lines of one array tell anything.
const mostLines = 20

// kind is what is drawn.
type kind string

const (
	lines   kind = "line"
	points  kind = "scatter"
	bars    kind = "bars"
	spreads kind = "hist"
)

// Specs are the operators.
func Specs() []*ops.Spec {
	what := ops.In("y", "what to draw, in its unit: an array, or a list of arrays of one unit; of several dimensions, those besides `along` give a line each").Also(ops.KList)
	path := ops.Str("path", "file ending in .png or .svg; its folder must exist")
	x := ops.In("x", "where: an array over `along`, or over all dimensions of y; the coordinates when left out").Opt()
	along := ops.Param{Name: "along", Doc: "dimension that runs across; the last one when left out", Accept: ops.KSymbol, Optional: true}
	errors := ops.In("error", "half the length of a bar at each point, of y's shape and unit").Opt()
	below := ops.In("below", "what to draw in a panel below, over the same places, such as what a model leaves: an array, or a list of arrays of one unit").Also(ops.KList).Opt()
	names := ops.Param{Name: "names", Doc: "list of texts: what the lines are called; the names of the arrays and coordinates when left out", Accept: ops.KList, Optional: true}
	title := ops.Str("title", "heading").Opt()
	log := ops.Choose("log", "axes with a logarithmic scale, on which only numbers above 0 are drawn", "none", "x", "y", "both").Or(ops.Symbol("none"))
	const form = " NaN is not drawn. The axes are labelled by names and units, instants by dates and times of day in UTC. A file appears complete or not at all."
	return []*ops.Spec{
		{Name: "plot.line", Doc: "Draw curves to a file.", Group: group, Long: "A line for each array and each element of the dimensions besides `along`." + form,
			Params:   []ops.Param{what, path, x, along, below, names, title, log},
			Examples: []ops.Example{{Title: "A decaying wave", Code: "t = axis(t, 0 s .. 2 s in 400)\nwave = exp(-t / 1 s) * cos(20 * t / 1 s)\nwave | plot.line(\"wave.svg\", title: \"a wave\")"}},
			Bind:     binder(lines), Counts: true},
		{Name: "plot.scatter", Doc: "Draw points to a file.", Group: group, Long: "A point for each element, with a bar where there is an error." + form,
			Params:   []ops.Param{what, path, x, along, errors, below, names, title, log},
			Examples: []ops.Example{{Title: "Points with errors", Code: "i = axis(i, 1 .. 9)\nplot.scatter(sqrt(i), \"points.png\", error: 0.1 * sqrt(i))"}},
			Bind:     binder(points), Counts: true},
		{Name: "plot.bars", Doc: "Draw bars to a file.", Group: group, Long: "A bar for each element of one dimension, such as a histogram's." + form,
			Params:   []ops.Param{what, path, names, title},
			Examples: []ops.Example{{Title: "A histogram of sines", Code: "x = sin(axis(i, 0 .. 100 in 1000))\nhistogram(x, -1 .. 1 in 21) | plot.bars(\"sines.png\")"}},
			Bind:     binder(bars), Counts: true},
		{Name: "plot.hist", Doc: "Draw how the elements of arrays are spread.", Group: group, Long: "How many elements lie in each of the bins between the least and the largest of all arrays." + form,
			Params:   []ops.Param{what, path, ops.Count("bins", "number of bins").Within(1, 10000).Or(ops.Integer(50)), names, title},
			Examples: []ops.Example{{Title: "Sines", Code: "sin(axis(i, 0 .. 100 in 1000)) | plot.hist(\"sines.png\", bins: 20)"}},
			Bind:     binder(spreads), Counts: true},
	}
}

// plotting is a use of one of them.
type plotting struct {
	*ops.Call
	kind  kind
	along []int // the dim across, of each y
	lines int
	names []string
}

// Outputs are none.
func (*plotting) Outputs() []ops.Output { return nil }

// File is the path.
func (p *plotting) File() string { return p.Text("path") }

func binder(k kind) func(*ops.Call) (ops.Op, error) {
	return func(c *ops.Call) (ops.Op, error) {
		p := &plotting{Call: c, kind: k}
		if e := filepath.Ext(p.File()); e != ".png" && e != ".svg" {
			return nil, problem.Wrong(problem.UnknownFormat, "path", "end its name in .png or .svg", "%s is neither", p.File())
		}
		if err := files.Writable(p.File()); err != nil {
			return nil, err
		}
		var first ops.Type
		for i, v := range c.List("y") {
			a, ok := v.(ops.Array)
			if !ok {
				return nil, problem.Wrong(problem.MixedList, "y", "list arrays", "y holds %s, which is no array", v)
			}
			t := a.Type()
			if i == 0 {
				first = t
			}
			if err := p.add(a, c.List("y")[0].(ops.Array)); err != nil {
				return nil, err
			}
		}
		if err := p.under(first); err != nil {
			return nil, err
		}
		if len(p.along) == 0 {
			return nil, problem.Wrong(problem.EmptyArray, "y", "list arrays", "there is nothing to draw")
		}
		if names := c.List("names"); names != nil {
			p.names = nil
			for _, n := range names {
				s, ok := n.(ops.Text)
				if !ok {
					return nil, problem.Wrong(problem.NotANameList, "names", `write texts, such as ["data", "model"]`, "names holds %s, which is no text", n)
				}
				p.names = append(p.names, string(s))
			}
			if len(names) != p.lines {
				return nil, problem.Wrong(problem.ContradictArguments, "names", "", "there are %d names for %d lines", len(names), p.lines)
			}
		}
		return p, p.beside()
	}
}

// add takes one of the arrays that are drawn.
func (p *plotting) add(a, other ops.Array) error {
	t, first := a.Type(), other.Type()
	at := len(t.Dims) - 1
	if along := p.Symbol("along"); along != "" {
		at = slices.IndexFunc(t.Dims, func(d ops.Dim) bool { return d.Name == along })
	}
	many := 1
	for i, d := range t.Dims {
		if i != at {
			many *= d.Size
		}
	}
	switch {
	case t.Elem.Complex:
		return problem.Wrong(problem.WrongElementType, "y", "draw abs(...), real(...) or phase(...) of it", "complex numbers are no curve")
	case !t.Unit.Same(first.Unit):
		return problem.Wrong(problem.UnitMismatch, "y", "draw them in files of their own", "arrays in %s and in %s have no axis in common", first.Unit.Describe(), t.Unit.Describe())
	case p.kind == spreads:
	case len(t.Dims) == 0:
		return problem.Wrong(problem.WrongDims, "y", "show it", "a single number is no curve")
	case at < 0:
		return problem.Wrong(problem.UnknownDim, "along", "", "%s has no dimension %s", t, p.Symbol("along"))
	case p.kind == bars && many > 1:
		return problem.Wrong(problem.WrongDims, "y", "choose one line of them by an index", "bars are drawn along one dimension, not %d", len(t.Dims))
	case many > mostLines:
		return problem.Wrong(problem.WrongDims, "y", "choose some by an index, or write a picture of the array", "%s makes %d lines, of which nobody tells one from another", t, many)
	}
	p.along = append(p.along, at)
	if p.kind == spreads {
		many = 1
	} else if _, elsewhere := p.Array("x"); !elsewhere {
		d, e := t.Dims[at], first.Dims[p.along[0]]
		if d.Name != e.Name || !d.Unit.Same(e.Unit) || (d.Coords == nil) != (e.Coords == nil) {
			return problem.Wrong(problem.CoordinateMismatch, "y", "say with `x` where they are, or draw them in files of their own", "%s and %s have no axis in common", first, t)
		}
	}
	p.lines += many
	return nil
}

// under checks what is drawn in a panel below: lines over the places of those above.
func (p *plotting) under(above ops.Type) error {
	var first ops.Type
	for i, v := range p.List("below") {
		a, ok := v.(ops.Array)
		if !ok {
			return problem.Wrong(problem.MixedList, "below", "list arrays", "below holds %s, which is no array", v)
		}
		t := a.Type()
		if i == 0 {
			first = t
		}
		switch {
		case t.Elem.Complex:
			return problem.Wrong(problem.WrongElementType, "below", "draw abs(...), real(...) or phase(...) of it", "complex numbers are no curve")
		case !t.Unit.Same(first.Unit):
			return problem.Wrong(problem.UnitMismatch, "below", "draw them in files of their own", "arrays in %s and in %s have no axis in common", first.Unit.Describe(), t.Unit.Describe())
		case len(p.along) > 0 && !ops.SameDims(t.Dims, above.Dims[p.along[0]:p.along[0]+1]):
			return problem.Wrong(problem.WrongDims, "below", "", "below is %s, and y is %s", t, above)
		}
	}
	return nil
}

// beside checks what stands beside the values.
func (p *plotting) beside() error {
	y := p.List("y")
	for _, arg := range []string{"x", "error"} {
		a, ok := p.Array(arg)
		if !ok {
			continue
		}
		t := a.Type()
		if t.Elem.Complex {
			return problem.Wrong(problem.WrongElementType, arg, "", "%s is complex", arg)
		}
		for i, v := range y {
			of := v.(ops.Array).Type()
			whole := ops.SameDims(t.Dims, of.Dims)
			if !whole && (arg == "error" || !ops.SameDims(t.Dims, of.Dims[p.along[i]:p.along[i]+1])) {
				return problem.Wrong(problem.WrongDims, arg, "", "%s is %s, and y is %s", arg, t, of)
			}
			if arg == "error" && !t.Unit.Same(of.Unit) {
				return problem.Wrong(problem.UnitMismatch, arg, "", "errors of what is measured in %s are not measured in %s", of.Unit.Describe(), t.Unit.Describe())
			}
		}
	}
	return nil
}

// Take draws.
func (p *plotting) Take(ctx context.Context, in []ops.HostArray, _ ops.Terminal) (ops.Note, error) {
	f, err := p.figure(in)
	if err != nil {
		return ops.Note{}, err
	}
	var size int64
	path := ops.PathFor(ctx, p.File())
	err = fileio.WriteFile(path, func(w io.Writer) error {
		n, err := f.write(w, strings.TrimPrefix(filepath.Ext(path), "."))
		size = n
		return err
	})
	return ops.Note{Text: fmt.Sprintf("drew %s: %d lines", path, len(f.series)+len(f.under)), Bytes: size}, err
}
