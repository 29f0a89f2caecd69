package tiff

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// NewGeo makes a georeference of a place and a CRS, whose EPSG code, unit and citation are written where they are
// set. It fails where the place is no map, or a number of the CRS does not fit its field.
func NewGeo(a Affine, crs CRS) (Geo, error) {
	for _, code := range []int{crs.EPSG, crs.Unit.Code, crs.Vertical.Code} {
		if code < 0 || code > math.MaxUint16 {
			return Geo{}, fmt.Errorf("%d is no EPSG code of a GeoTIFF file: 0 to 65535 are", code)
		}
	}
	if len(crs.Citation) > math.MaxUint16/2 {
		return Geo{}, fmt.Errorf("the citation of the CRS has %d characters; at most %d fit", len(crs.Citation), math.MaxUint16/2)
	}
	var g Geo
	g.fields[atGeoKeys], g.fields[atGeoDoubles], g.fields[atGeoASCII] = encodeGeoKeys(crs)
	return parseGeo(g.at(a).fields)
}

// closely is the part of a pixel by which a place may lie off and still count as that of whole pixels of the raster.
const closely = 1e-5

// Moved is the georeference of other pixels in the same system: that of the raster itself, byte for byte, where they are its own or cut
// out of it.
func (g Geo) Moved(a Affine) Geo {
	b := g.Affine
	row, column := (a[3]-b[3])/b[5], (a[0]-b[0])/b[1]
	r, c := math.Round(row), math.Round(column)
	same := math.Abs(a[5]-b[5]) < closely*math.Abs(b[5]) && math.Abs(a[1]-b[1]) < closely*math.Abs(b[1])
	switch {
	case !same || math.Abs(row-r) >= closely || math.Abs(column-c) >= closely:
		return g.at(a)
	case r == 0 && c == 0:
		return g
	}
	return g.Cropped(int(r), int(c))
}

// WithoutHeights is g for elements that are no heights in the vertical unit of its system.
func (g Geo) WithoutHeights() Geo {
	list := &g.fields[atGeoKeys]
	list.data = slices.Clone(list.data)
	keys := 0
	if len(list.data) >= 8 {
		keys = int(binary.LittleEndian.Uint16(list.data[6:]))
	}
	for i := 8; i <= 8*keys; i += 8 {
		if key := geoKey(binary.LittleEndian.Uint16(list.data[i:])); key == keyVerticalCRS || key == keyVerticalUnit {
			clear(list.data[i+2 : i+8])
		}
	}
	g.CRS.Vertical = Unit{}
	return g
}

// at is g with another place.
func (g Geo) at(a Affine) Geo {
	g.Affine, g.Placed, g.controlPoints = a, true, false
	if g.PixelIsPoint {
		a[0] += (a[1] + a[2]) / 2
		a[3] += (a[4] + a[5]) / 2
	}
	g.fields[atScale], g.fields[atTiepoint], g.fields[atTransformation] = rawField{}, rawField{}, rawField{}
	if a[2] == 0 && a[4] == 0 && a[5] < 0 {
		g.fields[atScale] = doublesField(a[1], -a[5], 0)
		g.fields[atTiepoint] = doublesField(0, 0, 0, a[0], a[3], 0)
	} else {
		g.fields[atTransformation] = doublesField(a[1], a[2], 0, a[0], a[4], a[5], 0, a[3], 0, 0, 0, 0, 0, 0, 0, 1)
	}
	return g
}

func doublesField(values ...float64) rawField {
	f := rawField{kind: typeDouble, count: int64(len(values))}
	for _, v := range values {
		f.data = binary.LittleEndian.AppendUint64(f.data, math.Float64bits(v))
	}
	return f
}

func shortsField(values []uint16) rawField {
	f := rawField{kind: typeShort, count: int64(len(values))}
	for _, v := range values {
		f.data = binary.LittleEndian.AppendUint16(f.data, v)
	}
	return f
}

func textField(text string) rawField {
	return rawField{typeASCII, int64(len(text) + 1), append([]byte(text), 0)}
}

// crsKeys are the keys of each model: of its EPSG code and of its unit.
var crsKeys = map[Model]struct{ code, unit geoKey }{
	Projected:  {keyProjectedCRS, keyLinearUnit},
	Geographic: {keyGeographicCRS, keyAngularUnit},
	Geocentric: {keyGeographicCRS, keyLinearUnit},
}

func encodeGeoKeys(crs CRS) (list, doubles, text rawField) {
	var entries [][4]uint16
	short := func(key geoKey, value int) {
		if value != 0 {
			entries = append(entries, [4]uint16{uint16(key), 0, 1, uint16(value)})
		}
	}
	short(keyModelType, int(crs.Model))
	short(keyRasterType, 1)
	keys, known := crsKeys[crs.Model]
	if known && crs.EPSG != 0 {
		short(keys.code, crs.EPSG)
	} else if known {
		short(keys.code, userDefined)
	}
	if known {
		short(keys.unit, crs.Unit.Code)
	}
	short(keyVerticalUnit, crs.Vertical.Code)
	if crs.Citation != "" {
		text = textField(crs.Citation + "|")
		entries = append(entries, [4]uint16{uint16(keyCitation), uint16(tagGeoASCII), uint16(text.count - 1), 0})
	}
	if known && crs.Unit.Code == userDefined {
		doubles = doublesField(crs.Unit.Metres)
		entries = append(entries, [4]uint16{uint16(keyLinearUnitSize), uint16(tagGeoDoubles), 1, 0})
	}
	if len(entries) == 1 {
		return list, doubles, text // keys that name no system are a system of their own to GDAL
	}
	slices.SortFunc(entries, func(a, b [4]uint16) int { return int(a[0]) - int(b[0]) })
	all := []uint16{1, 1, 0, uint16(len(entries))}
	for _, e := range entries {
		all = append(all, e[:]...)
	}
	return shortsField(all), doubles, text
}
