package files

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"

	"weft/kernels/region"
	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/tiff"
	"weft/ops/problem"
)

// rasterType is the type in GeoTIFF files of an element type: booleans are 0 and 1.
func rasterType(e ops.ElemType) (element.DType, bool) {
	if e == ops.Bool {
		return element.Uint8, true
	}
	d, known := fileType(e)
	return d, known && tiff.Holds(d)
}

// rasterInput is the raster of a GeoTIFF file.
type rasterInput struct{ *tiff.File }

func (r rasterInput) Shape() []int { return []int{r.Header().Height, r.Header().Width} }
func (r rasterInput) Bytes() int64 { return r.Header().Bytes() }
func (r rasterInput) scaled() bool { return r.Header().Scale != 0 }
func (r rasterInput) gaps() bool   { return r.Header().Nodata != nil || r.Header().Masked }

func (r rasterInput) names() []string { return []string{"y", "x"} }

func (r rasterInput) Elem() ops.ElemType { return elemOf(r.Header().DType) }

func (r rasterInput) reads(as ops.ElemType) bool {
	to, known := fileType(as)
	return known && tiff.Holds(to) && element.Conversion(r.Header().DType, to) != element.Refused
}

// scale turns elements into what they stand for.
func (r rasterInput) scale(values []float64) {
	if h := r.Header(); h.Scale != 0 {
		stretch(values, h.Scale, h.Offset)
	}
}

// read reads rows of blocks on all processors.
func (r rasterInput) read(dst []byte, as ops.ElemType, stride int, t region.Region) error {
	to, known := fileType(as)
	if !known || !tiff.Holds(to) {
		return fmt.Errorf("rasters are not read as %s", as)
	}
	if stride == 0 {
		stride = t[1].Len() * to.Size()
	}
	layout := tiff.Layout{DType: to, RowStride: stride, NodataAsNaN: to.Float()}
	all := tiff.Rect{Y0: t[0].Lo, Y1: t[0].Hi, X0: t[1].Lo, X1: t[1].Hi}
	bands := r.cut(all)
	faults := make([]error, len(bands))
	limit := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for i, b := range bands {
		limit <- struct{}{}
		wg.Go(func() {
			faults[i] = r.ReadTile(dst[(b.Y0-all.Y0)*stride:], layout, b)
			<-limit
		})
	}
	wg.Wait()
	return errors.Join(faults...)
}

// cut divides a rectangle along the borders of the file's blocks.
func (r rasterInput) cut(all tiff.Rect) []tiff.Rect {
	step := r.bands()
	var out []tiff.Rect
	for y := all.Y0; y < all.Y1; {
		end := min((y/step+1)*step, all.Y1)
		out = append(out, tiff.Rect{Y0: y, Y1: end, X0: all.X0, X1: all.X1})
		y = end
	}
	return out
}

// bands are rows of blocks, several where blocks are low.
func (r rasterInput) bands() int {
	h := r.Header()
	row := int64(h.Width) * int64(h.DType.Size())
	few := max(1, int((1<<20)/max(1, row*int64(h.BlockH))))
	return h.BlockH * few
}

// scratch is two rows of blocks, and a block for each processor.
func (r rasterInput) scratch() int64 {
	h := r.Header()
	block := int64(h.BlockH) * int64(h.BlockW) * int64(h.DType.Size())
	all := int64(runtime.GOMAXPROCS(0)) << 18
	if h.Compression != tiff.None {
		all = r.cacheSize() + int64(runtime.GOMAXPROCS(0))*block
	}
	if h.Masked { // a row of its blocks, and pieces of rows
		all += r.cacheSize() + int64(runtime.GOMAXPROCS(0))<<18
	}
	return all
}

// cacheSize holds the row of blocks that two parts share.
func (r rasterInput) cacheSize() int64 {
	h := r.Header()
	across := int64((h.Width + h.BlockW - 1) / h.BlockW)
	return across * int64(h.BlockW) * int64(h.BlockH) * int64(h.DType.Size())
}

// frame is an axis of the map projection of a raster.
type frame struct {
	geo  tiff.Geo
	east bool // eastings; otherwise northings
}

