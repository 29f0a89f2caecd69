package tiff

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"weft/kernels/region"
	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/format"
	"weft/ops/files/tiff/gdal"
	"weft/ops/problem"
)

// Raster is the format of GeoTIFF files.
var Raster = &format.Format{
	Name: "GeoTIFF", Endings: []string{".tif", ".tiff"}, Holds: Holds, Takes: []string{"as", "nodata"}, Choices: []string{"band"},
	Open: openRaster, Check: check, Create: createRaster, Scratch: scratch, Chunk: tiles,
	Provenance: func(path string) (string, error) { h, err := Stat(path); return h.Description, err },
	Reads: "A GeoTIFF gives its band over y and x, or several over band, y and x, row 0 in the north, with its coordinates and map projection, or those of a world file beside it (.tfw, .wld); elements that it marks as missing, by a nodata value or by a mask inside the file or beside it (.msk), are NaN, for which " +
		"whole numbers become floats. Scale and offset of GDAL's metadata are applied: elements are scale v + offset, in floats. Read `as` whole numbers, " +
		"missing elements keep the value that is stored. Heights that the system of a GeoTIFF gives in feet are read in feet; `unit: 1` keeps the numbers. Of several bands `band` chooses one; they lie along `time`, or another dimension, with its coordinates, where the file says so as GDAL does (NETCDF_DIM_EXTRA). Files with a band of alpha are refused: a mask can be made of it.",
	Writes: "A GeoTIFF holds one real array of two dimensions, rows first, or of three, bands first, with its coordinates, map projection, and what it was made from. " +
		"What is missing (NaN) is the number `nodata` in the file, or that of the raster that was read if these are its elements and nothing was made of them, or else NaN. It is cloud optimized, and where an axis has more than 512 elements there are copies reduced by 2, 4, ...: of floats by means of what is there, of whole numbers by one of each four. " +
		"Bands have their place along the first dimension as their description, `2026-06-21T12:00:00Z` for instants of a dimension `time`.",
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
	a := format.About{DType: h.DType, Shape: []int{h.Height, h.Width}, Names: []string{"y", "x"}, Unit: heightUnit(h.Geo), Gives: Holds,
		Scale: h.Scale, Offset: h.Offset, Gaps: h.Nodata != nil || h.Masked, Nodata: h.Nodata, NaNIsMissing: true, Band: r.band(), Chunk: []int{h.BlockH, h.BlockW}, Scratch: r.scratch}
	if n := h.bandsRead(); n > 1 {
		together := n / h.planes() // bands in a block
		a.Shape, a.Names = append([]int{n}, a.Shape...), append([]string{cmp.Or(h.Across.Name, "band")}, a.Names...)
		a.Chunk, a.Band = append([]int{together}, a.Chunk...), together
	}
	return a
}

// Read reads a part; parts of other rows of blocks may be read beside it.
func (r raster) Read(dst []byte, as element.DType, stride int, t region.Region) error {
	bands, at := split(t)
	if stride == 0 {
		stride = at.Width() * as.Size()
	}
	if at.Width() < r.Header().Width {
		r.SetCache(r.cacheSize(at.Width()))
	}
	return r.ReadBands(dst, Layout{DType: as, RowStride: stride, NodataAsNaN: as.Float()}, bands.Lo, bands.Hi, at)
}

