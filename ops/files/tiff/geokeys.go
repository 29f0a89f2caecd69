package tiff

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"weft/ops/files/wkt"
)

// geoKey names an entry of the GeoKeyDirectory.
type geoKey uint16

const (
	keyModelType      geoKey = 1024
	keyRasterType     geoKey = 1025
	keyCitation       geoKey = 1026
	keyGeographicCRS  geoKey = 2048
	keyGeogCitation   geoKey = 2049
	keyAngularUnit    geoKey = 2054
	keyProjectedCRS   geoKey = 3072
	keyProjCitation   geoKey = 3073
	keyLinearUnit     geoKey = 3076
	keyLinearUnitSize geoKey = 3077
	keyVerticalCRS    geoKey = 4096
	keyVerticalUnit   geoKey = 4099
)

const userDefined = 32767

// geoKeys holds the values of the keys by where they are stored.
type geoKeys struct {
	shorts  map[geoKey]int
	doubles map[geoKey]float64
	texts   map[geoKey]string
}

// parseGeoKeys reads the directory with the values it refers to. Without a directory no key is set.
func parseGeoKeys(list, doubles, text rawField) (geoKeys, error) {
	k := geoKeys{map[geoKey]int{}, map[geoKey]float64{}, map[geoKey]string{}}
	if list.count == 0 {
		return k, nil
	}
	short := func(i int64) int { return int(binary.LittleEndian.Uint16(list.data[2*i:])) }
	if list.count < 4 || int64(short(3)) > (list.count-4)/4 {
		return k, malformed(tagGeoKeys, "has %d values, too few for its keys", list.count)
	}
	if short(0) != 1 {
		return k, malformed(tagGeoKeys, "has version %d; known is 1", short(0))
	}
	for i := range int64(short(3)) {
		id, place, n, value := geoKey(short(4+4*i)), tag(short(5+4*i)), short(6+4*i), short(7+4*i)
		switch place {
		case 0:
			k.shorts[id] = value
		case tagGeoKeys:
			if int64(value)+int64(n) > list.count {
				return k, malformed(tagGeoKeys, "has a key %d with values beyond its end", id)
			}
			if n > 0 {
				k.shorts[id] = short(int64(value))
			}
		case tagGeoDoubles:
			if int64(value)+int64(n) > doubles.count {
				return k, malformed(tagGeoDoubles, "has %d values, too few for the key %d", doubles.count, id)
			}
			if n > 0 {
				k.doubles[id] = doubles.double(value)
			}
		case tagGeoASCII:
			if int64(value)+int64(n) > text.count {
				return k, malformed(tagGeoASCII, "has %d characters, too few for the key %d", text.count, id)
			}
			k.texts[id] = strings.TrimRight(string(text.data[value:value+n]), "|\x00")
		}
	}
	return k, nil
}

// double is the i-th value of a field of doubles.
func (f rawField) double(i int) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(f.data[8*i:]))
}

// crs words the keys as a coordinate reference system.
func (k geoKeys) crs() CRS {
	c := CRS{Model: Model(k.shorts[keyModelType]), Vertical: k.verticalUnit()}
	if c.Model > Geocentric {
		c.Model = NoModel
	}
	// Some writers leave out the model type, but not the system it belongs to.
	if c.Model == NoModel && k.shorts[keyProjectedCRS] != 0 {
		c.Model = Projected
	} else if c.Model == NoModel && k.shorts[keyGeographicCRS] != 0 {
		c.Model = Geographic
	}
	names := [...]geoKey{keyProjCitation, keyGeogCitation, keyCitation}
	switch c.Model {
	case Projected:
		c.EPSG = epsg(k.shorts[keyProjectedCRS])
		if c.Unit = k.linearUnit(); k.shorts[keyLinearUnit] == 0 { // compound systems are written without it
			c.Unit = epsgUnits[wkt.Unit(wkt.Of(c.EPSG))]
		}
		names = [...]geoKey{keyProjCitation, keyCitation, keyGeogCitation}
	case Geographic:
		c.EPSG = epsg(k.shorts[keyGeographicCRS])
		c.Unit = k.angularUnit()
		names = [...]geoKey{keyGeogCitation, keyCitation, keyProjCitation}
	case Geocentric:
		c.EPSG = epsg(k.shorts[keyGeographicCRS])
		c.Unit = k.linearUnit()
	}
	for _, id := range names {
		if c.Citation == "" {
			c.Citation = k.texts[id]
		}
	}
	return c
}

// epsg is the code of a system, 0 for one that is spelled out by its parameters.
func epsg(code int) int {
	if code == userDefined {
		return 0
	}
	return code
}

// heightsInFeet are the systems of heights that are in feet, by EPSG code: NGVD29 and NAVD88.
var heightsInFeet = map[int]int{5702: 9003, 6360: 9003, 8228: 9002}

func (k geoKeys) verticalUnit() Unit {
	if u, known := epsgUnits[k.shorts[keyVerticalUnit]]; known {
		return u
	}
	return epsgUnits[heightsInFeet[k.shorts[keyVerticalCRS]]]
}

func (k geoKeys) linearUnit() Unit {
	code := k.shorts[keyLinearUnit]
	if size := k.doubles[keyLinearUnitSize]; code == userDefined && size > 0 && !math.IsInf(size, 1) {
		return Unit{Code: code, Name: fmt.Sprintf("unit of %g m", size), Metres: size}
	}
	return epsgUnits[code]
}

// angularUnit is degrees where the file does not say: geographic systems hardly ever have another unit.
func (k geoKeys) angularUnit() Unit {
	if u, known := epsgUnits[k.shorts[keyAngularUnit]]; known && u.Angular {
		return u
	}
	return epsgUnits[degree]
}

// Unit is a unit of length or angle.
type Unit struct {
	Code    int // EPSG
	Name    string
	Metres  float64 // per unit; 0 for angles and where the unit is not known
	Angular bool
}

const (
	metre  = 9001
	degree = 9102
)

// UnitOf is the unit of a code of EPSG.
func UnitOf(code int) (Unit, bool) {
	u, known := epsgUnits[code]
	return u, known
}

// epsgUnits are the EPSG units of measure that coordinates are given in. The zero Unit is an unknown one.
var epsgUnits = func() map[int]Unit {
	all := map[int]Unit{}
	for _, u := range []Unit{
		{Code: metre, Name: "metre", Metres: 1},
		{Code: 9002, Name: "foot", Metres: 0.3048},
		{Code: 9003, Name: "US survey foot", Metres: 1200.0 / 3937},
		{Code: 9005, Name: "Clarke's foot", Metres: 0.3047972654},
		{Code: 9036, Name: "kilometre", Metres: 1000},
		{Code: 9101, Name: "radian", Angular: true},
		{Code: degree, Name: "degree", Angular: true},
		{Code: 9103, Name: "arc-minute", Angular: true},
		{Code: 9104, Name: "arc-second", Angular: true},
		{Code: 9105, Name: "grad", Angular: true},
		{Code: 9122, Name: "degree", Angular: true},
	} {
		all[u.Code] = u
	}
	return all
}()