func (f *frame) String() string {
	axis, name := "northings", "a system without a name"
	if f.east {
		axis = "eastings"
	}
	switch crs := f.geo.CRS; {
	case crs.EPSG != 0:
		name = fmt.Sprintf("EPSG:%d", crs.EPSG)
	case crs.Citation != "":
		name = crs.Citation
	}
	return axis + " of " + name
}

// Same compares projections, not places.
func (f *frame) Same(other ops.Frame) bool {
	o, ok := other.(*frame)
	return ok && f.east == o.east && f.geo.SameCRS(o.geo)
}

// scale is what a unit of the projection is in SI units.
func scaleOf(crs tiff.CRS) float64 {
	switch {
	case crs.Unit.Angular:
		return math.Pi / 180
	case crs.Unit.Metres == 0:
		return 1 // not known: reading warned of it
	}
	return crs.Unit.Metres
}

// lengthOf is a unit of length that a file names; metres where it names none.
func lengthOf(u tiff.Unit) ops.Unit {
	for _, name := range []string{"ft", "ftUS"} {
		if known := ops.MustUnit(name); known.SI() == u.Metres {
			return known
		}
	}
	m := ops.MustUnit("m")
	if u.Metres != 0 && u.Metres != 1 {
		return ops.Unit{Symbol: u.Name, Dims: m.Dims, Scale: u.Metres}
	}
	return m
}

// heightUnit is that of heights where a file names another than metres; plain numbers count as those.
func heightUnit(g tiff.Geo) ops.Unit {
	if v := g.CRS.Vertical; v.Metres != 0 && v.Metres != 1 {
		return lengthOf(v)
	}
	return ops.Unit{}
}

func (r rasterInput) unit() ops.Unit { return heightUnit(r.Header().Geo) }

// problemCodes say which problems of a georeference are errors. Others are warned of.
var problemCodes = map[tiff.ProblemKind]string{tiff.Rotated: problem.RotatedRaster, tiff.Mirrored: problem.RotatedRaster}

// place gives the rows and columns of a raster the coordinates of their centres.
func (r rasterInput) place(c *ops.Call, dims []ops.Dim) (warnings, err error) {
	geo := r.Header().Geo
	var found []error
	for _, p := range geo.Problems() {
		w := problem.Wrong(problem.UnplacedRaster, "path", p.Help, "%s %s", c.Text("path"), p.Reason)
		if code, bad := problemCodes[p.Kind]; bad {
			w.Code = code
			return nil, w
		}
		if p.Kind == tiff.SouthUp || p.Kind == tiff.NotSquare || p.Kind == tiff.AngularUnit || p.Kind == tiff.Unplaced && c.Has("pixel") {
			continue // the coordinates say it, or the call
		}
		w.Warning = true
		found = append(found, w)
	}
	if !geo.Placed {
		return errors.Join(found...), placeByPixel(c, dims)
	}
	scale, unit := scaleOf(geo.CRS), lengthOf(geo.CRS.Unit)
	if geo.CRS.Unit.Angular {
		unit = ops.MustUnit("deg")
	}
	a := geo.Affine
	for i, line := range [][2]float64{{a[3], a[5]}, {a[0], a[1]}} {
		d := &dims[i]
		d.Unit, d.Coords = unit, make([]float64, d.Size)
		for k := range d.Coords {
			d.Coords[k] = (line[0] + line[1]*(float64(k)+0.5)) * scale
		}
		if geo.CRS.Model != tiff.NoModel {
			d.Frame = &frame{geo, i == 1}
		}
	}
	if p := c.Number("pixel"); c.Has("pixel") && (math.Abs(p-math.Abs(a[1])*scale) > 1e-6*p || math.Abs(p-math.Abs(a[5])*scale) > 1e-6*p) {
		return nil, problem.Wrong(problem.ContradictArguments, "pixel", "leave it out", "%s says that its pixels are %g x %g m", c.Text("path"), math.Abs(a[5])*scale, math.Abs(a[1])*scale)
	}
	return errors.Join(found...), nil
}

// placeByPixel gives the dims y and x coordinates by the argument pixel: metres from the south-west corner, row 0 in the north.
func placeByPixel(c *ops.Call, dims []ops.Dim) error {
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
