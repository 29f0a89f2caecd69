package ops

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"gonum.org/v1/gonum/unit"
)

// Unit is a unit of measure: a product of powers of base dimensions and the size of one such unit in coherent SI units.
// The zero Unit is dimensionless.
type Unit struct {
	Symbol string          // as a person writes it; empty for plain numbers
	Dims   unit.Dimensions // exponents of base dimensions, none zero
	Scale  float64         // SI value of 1 of this unit; 0 stands for 1
	Offset float64         // SI value of 0 of this unit (degC: 273.15)
}

// decibelDim is a dimension of its own: levels neither add to plain numbers nor multiply by one another unnoticed.
var decibelDim = unit.NewDimension("dB")

type atom struct {
	dims   unit.Dimensions
	scale  float64
	offset float64
	prefix string // the SI prefixes it takes
	doc    string
}

const allPrefixes = "f p n u µ m c k M G T"

var prefixes = map[string]float64{
	"d": 1e-1, "h": 1e2, "f": 1e-15, "p": 1e-12, "n": 1e-9, "u": 1e-6, "µ": 1e-6, "m": 1e-3, "c": 1e-2, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12,
}

func dims(m, kg, s, amp, k int) unit.Dimensions {
	d := unit.Dimensions{}
	for dim, e := range map[unit.Dimension]int{unit.LengthDim: m, unit.MassDim: kg, unit.TimeDim: s, unit.CurrentDim: amp, unit.TemperatureDim: k} {
		if e != 0 {
			d[dim] = e
		}
	}
	return d
}

const degree = 0.017453292519943295769

