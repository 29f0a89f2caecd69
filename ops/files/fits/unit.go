package fits

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"weft/ops"
)

// standardNames are those of the FITS Standard for units that have others here.
var standardNames = map[string]string{
	"Angstrom": "angstrom", "Ohm": "ohm", "mOhm": "mohm", "kOhm": "kohm", "MOhm": "Mohm", "d": "day", "a": "year", "AU": "au", "%": "percent",
}

// ownNames are the same the other way.
var ownNames = func() map[string]string {
	own := map[string]string{}
	for standard, name := range standardNames {
		own[name] = standard
	}
	return own
}()

// otherNames are further ones in FITS files; empty: plain numbers, which count something.
var otherNames = map[string]string{
	"yr": "year", "Angstroms": "angstrom", "ANGSTROM": "angstrom", "Ang": "angstrom", "sec": "s", "Kelvin": "K", "micron": "um", "degree": "deg", "degrees": "deg",
	"adu": "", "ADU": "", "DN": "", "count": "", "counts": "", "ct": "", "electron": "", "electrons": "", "photon": "", "ph": "", "pixel": "", "pix": "", "chan": "", "bin": "",
}

// tokens are a power of ten, a name, an exponent behind it, or one of . * / ( and ).
var tokens = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(10 ?(?:\*\*|\^) ?\(?[+-]?[0-9]+\)?|[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?)|([A-Za-z%]+)(?:(?:\*\*|\^)?(?:\(([+-]?[0-9]+)\)|([+-]?[0-9]+)))?|([.*/()]))`)
})

// unitOf reads a unit as the FITS Standard writes them: 10**(-17) erg/(s cm2 Angstrom). ok is false for those that have no meaning here.
func unitOf(text string) (u ops.Unit, ok bool) {
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
			for _, names := range []map[string]string{standardNames, otherNames} {
				if other, known := names[t[2]]; known {
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

var unitWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Za-z]+`) })

// unitText writes a unit so that others read it.
func unitText(u ops.Unit) string {
	return unitWord().ReplaceAllStringFunc(strings.NewReplacer("^", "**", "µ", "u").Replace(u.String()), func(name string) string {
		return cmp.Or(ownNames[name], name)
	})
}