// split is a region as bands, of one where there are no others, and a rectangle of each.
func split(t region.Region) (bands region.Interval, r Rect) {
	bands = region.Interval{Hi: 1}
	if len(t) > 2 {
		bands, t = t[0], t[1:]
	}
	return bands, Rect{Y0: t[0].Lo, Y1: t[0].Hi, X0: t[1].Lo, X1: t[1].Hi}
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
	_, part := split(at)
	if h.whole() {
		all = r.cacheSize(part.Width()) + int64(runtime.GOMAXPROCS(0))*block
	}
	if h.Masked { // a row of its blocks, and pieces of rows
		all += r.cacheSize(part.Width()) + int64(runtime.GOMAXPROCS(0))<<18
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
	together := int64(1)
	if h.Mixed {
		together = int64(h.bandsRead())
	}
	return across * int64(h.BlockW) * int64(h.BlockH) * int64(h.DType.Size()) * together
}

// tiles are the extents of what is written together.
func tiles(o format.Order) []int {
	if len(o.Type.Dims) > 2 {
		return []int{1, tileEdge, tileEdge}
	}
	return []int{tileEdge, tileEdge}
}

// check finds what no file can hold.
func check(o format.Order) error {
	t, beside := o.Type, MaskBeside(o.Path)
	_, masked := os.Stat(beside)
	switch {
	case t.Elem.Complex || o.Elem.Complex:
		return problem.Wrong(problem.CannotStore, "array", "take abs, real or phase of it first", "a GeoTIFF holds real numbers: the array is complex (%s)", t)
	case len(t.Dims) != 2 && len(t.Dims) != 3:
		return problem.Wrong(problem.CannotStore, "array", "choose one index of a dimension, or write a .npy", "a GeoTIFF holds two dimensions, or three of which the first is its bands, and the array has %d (%s)", len(t.Dims), t)
	case len(t.Dims) == 3 && t.Dims[0].Size > math.MaxUint16:
		return problem.Wrong(problem.CannotStore, "array", "write a .npy or a .zarr", "a GeoTIFF holds at most %d bands, and the array has %d of them along %s", math.MaxUint16, t.Dims[0].Size, t.Dims[0].Name)
	case len(t.Dims) == 3 && (frameOf(t.Dims[0]) != nil || (t.Dim("y") == 0 || t.Dim("x") == 0) && metric(t.Dims[0])):
		return problem.Wrong(problem.CannotStore, "array", fmt.Sprintf("turn it round: transpose(order: [%s])", strings.Join(bandsFirst(t), ", ")),
			"the first of three dimensions of a GeoTIFF is its bands, and that of the array, %s, lies on the map", t.Dims[0].Name)
	case masked == nil:
		return problem.Wrong(problem.Unwritable, "path", "remove it, or write to another file", "%s would hide parts of what is written: it is a mask for it", beside)
	case sideways(t):
		return problem.Wrong(problem.CannotStore, "array", fmt.Sprintf("turn it round: transpose(order: [%s])", strings.Join(turned(t), ", ")),
			"the rows of a GeoTIFF run from north to south, and the dimension of the array that would be them, %s, runs from west to east", t.Dims[len(t.Dims)-2].Name)
	}
	return nil
}

// turned are the names of dims, the last two in the other order.
func turned(t ops.Type) []string {
	names := t.DimNames()
	n := len(names)
	names[n-2], names[n-1] = names[n-1], names[n-2]
	return names
}

// bandsFirst are the names of three dims, of which the first lies on the map, in the order of a file: the one that does not, then those of rows and columns.
func bandsFirst(t ops.Type) []string {
	names := t.DimNames()
	i := slices.IndexFunc(t.Dims, func(d ops.Dim) bool { return frameOf(d) == nil && d.Name != "y" && d.Name != "x" })
	if i < 0 {
		i = 2
	}
	names = append([]string{names[i]}, slices.Delete(slices.Clone(names), i, i+1)...)
	if f := frameOf(t.Dims[0]); f != nil && f.east || f == nil && names[1] == "x" {
		names[1], names[2] = names[2], names[1]
	}
	return names
}

// headerOf describes the file of an array.
func headerOf(o format.Order) (h Header, err error) {
	dims := o.Type.Dims
	y, x := dims[len(dims)-2], dims[len(dims)-1]
	h = Header{DType: o.DType, Height: y.Size, Width: x.Size, Nodata: o.Nodata}
	if len(dims) == 3 {
		h.Bands, h.Across = dims[0].Size, gdal.Across{Name: dims[0].Name, Coords: dims[0].Coords, Unit: dims[0].Unit}
	}
	if h.Nodata == nil && h.DType.Float() {
		missing := math.NaN()
		h.Nodata = &missing
	}
	if h.Geo, err = GeoOf(y, x); err != nil {
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
	_, part := split(at)
	band := int64((part.Width()+tileEdge-1)/tileEdge*tileEdge) * tileEdge * size
	own := int64(runtime.GOMAXPROCS(0)) * (tileEdge*tileEdge*size + 1<<20)
	if o.Elem != o.Type.Elem || o.Type.Unit.SI() != 1 {
		band += band / 2 // encoded first
	}
	return 2*band + own
}
