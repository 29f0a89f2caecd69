// Package units reads units of measure as other programs write them in files.
package units

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"weft/ops"
	"weft/ops/problem"
)

// Names are what units are called elsewhere, with their names here; empty: plain numbers, which count something.
type Names map[string]string

// scripts are digits and signs as they are written above the line, and a point between units.
var scripts = strings.NewReplacer("²", "2", "³", "3", "¹", "1", "⁴", "4", "⁻", "-", "·", " ")

// Read reads a unit as this program writes it, or else as netCDF files have it: W/m2, kg m-2 s-1, %, degree_C. ok is false for those that have no meaning here.
func Read(text string) (u ops.Unit, ok bool) {
	if u, err := ops.ParseUnit(text); err == nil {
		return u, true
	}
	return Parse(scripts.Replace(text), usual)
}

// usual are names of units in netCDF files, and what people write.
var usual = Names{
	"arc_second": "arcsec", "arc_minute": "arcmin", "foot": "ft", "feet": "ft", "US_survey_foot": "ftUS", "US_survey_feet": "ftUS", "meter": "m", "meters": "m", "metre": "m", "metres": "m", "micron": "um", "microns": "um", "second": "s", "seconds": "s", "sec": "s", "minute": "min", "minutes": "min",
	"hour": "h", "hours": "h", "hr": "h", "days": "day", "d": "day", "kelvin": "K", "Kelvin": "K", "degK": "K", "celsius": "degC", "Celsius": "degC", "degree_C": "degC", "degrees_C": "degC",
	"degree_Celsius": "degC", "degrees_Celsius": "degC", "degree_celsius": "degC", "degrees_celsius": "degC", "°C": "degC", "degree": "deg", "degrees": "deg", "°": "deg",
	"degree_north": "deg", "degrees_north": "deg", "degree_N": "deg", "degrees_N": "deg", "degreeN": "deg", "degreesN": "deg",
	"degree_east": "deg", "degrees_east": "deg", "degree_E": "deg", "degrees_E": "deg", "degreeE": "deg", "degreesE": "deg",
	"radian": "rad", "radians": "rad", "gram": "g", "grams": "g", "kilogram": "kg", "kilograms": "kg", "pascal": "Pa", "millibar": "mbar", "millibars": "mbar", "mb": "mbar",
	"watt": "W", "watts": "W", "joule": "J", "joules": "J", "newton": "N", "newtons": "N", "hertz": "Hz", "mole": "mol", "moles": "mol", "Ohm": "ohm", "%": "percent",
	"count": "", "counts": "", "level": "", "layer": "", "sigma_level": "", "unitless": "", "dimensionless": "",
}

// tokens are a power of ten, a name, an exponent behind it, or one of . * / ( and ).
var tokens = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(10 ?(?:\*\*|\^) ?\(?[+-]?[0-9]+\)?|[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?)|([A-Za-z%µ°_]+)(?:(?:\*\*|\^)?(?:\(([+-]?[0-9]+)\)|([+-]?[0-9]+)))?|([.*/()]))`)
})

// Parse reads a unit as the FITS Standard writes them, 10**(-17) erg/(s cm2 Angstrom), and those of netCDF, kg m-2 s-1. Of several names for one thing the
// last ones hold. ok is false for those that have no meaning here.
func Parse(text string, names ...Names) (u ops.Unit, ok bool) {
	var out []string
	factor, sign, next := 1.0, 1, 1 // next is the sign of what follows a slash
	var open []int
	rest := strings.TrimSpace(text)
	for rest != "" {
		t := tokens().FindStringSubmatch(rest)
		if t == nil {
			return ops.Unit{}, false
		}
		rest = strings.TrimLeft(rest[len(t[0]):], " ")
		switch s := sign * next; {
		case t[1] != "":
			factor *= math.Pow(number(t[1]), float64(s))
			next = 1
		case t[2] != "":
			name := t[2]
			for _, n := range names {
				if other, known := n[t[2]]; known {
					name = other
				}
			}
			power := 1
			if exponent := t[3] + t[4]; exponent != "" {
				power, _ = strconv.Atoi(exponent) // a number too long fails as a unit
			}
			if name != "" {
				out = append(out, raised(name, s*power))
			}
			next = 1
		case t[5] == "/":
			next = -1
		case t[5] == "(":
			open = append(open, sign)
			sign, next = s, 1
		case t[5] == ")":
			if len(open) == 0 {
				return ops.Unit{}, false
			}
			sign, open = open[len(open)-1], open[:len(open)-1]
		}
	}
	if len(open) > 0 || next < 0 || !(factor > 0) || math.IsInf(factor, 0) {
		return ops.Unit{}, false
	}
	if factor != 1 {
		out = append([]string{strconv.FormatFloat(factor, 'g', -1, 64)}, out...)
	}
	u, err := ops.ParseUnit(strings.Join(out, " "))
	return u, err == nil
}

// Unknown is the doubt about an array whose unit has no meaning here.
func Unknown(text string) problem.Problem {
	return problem.Wrong(problem.UnknownUnit, "path", "", "the unit %.60q is none that is known here: plain numbers are read; `unit` says another", text)
}

// number reads 10**(-17), 10^-17 or 1E-17.
func number(text string) float64 {
	if power, ok := strings.CutPrefix(strings.NewReplacer(" ", "", "(", "", ")", "", "**", "^").Replace(text), "10^"); ok {
		n, _ := strconv.ParseFloat(power, 64)
		return math.Pow(10, n)
	}
	v, _ := strconv.ParseFloat(text, 64)
	return v
}

func raised(name string, power int) string {
	if power == 1 {
		return name
	}
	return fmt.Sprintf("%s^%d", name, power)
}
