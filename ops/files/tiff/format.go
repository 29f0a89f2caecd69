package tiff

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"

	"weft/kernels/region"
	"weft/ops/files/element"
	"weft/ops/files/format"
	"weft/ops/problem"
)

// Raster is the format of GeoTIFF files.
var Raster = &format.Format{
	Name: "GeoTIFF", Endings: []string{".tif", ".tiff"}, Holds: Holds, Takes: []string{"as"}, Choices: []string{"band"},
	Open: openRaster, Check: check, Create: createRaster, Scratch: scratch, Chunk: func(format.Order) []int { return []int{tileEdge, tileEdge} },
	Provenance: func(path string) (string, error) { h, err := Stat(path); return h.Description, err },
	Reads: "A GeoTIFF gives one band over y and x, row 0 in the north, with its coordinates and map projection, or those of a world file beside it (.tfw, .wld); elements that it marks as missing, by a nodata value or by a mask inside the file or beside it (.msk), are NaN, for which " +
		"whole numbers become floats. Scale and offset of GDAL's metadata are applied: elements are scale v + offset, in floats. Read `as` whole numbers, " +
		"missing elements keep the value that is stored. Heights that the system of a GeoTIFF gives in feet are read in feet; `unit: 1` keeps the numbers. Of several bands `band` chooses one; files with a band of alpha are refused: a mask can be made of it.",
	Writes: "A GeoTIFF holds one real array of two dimensions, rows first, with its coordinates, map projection, and what it was made from. " +
		"It is cloud optimized, and where an axis has more than 512 elements there are copies reduced by 2, 4, ...: of floats by means of what is there, of whole numbers by one of each four.",
}

// raster is the raster of an open file.
type raster struct{ *File }

func openRaster(path string, c format.Choice) (format.Input, error) {
	band := 0
	if text, chosen := c["band"]; chosen {
		var err error
		if band, err = strconv.Atoi(text); err != nil {
			return nil, err
		}
	}
	f, err := OpenBand(path, band)
	if err != nil {
		return nil, err
	}
	r := raster{f}
	f.SetCache(r.cacheSize(f.Header().Width))
	return r, nil
}

func (r raster) About() format.About {
	h := r.Header()
	return format.About{DType: h.DType, Shape: []int{h.Height, h.Width}, Names: []string{"y", "x"}, Unit: heightUnit(h.Geo), Gives: Holds,
		Scale: h.Scale, Offset: h.Offset, Gaps: h.Nodata != nil || h.Masked, NaNIsMissing: true, Band: r.band(), Chunk: []int{h.BlockH, h.BlockW}, Scratch: r.scratch}
}

// Read reads a part; parts of other rows of blocks may be read beside it.
func (r raster) Read(dst []byte, as element.DType, stride int, t region.Region) error {
	at := Rect{Y0: t[0].Lo, Y1: t[0].Hi, X0: t[1].Lo, X1: t[1].Hi}
	if stride == 0 {
		stride = at.Width() * as.Size()
	}
	if at.Width() < r.Header().Width {
		r.SetCache(r.cacheSize(at.Width()))
	}
	return r.ReadTile(dst, Layout{DType: as, RowStride: stride, NodataAsNaN: as.Float()}, at)
}

// band is rows of blocks, several where blocks are low.
func (r raster) band() int {
	h := r.Header()
	row := int64(h.Width) * int64(h.DType.Size())
	few := max(1, int((1<<20)/max(1, row*int64(h.BlockH))))
	return h.BlockH * few
}

// scratch is two rows of blocks, and a block for each processor.
func (r raster) scratch(at region.Region) int64 {
	h := r.Header()
	block := int64(h.BlockH) * int64(h.BlockW) * int64(h.DType.Size()) * h.together()
	all := int64(runtime.GOMAXPROCS(0)) << 18
	if h.whole() {
		all = r.cacheSize(at[1].Len()) + int64(runtime.GOMAXPROCS(0))*block
	}
	if h.Masked { // a row of its blocks, and pieces of rows
		all += r.cacheSize(at[1].Len()) + int64(runtime.GOMAXPROCS(0))<<18
	}
	return all
}

// cacheSize holds the blocks that two parts of so many columns share, one below the other.
func (r raster) cacheSize(columns int) int64 {
	h := r.Header()
	across := int64((columns + h.BlockW - 1) / h.BlockW)
	if columns < h.Width { // they begin within a block
		across++
	}
	return across * int64(h.BlockW) * int64(h.BlockH) * int64(h.DType.Size())
}

// check finds what no file can hold.
func check(o format.Order) error {
	t, beside := o.Type, MaskBeside(o.Path)
	_, masked := os.Stat(beside)
	switch {
	case t.Elem.Complex || o.Elem.Complex:
		return problem.Wrong(problem.CannotStore, "array", "take abs, real or phase of it first", "a GeoTIFF holds real numbers: the array is complex (%s)", t)
	case len(t.Dims) != 2:
		return problem.Wrong(problem.CannotStore, "array", "choose one index of a dimension, or write a .npy", "a GeoTIFF holds two dimensions, and the array has %d (%s)", len(t.Dims), t)
	case masked == nil:
		return problem.Wrong(problem.Unwritable, "path", "remove it, or write to another file", "%s would hide parts of what is written: it is a mask for it", beside)
	case sideways(t):
		return problem.Wrong(problem.CannotStore, "array", fmt.Sprintf("turn it round: transpose(order: [%s, %s])", t.Dims[1].Name, t.Dims[0].Name),
			"the rows of a GeoTIFF run from north to south, and the first dimension of the array, %s, runs from west to east", t.Dims[0].Name)
	}
	return nil
}

// headerOf describes the file of an array.
func headerOf(o format.Order) (h Header, err error) {
	h = Header{DType: o.DType, Height: o.Type.Dims[0].Size, Width: o.Type.Dims[1].Size}
	if h.DType.Float() {
		missing := math.NaN()
		h.Nodata = &missing
	}
	if h.Geo, err = geoOf(o.Type.Dims[0], o.Type.Dims[1]); err != nil {
		return h, err
	}
	if feet := heightUnit(h.Geo); !feet.Plain() && (!o.Unit.Same(feet) || o.Unit.SI() != feet.SI()) {
		h.Geo = h.Geo.WithoutHeights()
	}
	return h, nil
}

// scratch is a row of blocks as it is and packed, and one block for each processor.
func scratch(o format.Order, at region.Region) int64 {
	size := int64(o.Elem.Size())
	band := int64((at[1].Len()+tileEdge-1)/tileEdge*tileEdge) * tileEdge * size
	own := int64(runtime.GOMAXPROCS(0)) * (tileEdge*tileEdge*size + 1<<20)
	if o.Elem != o.Type.Elem || o.Type.Unit.SI() != 1 {
		band += band / 2 // encoded first
	}
	return 2*band + own
}