var atoms = map[string]atom{
	"m":        {dims(1, 0, 0, 0, 0), 1, 0, allPrefixes, "metre"},
	"g":        {dims(0, 1, 0, 0, 0), 1e-3, 0, allPrefixes, "gram"},
	"s":        {dims(0, 0, 1, 0, 0), 1, 0, "f p n u µ m", "second"},
	"min":      {dims(0, 0, 1, 0, 0), 60, 0, "", "minute"},
	"h":        {dims(0, 0, 1, 0, 0), 3600, 0, "", "hour"},
	"day":      {dims(0, 0, 1, 0, 0), 86400, 0, "", "day of 24 hours"},
	"year":     {dims(0, 0, 1, 0, 0), 31557600, 0, "", "year of 365.25 days"},
	"yr":       {dims(0, 0, 1, 0, 0), 31557600, 0, "k M G", "year of 365.25 days"},
	"A":        {dims(0, 0, 0, 1, 0), 1, 0, "p n u µ m k", "ampere"},
	"K":        {dims(0, 0, 0, 0, 1), 1, 0, "n u µ m k", "kelvin"},
	"degC":     {dims(0, 0, 0, 0, 1), 1, 273.15, "", "degree Celsius"},
	"rad":      {unit.Dimensions{unit.AngleDim: 1}, 1, 0, "u µ m", "radian"},
	"deg":      {unit.Dimensions{unit.AngleDim: 1}, degree, 0, "", "degree of arc"},
	"arcmin":   {unit.Dimensions{unit.AngleDim: 1}, degree / 60, 0, "", "minute of arc"},
	"arcsec":   {unit.Dimensions{unit.AngleDim: 1}, degree / 3600, 0, "", "second of arc"},
	"mas":      {unit.Dimensions{unit.AngleDim: 1}, degree / 3.6e6, 0, "", "thousandth of a second of arc"},
	"sr":       {unit.Dimensions{unit.AngleDim: 2}, 1, 0, "m", "steradian"},
	"Hz":       {dims(0, 0, -1, 0, 0), 1, 0, "m k M G T", "hertz"},
	"N":        {dims(1, 1, -2, 0, 0), 1, 0, "u µ m k M", "newton"},
	"Pa":       {dims(-1, 1, -2, 0, 0), 1, 0, "u µ m h k M G", "pascal"},
	"atm":      {dims(-1, 1, -2, 0, 0), 101325, 0, "", "standard atmosphere"},
	"mmHg":     {dims(-1, 1, -2, 0, 0), 133.322387415, 0, "", "millimetre of mercury"},
	"bar":      {dims(-1, 1, -2, 0, 0), 1e5, 0, "m", "bar, 100 kPa"},
	"ohm":      {dims(2, 1, -3, -2, 0), 1, 0, "m k M", "ohm"},
	"C":        {dims(0, 0, 1, 1, 0), 1, 0, "p n u µ m k", "coulomb"},
	"F":        {dims(-2, -1, 4, 2, 0), 1, 0, "f p n u µ m", "farad"},
	"H":        {dims(2, 1, -2, -2, 0), 1, 0, "p n u µ m", "henry"},
	"T":        {dims(0, 1, -2, -1, 0), 1, 0, "p n u µ m", "tesla"},
	"L":        {dims(3, 0, 0, 0, 0), 1e-3, 0, "u µ m c d", "litre"},
	"cd":       {unit.Dimensions{unit.LuminousIntensityDim: 1}, 1, 0, "m", "candela"},
	"lm":       {unit.Dimensions{unit.LuminousIntensityDim: 1, unit.AngleDim: 2}, 1, 0, "m k", "lumen"},
	"lx":       {unit.Dimensions{unit.LuminousIntensityDim: 1, unit.AngleDim: 2, unit.LengthDim: -2}, 1, 0, "m k", "lux"},
	"mol":      {unit.Dimensions{unit.MoleDim: 1}, 1, 0, "n u µ m k", "mole"},
	"au":       {dims(1, 0, 0, 0, 0), 149597870700, 0, "", "astronomical unit"},
	"AU":       {dims(1, 0, 0, 0, 0), 149597870700, 0, "", "astronomical unit"},
	"ly":       {dims(1, 0, 0, 0, 0), 9460730472580800, 0, "k M G", "light year"},
	"pc":       {dims(1, 0, 0, 0, 0), 3.0856775814913673e16, 0, "k M G", "parsec"},
	"J":        {dims(2, 1, -2, 0, 0), 1, 0, "n u µ m k M G", "joule"},
	"W":        {dims(2, 1, -3, 0, 0), 1, 0, "n u µ m k M G", "watt"},
	"V":        {dims(2, 1, -3, -1, 0), 1, 0, "n u µ m k M", "volt"},
	"Gy":       {dims(2, 0, -2, 0, 0), 1, 0, "u µ m c k", "gray (absorbed dose)"},
	"Sv":       {dims(2, 0, -2, 0, 0), 1, 0, "n u µ m", "sievert (equivalent dose)"},
	"Bq":       {dims(0, 0, -1, 0, 0), 1, 0, "m k M G T", "becquerel (decays a second)"},
	"Ci":       {dims(0, 0, -1, 0, 0), 3.7e10, 0, "n u µ m", "curie"},
	"Da":       {dims(0, 1, 0, 0, 0), 1.66053906892e-27, 0, "k M", "dalton"},
	"angstrom": {dims(1, 0, 0, 0, 0), 1e-10, 0, "", "angstrom, 0.1 nm"},
	"Angstrom": {dims(1, 0, 0, 0, 0), 1e-10, 0, "", "angstrom, 0.1 nm"},
	"erg":      {dims(2, 1, -2, 0, 0), 1e-7, 0, "", "erg, 0.1 uJ"},
	"Jy":       {dims(0, 1, -2, 0, 0), 1e-26, 0, "n u µ m k M", "jansky"},
	"eV":       {dims(2, 1, -2, 0, 0), 1.602176634e-19, 0, "m k M G T", "electronvolt"},
	"dB":       {unit.Dimensions{decibelDim: 1}, 1, 0, "", "decibel"},
	"ft":       {dims(1, 0, 0, 0, 0), 0.3048, 0, "", "foot"},
	"ftUS":     {dims(1, 0, 0, 0, 0), 1200. / 3937, 0, "", "US survey foot"},
	"percent":  {nil, 0.01, 0, "", "one hundredth"},
	"ppm":      {nil, 1e-6, 0, "", "one millionth"},
}

