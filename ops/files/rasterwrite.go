package files

import (
	"context"
	"encoding/json"
	"errors"
	"math"

	"weft/ops"
	"weft/ops/files/tiff"
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
		return ops.Wrong(ops.CodeCannotStore, "array", "take abs, real or phase of it first", "a GeoTIFF holds real numbers: the array is complex (%s)", t)
	case len(t.Dims) != 2:
		return ops.Wrong(ops.CodeCannotStore, "array", "choose one index of a dimension, or write a .npy", "a GeoTIFF holds two dimensions, and the array has %d (%s)", len(t.Dims), t)
	case !known:
		return ops.Wrong(ops.CodeCannotStore, "array", "add as: f32", "GeoTIFF files hold no %s", to)
	case t.Elem.Base.Float() && !to.Base.Float():
		return ops.Wrong(ops.CodeCannotStore, "as", "convert it by cast first", "%s elements cannot be written as %s", t.Elem, to)
	}
	return nil
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
	h.Geo, err = geoOf(t.Dims[0], t.Dims[1])
	return h, err
}

// closely is the part of a pixel by which coordinates may lie off and still count as those of the raster they came from.
const closely = 1e-5

// geoOf is the place of an array by its coordinates: that of the raster it came from, byte for byte, where it is whole or cut
// out of it.
func geoOf(y, x ops.Dim) (tiff.Geo, error) {
	if !evenly(y) || !evenly(x) {
		return tiff.Geo{}, nil
	}
	crs, scale := tiff.CRS{}, 1.0
	if f, ok := x.Frame.(*frame); ok && y.Frame != nil && f.Same(y.Frame) {
		a := f.geo.Affine
		crs = f.geo.CRS
		if scale = crs.Unit.Metres; crs.Unit.Angular {
			scale = math.Pi / 180
		} else if scale == 0 {
			scale = 1
		}
		row, column := (y.Coords[0]/scale-a[3])/a[5]-0.5, (x.Coords[0]/scale-a[0])/a[1]-0.5
		sameStep := math.Abs(step(y)/scale-a[5]) < closely*math.Abs(a[5]) && math.Abs(step(x)/scale-a[1]) < closely*math.Abs(a[1])
		if r, c := math.Round(row), math.Round(column); sameStep && math.Abs(row-r) < closely && math.Abs(column-c) < closely {
			if r == 0 && c == 0 {
				return f.geo, nil
			}
			return f.geo.Cropped(int(r), int(c)), nil
		}
	}
	dy, dx := step(y)/scale, step(x)/scale
	if dy == 0 || dx == 0 || !metric(y) || !metric(x) {
		return tiff.Geo{}, nil
	}
	return tiff.NewGeo(tiff.Affine{x.Coords[0]/scale - dx/2, dx, 0, y.Coords[0]/scale - dy/2, 0, dy}, crs)
}

func metric(d ops.Dim) bool { return d.Frame != nil || d.Unit.Same(ops.MustUnit("m")) }

// step is the distance of neighbours along a dim; that of a single one is not known.
func step(d ops.Dim) float64 {
	n := len(d.Coords)
	if n < 2 {
		return 0
	}
	return (d.Coords[n-1] - d.Coords[0]) / float64(n-1)
}

func evenly(d ops.Dim) bool {
	s := step(d)
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
	row  int // next one
	band []byte
}

// rows writes the next rows.
func (w *rasterWriter) rows(ctx context.Context, h ops.HostArray) error {
	e, err := newEncoder(w.call, h)
	if err != nil {
		return err
	}
	n := h.Type.Dims[0].Size
	if e.plain() {
		to, _ := rasterType(ops.ElemType{Base: h.Buf.Type})
		err := w.WriteRows(h.Data[h.Offset():], tiff.Layout{DType: to, RowStride: h.Stride(), NodataAsNaN: to.Float()}, w.row, w.row+n)
		w.row += n
		return err
	}
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

func (w *rasterWriter) rowBytes() int { return w.Header().Width * w.Header().DType.Size() }

// flush writes the whole rows that have come.
func (w *rasterWriter) flush() error {
	n := len(w.band) / w.rowBytes()
	layout := tiff.Layout{DType: w.Header().DType, NodataAsNaN: w.Header().DType.Float()}
	if err := w.WriteRows(w.band, layout, w.row, w.row+n); err != nil {
		return err
	}
	w.row += n
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
	if err := errors.Join(w.rows(ctx, h), w.annotate(ctx)); err != nil {
		return errors.Join(err, w.Abort())
	}
	return w.Commit(false)
}
