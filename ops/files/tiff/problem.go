package tiff

import (
	"fmt"
	"math"
)

// ProblemKind names what a georeference lacks or does in an unusual way.
type ProblemKind uint8

// The kinds of problems. Whether one is an error depends on what the raster is for.
const (
	Unplaced      ProblemKind = iota + 1 // neither position nor pixel size
	ControlPoints                        // positions of some points only, no affine map
	NoCRS                                // no coordinate reference system
	AngularUnit                          // pixel sizes are angles
	UnknownUnit                          // pixel sizes have a unit that is not said or not known
	Rotated                              // rows and columns are not parallel to the axes
	SouthUp                              // the first row is the southernmost
	Mirrored                             // the first column is the easternmost
	NotSquare                            // pixels are longer along one axis
)

// Problem is one thing about a georeference that a reader may have to act on.
type Problem struct {
	Kind   ProblemKind
	Reason string // what is found, to follow the name of the file
	Help   string // what to do about it
}

// square is the part by which the edges of a square pixel may differ: rounding in writers.
const square = 1e-6

// Problems lists what is missing or unusual, in a fixed order.
func (g Geo) Problems() []Problem {
	var all []Problem
	add := func(found bool, kind ProblemKind, help, format string, args ...any) {
		if found {
			all = append(all, Problem{kind, fmt.Sprintf(format, args...), help})
		}
	}
	x, y := g.PixelSize()
	a, unit := g.Affine, g.CRS.Unit
	warp := "make it straight first, e.g. gdalwarp in.tif out.tif"
	add(!g.Placed && !g.controlPoints, Unplaced, "set the extent, e.g. gdal_edit.py -a_ullr west north east south file.tif",
		"says neither where its pixels are nor how large they are")
	add(g.controlPoints, ControlPoints, warp, "gives positions of some points only, so that its pixels have no common size")
	add(g.CRS.Model == NoModel, NoCRS, "set it, e.g. gdal_edit.py -a_srs EPSG:25832 file.tif", "names no coordinate reference system")
	if g.CRS.Model != NoModel {
		add(unit.Angular, AngularUnit, "project it first, e.g. gdalwarp -t_srs EPSG:25832 in.tif out.tif", "has pixel sizes in %ss, not in a length", unit.Name)
		add(!unit.Angular && unit.Metres == 0, UnknownUnit, "set the system again, e.g. gdal_edit.py -a_srs EPSG:25832 file.tif",
			"does not say in which unit of length its pixel sizes are")
	}
	if !g.Placed {
		return all
	}
	rotated := g.Rotated()
	add(rotated, Rotated, warp, "has a grid that is rotated by %.4g degrees against north", math.Atan2(-a[4], a[1])*180/math.Pi)
	add(!rotated && a[5] > 0, SouthUp, warp, "has its rows from south to north")
	add(!rotated && a[1] < 0, Mirrored, warp, "has its columns from east to west")
	add(math.Abs(x-y) > square*max(x, y), NotSquare, "resample it first, e.g. gdalwarp -tr 1 1 in.tif out.tif", "has pixels that are not square: %g x %g", x, y)
	return all
}