// lookupAtom resolves a unit name such as mm, MHz or degC.
func lookupAtom(name string) (atom, bool) {
	if a, ok := atoms[name]; ok {
		return a, true
	}
	for p, f := range prefixes {
		base, ok := strings.CutPrefix(name, p)
		if a, known := atoms[base]; ok && known && slices.Contains(strings.Fields(a.prefix), p) {
			a.scale *= f
			return a, true
		}
	}
	return atom{}, false
}

// IsUnit reports whether name alone is a unit: mm, MHz, degC.
func IsUnit(name string) bool { _, ok := lookupAtom(name); return ok }

// UnitDoc describes a unit for people: its name, what it is, and the prefixes it takes.
type UnitDoc struct{ Name, Doc, Prefixes string }

// Units lists the units without prefixes, sorted by name.
func Units() (list []UnitDoc) {
	for _, name := range slices.Sorted(maps.Keys(atoms)) {
		list = append(list, UnitDoc{name, atoms[name].doc, atoms[name].prefix})
	}
	return list
}

// AllUnitNames lists every unit name, those with prefixes too, sorted.
func AllUnitNames() []string {
	var names []string
	for n, a := range atoms {
		names = append(names, n)
		for _, p := range strings.Fields(a.prefix) {
			names = append(names, p+n)
		}
	}
	sort.Strings(names)
	return names
}

// NamedUnit is the unit of a single name.
func NamedUnit(name string) (Unit, bool) {
	a, ok := lookupAtom(name)
	return Unit{Symbol: name, Dims: a.dims, Scale: a.scale, Offset: a.offset}, ok
}

// ParseUnit reads a product such as "m/s", "kg m^-3", "1/s", "g/cm^3" or "1e-17 erg/s": a slash divides by the one name behind it.
func ParseUnit(text string) (Unit, error) {
	u := Unit{Scale: 1}
	divide := false
	fields := strings.Fields(strings.NewReplacer("/", " / ", "*", " ").Replace(text))
	for i, f := range fields {
		if f == "/" {
			if i == 0 || divide || i == len(fields)-1 {
				return Unit{}, fmt.Errorf("unit %q: a slash without a unit on each side", text)
			}
			divide = true
			continue
		}
		if v, err := strconv.ParseFloat(f, 64); err == nil && i == 0 && v > 0 && !math.IsInf(v, 1) {
			u.Scale = v
			continue
		}
		name, exponent := f, 1
		if n, e, ok := strings.Cut(f, "^"); ok {
			k, err := strconv.Atoi(e)
			if err != nil || k < -9 || k > 9 {
				return Unit{}, fmt.Errorf("unit %q: the exponent %q is not a whole number of one digit", text, e)
			}
			name, exponent = n, k
		}
		a, ok := NamedUnit(name)
		if !ok {
			return Unit{}, fmt.Errorf("unit %q: %q is not a unit", text, name)
		}
		if len(fields) == 1 && exponent == 1 {
			return a, nil
		}
		if divide {
			exponent, divide = -exponent, false
		}
		power := a.Power(exponent)
		u = Unit{Dims: u.Times(power).Dims, Scale: u.SI() * power.SI()}
	}
	u.Symbol = strings.TrimSpace(text)
	return u, nil
}

// known are the units written in code, by their text: operators ask for the same few at every use.
var known sync.Map

// MustUnit is ParseUnit for units written in code.
func MustUnit(text string) Unit {
	if u, ok := known.Load(text); ok {
		return u.(Unit)
	}
	u, err := ParseUnit(text)
	if err != nil {
		panic("ops: " + err.Error())
	}
	known.Store(text, u)
	return u
}

// SI is the size of one unit in coherent SI units.
func (u Unit) SI() float64 {
	if u.Scale == 0 {
		return 1
	}
	return u.Scale
}

// Plain reports whether the unit is dimensionless.
func (u Unit) Plain() bool { return len(u.Dims) == 0 }

