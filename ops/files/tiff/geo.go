package tiff

import (
	"bytes"
	"fmt"
	"math"
)

// Model says what kind of coordinates a raster's positions are.
type Model uint8

// The kinds of coordinates, with the numbers of GTModelTypeGeoKey.
const (
	NoModel    Model = iota // not said
	Projected               // a plane: easting and northing
	Geographic              // longitude and latitude
	Geocentric              // X, Y, Z from the centre of the Earth
)

// CRS is a coordinate reference system as far as the file names it.
type CRS struct {
	Model    Model
	EPSG     int    // its code; 0 where the file gives none
	Unit     Unit   // of positions and pixel sizes
	Vertical Unit   // of heights, where the file says
	Citation string // its name in words
}

// Affine takes places in the raster to coordinates: element edges (column c, row r) are at
// x = A[0] + A[1] c + A[2] r and y = A[3] + A[4] c + A[5] r, in the unit of the CRS. The outer corner of the first
// element is (A[0], A[3]); its centre is at c = r = 1/2. This is GDAL's geotransform.
type Affine [6]float64

// Geo places a raster on the Earth. What a file says beyond the fields here is carried along unseen, so that a Geo
// that was read is written byte for byte the same. The zero Geo is no place at all. Make others with NewGeo.
type Geo struct {
	Placed       bool // Affine is known
	Affine       Affine
	PixelIsPoint bool // the file counts positions from pixel centres; Affine has been corrected for it
	CRS          CRS

	controlPoints bool // positions of some points only
	fields        [len(geoTags)]rawField
}

// geoTags are the fields that make up a georeference and their types.
var geoTags = [...]struct {
	tag  tag
	kind fieldType
}{
	{tagPixelScale, typeDouble}, {tagTiepoint, typeDouble}, {tagTransformation, typeDouble},
	{tagGeoKeys, typeShort}, {tagGeoDoubles, typeDouble}, {tagGeoASCII, typeASCII},
}

// Places in geoTags.
const (
	atScale = iota
	atTiepoint
	atTransformation
	atGeoKeys
	atGeoDoubles
	atGeoASCII
)

// readGeo reads the georeference of an image.
func readGeo(d directory) (Geo, error) {
	var fields [len(geoTags)]rawField
	for i, g := range geoTags {
		if !d.has(g.tag) {
			continue
		}
		var err error
		if fields[i], err = d.whole(g.tag, g.kind); err != nil {
			return Geo{}, err
		}
	}
	return parseGeo(fields)
}

func parseGeo(fields [len(geoTags)]rawField) (Geo, error) {
	g := Geo{fields: fields}
	keys, err := parseGeoKeys(fields[atGeoKeys], fields[atGeoDoubles], fields[atGeoASCII])
	if err != nil {
		return Geo{}, err
	}
	g.CRS = keys.crs()
	g.PixelIsPoint = keys.shorts[keyRasterType] == 2
	err = g.place()
	return g, err
}

// place finds the affine map, from scale and one tie point or from a matrix. Tie points alone give no map.
func (g *Geo) place() error {
	scale, tie, matrix := g.fields[atScale], g.fields[atTiepoint], g.fields[atTransformation]
	for i, want := range []int64{2, 6, 16} {
		if n := g.fields[i].count; n > 0 && n < want {
			return malformed(geoTags[i].tag, "has %d values, %d expected", n, want)
		}
	}
	switch {
	case scale.count > 0 && tie.count > 0:
		// The standard defines no negative scale along y. Files that have one mean its size, says GDAL.
		dx, dy := scale.double(0), -math.Abs(scale.double(1))
		g.Affine = Affine{tie.double(3) - tie.double(0)*dx, dx, 0, tie.double(4) - tie.double(1)*dy, 0, dy}
	case matrix.count > 0:
		g.Affine = Affine{matrix.double(3), matrix.double(0), matrix.double(1), matrix.double(7), matrix.double(4), matrix.double(5)}
	default:
		g.controlPoints = tie.count > 0
		return nil
	}
	a := &g.Affine
	if g.PixelIsPoint {
		a[0] -= (a[1] + a[2]) / 2
		a[3] -= (a[4] + a[5]) / 2
	}
	for _, v := range a {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return &Error{Reason: fmt.Sprintf("has a position or pixel size that is no number: its geotransform is %v", *a)}
		}
	}
	if a[1]*a[5] == a[2]*a[4] {
		return &Error{
			Reason: fmt.Sprintf("has pixels without area: its geotransform is %v", *a),
			Help:   "set the extent, e.g. gdal_edit.py -a_ullr west north east south file.tif",
		}
	}
	g.Placed = true
	return nil
}

// PixelSize is the lengths of a pixel's edges along rows (x) and columns (y), both positive, in the unit of the CRS.
func (g Geo) PixelSize() (x, y float64) {
	return math.Hypot(g.Affine[1], g.Affine[4]), math.Hypot(g.Affine[2], g.Affine[5])
}

// straight is the part of a pixel that an edge may lean and still count as parallel to the axes: rounding in writers.
const straight = 1e-9

// Rotated says whether rows and columns are not parallel to the axes of the CRS.
func (g Geo) Rotated() bool {
	a := g.Affine
	return math.Abs(a[2]) > straight*math.Abs(a[5]) || math.Abs(a[4]) > straight*math.Abs(a[1])
}

// Cropped is the place of a part of the raster that begins at the given element.
func (g Geo) Cropped(y, x int) Geo {
	if !g.Placed {
		return g
	}
	a := g.Affine
	a[0] += a[1]*float64(x) + a[2]*float64(y)
	a[3] += a[4]*float64(x) + a[5]*float64(y)
	return g.at(a)
}

// SameCRS reports that two rasters are in the same coordinate reference system: of the same EPSG code where both have one, and
// otherwise described by the same bytes.
func (g Geo) SameCRS(o Geo) bool {
	if g.CRS.EPSG != 0 && o.CRS.EPSG != 0 {
		return g.CRS.Model == o.CRS.Model && g.CRS.EPSG == o.CRS.EPSG
	}
	for _, i := range []int{atGeoKeys, atGeoDoubles, atGeoASCII} {
		if !bytes.Equal(g.fields[i].data, o.fields[i].data) {
			return false
		}
	}
	return true
}
