package sky

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"weft/ops"
	"weft/ops/problem"
)

// raster is the elevation model an operator works on.
type raster struct {
	in    ops.Array
	t     ops.Type
	y, x  int     // which of its dims run south and east
	pixel float64 // m
}

func (r raster) rows() int    { return r.t.Dims[r.y].Size }
func (r raster) columns() int { return r.t.Dims[r.x].Size }

// output is an array over the raster's pixels.
func (r raster) output(e ops.ElemType, unit string, inner ...ops.Dim) ops.Type {
	t := ops.Type{Elem: e, Dims: []ops.Dim{r.t.Dims[r.y], r.t.Dims[r.x]}}
	t.Dims = append(t.Dims, inner...)
	if unit != "" {
		t.Unit = ops.MustUnit(unit)
	}
	return t
}

// resolveRaster reads the argument input and checks that it is a raster of heights with square pixels of a known size.
func resolveRaster(c *ops.Call, p *problems) raster {
	in, _ := c.Array("input")
	r := raster{in: in, t: in.Type()}
	r.y, r.x = r.t.Dim("y"), r.t.Dim("x")
	for _, name := range []string{"y", "x"} {
		if r.t.Dim(name) < 0 {
			p.add(problem.MissingDim, "input", "name the dims in read(..., dims: [y, x])", "the input has no dim %s", name)
		}
	}
	for _, d := range r.t.DimNames() {
		if d != "y" && d != "x" {
			p.add(problem.ExtraDim, "input", "choose one index: ["+d+": 0]", "the input has a dim %s; a raster has y and x", d)
		}
	}
	checkHeights(p, "input", r.t)
	if r.y < 0 || r.x < 0 {
		return r
	}
	if r.rows() == 0 || r.columns() == 0 {
		p.add(problem.EmptyArray, "input", "", "the input has no pixels")
	}
	north, east := spacing(p, r.t.Dims[r.y]), spacing(p, r.t.Dims[r.x])
	if north > 0 {
		p.add(problem.ContradictArguments, "input", "store the raster north up", "y grows from row to row, but row 0 must be the north edge")
	}
	if east < 0 {
		p.add(problem.ContradictArguments, "input", "store the raster with columns from west to east", "x falls from column to column, but column 0 must be the west edge")
	}
	if d := r.t.Dims[r.x]; r.t.Unit.Plain() && d.Unit.Same(metre) && d.Unit.SI() != 1 {
		p.warn(problem.UnplacedRaster, "input", fmt.Sprintf("say it where it is read: unit: %s, or unit: m", d.Unit), "the coordinates of the input are in %s, and its heights are plain numbers, which count as metres", d.Unit)
	}
	r.pixel = pixelOf(c, p, math.Abs(north), math.Abs(east))
	if r.pixel == 0 && !slices.ContainsFunc(r.t.Dims, hasCoords) {
		p.add(problem.NoCoordinates, "pixel", "write pixel: 1 m, say", "the input does not say how large its pixels are")
	} else if r.pixel == 0 {
		r.pixel = 1 // a single pixel, whatever its size
	}
	return r
}

// How far the sides of a pixel may differ: without a word, and with a warning.
const (
	square       = 1e-4
	nearlySquare = 1e-3
)

// pixelOf is the size of a pixel from the distances of rows and columns, 0 where they are not known, and from the argument.
func pixelOf(c *ops.Call, p *problems, height, width float64) float64 {
	given := c.Number("pixel")
	if height == 0 || width == 0 {
		height, width = max(height, width), max(height, width)
	}
	low, high := min(height, width), max(height, width)
	differ := func(a, b, part float64) bool { return math.Abs(a/b-1) > part }
	switch {
	case high == 0:
		return given
	case given != 0 && (given < low*(1-square) || given > high*(1+square)):
		p.add(problem.ContradictArguments, "pixel", "leave pixel out", "the coordinates of the input are %g m apart, and pixel is %g m", height, given)
	case !differ(height, width, square):
		return cmp.Or(given, height)
	case given == 0 && differ(height, width, nearlySquare):
		p.add(problem.ContradictArguments, "input", fmt.Sprintf("resample it to square pixels, or let them count as squares: pixel: %.4g m", math.Sqrt(height*width)),
			"pixels are %g m by %g m: they must be square", height, width)
	default:
		given = cmp.Or(given, math.Sqrt(height*width))
		p.warn(problem.UnplacedRaster, "input", "resample it to square pixels where that matters", "pixels are %g m by %g m and count as squares of %.6g m", height, width, given)
	}
	return given
}

var metre = ops.MustUnit("m")

func hasCoords(d ops.Dim) bool { return len(d.Coords) > 0 }

// spacing is the signed distance of neighbours along a dim in metres; 0 where it has no coordinates or a single one.
func spacing(p *problems, d ops.Dim) float64 {
	if len(d.Coords) < 2 {
		return 0
	}
	if !d.Unit.Plain() && !d.Unit.Same(metre) {
		p.add(problem.WrongUnit, "input", "project the raster to metres, such as UTM", "the coordinates along %s are in %s, not in metres", d.Name, d.Unit)
		return 0
	}
	step, uneven := d.Step(1e-3)
	if uneven >= 0 {
		p.add(problem.ContradictArguments, "input", "resample the raster", "the coordinates along %s are not evenly spaced: see index %d", d.Name, uneven)
		return 0
	}
	return step
}

func checkHeights(p *problems, arg string, t ops.Type) {
	switch {
	case t.Elem.Complex || !t.Elem.Base.Float() && !t.Elem.Base.Int():
		p.add(problem.WrongElementType, arg, "heights are real numbers", "%s holds %s", arg, t.Elem)
	case !t.Unit.Plain() && !t.Unit.Same(metre):
		p.add(problem.WrongUnit, arg, "heights are in metres", "%s is in %s", arg, t.Unit)
	}
}

// layer is another raster over the pixels of r, if it is given.
func (r raster) layer(c *ops.Call, arg string, p *problems) *ops.Type {
	if _, array := c.Array(arg); !array {
		return nil
	}
	t := c.Type(arg)
	for _, d := range r.t.Dims {
		at := t.Dim(d.Name)
		switch {
		case at < 0:
			p.add(problem.MissingDim, arg, "", "%s has no dim %s", arg, d.Name)
		case t.Dims[at].Size != d.Size:
			p.add(problem.ExtentMismatch, arg, "cut or resample it to the pixels of the input", "%s has %d pixels along %s, and the input %d", arg, t.Dims[at].Size, d.Name, d.Size)
		case d.Frame != nil && t.Dims[at].Frame != nil && !d.Frame.Same(t.Dims[at].Frame):
			p.add(problem.CoordinateMismatch, arg, "project it to the system of the input", "%s is in %s, and the input in %s", arg, t.Dims[at].Frame, d.Frame)
		case hasCoords(d) && hasCoords(t.Dims[at]) && !slices.EqualFunc(d.Coords, t.Dims[at].Coords, func(a, b float64) bool { return math.Abs(a-b) <= 1e-3*r.pixel }):
			p.add(problem.CoordinateMismatch, arg, "resample it to the pixels of the input", "%s lies on other coordinates along %s than the input", arg, d.Name)
		}
	}
	if len(t.Dims) != 2 {
		p.add(problem.ExtraDim, arg, "", "%s has the dims %v; a raster has y and x", arg, t.DimNames())
	}
	return &t
}