// Same reports whether values of the two units can be added: their dimensions are equal, and they are not known to be of different things.
func (u Unit) Same(v Unit) bool {
	if len(u.Dims) != len(v.Dims) {
		return false
	}
	for d, e := range u.Dims {
		if v.Dims[d] != e {
			return false
		}
	}
	a, b := u.counts(), v.counts()
	return a == "" || b == "" || a == b
}

// counted are units of the same dimensions that are of different things, which nobody adds.
var counted = []struct{ name, of string }{{"Hz", "turns"}, {"Bq", "decays"}, {"Ci", "decays"}, {"Gy", "absorbed dose"}, {"Sv", "equivalent dose"}}

// counts is what a unit is of where its dimensions do not say that; empty: they do, or nobody does.
func (u Unit) counts() string {
	for _, c := range counted {
		if strings.HasSuffix(u.Symbol, c.name) && IsUnit(u.Symbol) {
			return c.of
		}
	}
	return ""
}

// Times is the product of two units. An offset is lost: 20 degC times anything is a difference of temperature.
func (u Unit) Times(v Unit) Unit {
	d := unit.Dimensions{}
	for _, from := range []unit.Dimensions{u.Dims, v.Dims} {
		for k, e := range from {
			if d[k] += e; d[k] == 0 {
				delete(d, k)
			}
		}
	}
	out := Unit{Dims: d, Scale: u.SI() * v.SI()}
	switch {
	case u.Plain() && u.SI() == 1:
		out.Symbol = v.Symbol
	case v.Plain() && v.SI() == 1:
		out.Symbol = u.Symbol
	default:
		out.Symbol = siSymbol(d)
		out.Scale = 1
	}
	return out
}

// Sum is the unit of u + v, or of u - v. A scale with a zero of its own (degC) takes and gives differences; what is none on that
// scale, such as the difference of two such temperatures, is given in kelvin.
func (u Unit) Sum(v Unit, minus bool) Unit {
	switch {
	case v.Offset == 0:
		return u
	case u.Offset == 0 && !minus:
		return v
	}
	return v.Coherent()
}

// Power is the unit to an integer power. A compound unit gives a coherent one.
func (u Unit) Power(n int) Unit {
	if n == 1 {
		return u
	}
	d := unit.Dimensions{}
	scale := 1.0
	for k, e := range u.Dims {
		if e*n != 0 {
			d[k] = e * n
		}
	}
	for range max(n, -n) {
		scale *= u.SI()
	}
	if n < 0 {
		scale = 1 / scale
	}
	out := Unit{Dims: d, Scale: scale}
	switch {
	case len(d) == 0:
	case u.Symbol == "" || strings.ContainsAny(u.Symbol, " /*^"):
		return out.Coherent()
	default:
		out.Symbol = fmt.Sprintf("%s^%d", u.Symbol, n)
	}
	return out
}

// Root is the square root of a unit; ok is false when an exponent is odd.
func (u Unit) Root() (v Unit, ok bool) {
	d := unit.Dimensions{}
	for k, e := range u.Dims {
		if e%2 != 0 {
			return Unit{}, false
		}
		d[k] = e / 2
	}
	return Unit{Dims: d, Scale: 1, Symbol: siSymbol(d)}, true
}

// Coherent is the SI unit of the same dimensions.
func (u Unit) Coherent() Unit { return Unit{Symbol: siSymbol(u.Dims), Dims: u.Dims, Scale: 1} }

func siSymbol(d unit.Dimensions) string {
	if len(d) == 0 {
		return ""
	}
	for _, name := range []string{"N", "Pa", "J", "W", "V"} { // names people know for products they see often
		if (Unit{Dims: d}).Same(Unit{Dims: atoms[name].dims}) {
			return name
		}
	}
	return d.String()
}

func (u Unit) String() string {
	if u.Symbol == "" && len(u.Dims) > 0 {
		return siSymbol(u.Dims)
	}
	return u.Symbol
}

// Describe names a unit in a sentence: "a plain number", "mm", ...
func (u Unit) Describe() string {
	if u.Plain() {
		return "a plain number"
	}
	return u.String()
}
