package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"

	"weft/ops"
	"weft/ops/files/tiff"
	"weft/ops/problem"
)

func isRaster(path string) bool { return ending(path) == ".tif" || ending(path) == ".tiff" }

// checkRaster finds what no GeoTIFF file can hold.
func checkRaster(c *ops.Call, t ops.Type) error {
	to := elemIn(c, t)
	_, known := rasterType(to)
	switch {
	case c.Has("map") || c.Has("range") || c.Has("title"):
		return checkNumbers(c, t) // which says so
	case t.Elem.Complex || to.Complex:
		return problem.Wrong(problem.CannotStore, "array", "take abs, real or phase of it first", "a GeoTIFF holds real numbers: the array is complex (%s)", t)
	case len(t.Dims) != 2:
		return problem.Wrong(problem.CannotStore, "array", "choose one index of a dimension, or write a .npy", "a GeoTIFF holds two dimensions, and the array has %d (%s)", len(t.Dims), t)
	case masked(c.Text("path")):
		return problem.Wrong(problem.Unwritable, "path", "remove it, or write to another file", "%s would hide parts of what is written: it is a mask for it", tiff.MaskBeside(c.Text("path")))
	case sideways(t):
		return problem.Wrong(problem.CannotStore, "array", fmt.Sprintf("turn it round: transpose(order: [%s, %s])", t.Dims[1].Name, t.Dims[0].Name),
			"the rows of a GeoTIFF run from north to south, and the first dimension of the array, %s, runs from west to east", t.Dims[0].Name)
	case !known:
		return problem.Wrong(problem.CannotStore, "array", "add as: f32", "GeoTIFF files hold no %s", to)
	case t.Elem.Base.Float() && !to.Base.Float():
		return problem.Wrong(problem.CannotStore, "as", "convert it by cast first", "%s elements cannot be written as %s", t.Elem, to)
	}
	return nil
}

// masked reports a mask beside a path, which is there before the raster.
func masked(path string) bool {
	_, err := os.Stat(tiff.MaskBeside(path))
	return err == nil
}

// rasterHeader describes the file of an array.
func rasterHeader(c *ops.Call, t ops.Type) (tiff.Header, error) {
	d, _ := rasterType(elemIn(c, t))
	h := tiff.Header{DType: d, Height: t.Dims[0].Size, Width: t.Dims[1].Size}
	if d.Float() {
		missing := math.NaN()
		h.Nodata = &missing
	}
	var err error
	if h.Geo, err = geoOf(t.Dims[0], t.Dims[1]); err != nil {
		return h, err
	}
	u, err := unitIn(c, t)
	if feet := heightUnit(h.Geo); !feet.Plain() && (!u.Same(feet) || u.SI() != feet.SI()) {
		h.Geo = h.Geo.WithoutHeights()
	}
	return h, err
}

// geoOf is the place of an array by its coordinates. What is in a map projection keeps all that its file said of it.
func geoOf(y, x ops.Dim) (tiff.Geo, error) {
	north, east := frameOf(y), frameOf(x)
	projected := north != nil && east != nil && north.geo.SameCRS(east.geo)
	scale, dy, dx := 1.0, 0.0, 0.0
	if projected {
		scale, dy, dx = scaleOf(east.geo.CRS), east.geo.Affine[5], east.geo.Affine[1] // of a single row or column
	}
	if !evenly(y) || !evenly(x) || !projected && (!metric(y) || !metric(x)) {
		return tiff.Geo{}, nil
	}
	dy, dx = step(y, dy*scale)/scale, step(x, dx*scale)/scale
	if dy == 0 || dx == 0 {
		return tiff.Geo{}, nil
	}
	place := tiff.Affine{x.Coords[0]/scale - dx/2, dx, 0, y.Coords[0]/scale - dy/2, 0, dy}
	if projected {
		return east.geo.Moved(place), nil
	}
	return tiff.NewGeo(place, tiff.CRS{})
}

func frameOf(d ops.Dim) *frame {
	f, _ := d.Frame.(*frame)
	return f
}

// sideways reports whether rows run along what is the easting on the map, or x of dims that are named so.
func sideways(t ops.Type) bool {
	y, x := t.Dims[0], t.Dims[1]
	if f, g := frameOf(y), frameOf(x); f != nil || g != nil {
		return f != nil && f.east || g != nil && !g.east
	}
	return y.Name == "x" && x.Name == "y" && y.Coords != nil && x.Coords != nil && metric(y) && metric(x)
}

func metric(d ops.Dim) bool { return d.Unit.Same(ops.MustUnit("m")) }

// step is the distance of neighbours along a dim; lone is that of a single one.
func step(d ops.Dim, lone float64) float64 {
	n := len(d.Coords)
	if n < 2 {
		return lone
	}
	return (d.Coords[n-1] - d.Coords[0]) / float64(n-1)
}

func evenly(d ops.Dim) bool {
	s := step(d, 0)
	for i, v := range d.Coords {
		if math.Abs(v-d.Coords[0]-float64(i)*s) > 1e-3*math.Abs(s) {
			return false
		}
	}
	return len(d.Coords) > 0
}

// rasterWriter writes rows of an array to a GeoTIFF file.
type rasterWriter struct {
	*tiff.Writer
	call *ops.Call
	rest tiff.Rect // of what is being written
	band []byte
}

// write writes a part of the raster.
func (w *rasterWriter) write(ctx context.Context, at tiff.Rect, h ops.HostArray) error {
	e, err := newEncoder(w.call, h)
	if err != nil {
		return err
	}
	if e.plain() {
		to, _ := rasterType(ops.ElemType{Base: h.Buf.Type})
		return w.WriteRect(h.Data[h.Offset():], tiff.Layout{DType: to, RowStride: h.Stride(), NodataAsNaN: to.Float()}, at)
	}
	w.rest = at
	if err := e.encode(ctx, w); err != nil {
		return err
	}
	return w.flush()
}

// Write takes encoded elements in C order.
func (w *rasterWriter) Write(p []byte) (int, error) {
	w.band = append(w.band, p...)
	if len(w.band) >= w.Header().BlockH*w.rowBytes() {
		return len(p), w.flush()
	}
	return len(p), nil
}

func (w *rasterWriter) rowBytes() int { return w.rest.Width() * w.Header().DType.Size() }

// flush writes the whole rows that have come.
func (w *rasterWriter) flush() error {
	n := len(w.band) / w.rowBytes()
	layout := tiff.Layout{DType: w.Header().DType, NodataAsNaN: w.Header().DType.Float()}
	next := w.rest
	next.Y1 = next.Y0 + n
	if err := w.WriteRect(w.band, layout, next); err != nil {
		return err
	}
	w.rest.Y0 = next.Y1
	w.band = append(w.band[:0], w.band[n*w.rowBytes():]...)
	return nil
}

// annotate records where the raster comes from.
func (w *rasterWriter) annotate(ctx context.Context) error {
	p := ops.ProvenanceOf(ctx)
	if p == nil {
		return nil
	}
	text, err := json.Marshal(p)
	w.Annotate("weft "+p.Weft, string(text))
	return err
}

func writeRaster(ctx context.Context, c *ops.Call, h ops.HostArray) error {
	header, err := rasterHeader(c, h.Type)
	if err != nil {
		return err
	}
	f, err := tiff.Create(c.Text("path"), header)
	if err != nil {
		return err
	}
	w := &rasterWriter{Writer: f, call: c}
	if err := errors.Join(w.write(ctx, header.Whole(), h), w.annotate(ctx)); err != nil {
		return errors.Join(err, w.Abort())
	}
	return w.Commit(false)
}
