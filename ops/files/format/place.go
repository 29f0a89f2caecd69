package format

import (
	"regexp"
	"sync"

	"weft/ops"
	"weft/ops/problem"
)

var dimName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\pL_][\pL\p{Nd}_]*$`) })

// IsDimName reports a name of a dim that a program can say.
func IsDimName(name string) bool { return dimName().MatchString(name) }

// PlaceByPixel gives the dims y and x coordinates by the argument pixel: metres from the south-west corner, row 0 in the north.
func PlaceByPixel(c *ops.Call, dims []ops.Dim) error {
	if !c.Has("pixel") {
		return nil
	}
	t := ops.Type{Dims: dims}
	y, x := t.Dim("y"), t.Dim("x")
	if y < 0 || x < 0 {
		return problem.Wrong(problem.MissingDim, "pixel", "name the dims: dims: [y, x]", "pixel is for rasters over y and x, and %s has the dims %v", c.Text("path"), t.DimNames())
	}
	pixel := c.Number("pixel")
	for _, at := range []int{y, x} {
		d := &dims[at]
		d.Unit, d.Coords = ops.MustUnit("m"), make([]float64, d.Size)
		for k := range d.Coords {
			n := float64(k)
			if at == y {
				n = float64(d.Size - 1 - k)
			}
			d.Coords[k] = (n + 0.5) * pixel
		}
	}
	return nil
}
