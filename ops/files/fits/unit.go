package fits

import (
	"cmp"
	"regexp"
	"strings"
	"sync"

	"weft/ops"
	"weft/ops/files/units"
)

// standardNames are those of the FITS Standard for units that have others here.
var standardNames = units.Names{
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

// otherNames are further ones in FITS files.
var otherNames = units.Names{
	"yr": "year", "Angstroms": "angstrom", "ANGSTROM": "angstrom", "Ang": "angstrom", "sec": "s", "Kelvin": "K", "micron": "um", "degree": "deg", "degrees": "deg",
	"adu": "", "ADU": "", "DN": "", "count": "", "counts": "", "ct": "", "electron": "", "electrons": "", "photon": "", "ph": "", "pixel": "", "pix": "", "chan": "", "bin": "",
}

// unitOf reads a unit of a FITS file.
func unitOf(text string) (ops.Unit, bool) { return units.Parse(text, standardNames, otherNames) }

var unitWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Za-z]+`) })

// unitText writes a unit so that others read it.
func unitText(u ops.Unit) string {
	return unitWord().ReplaceAllStringFunc(strings.NewReplacer("^", "**", "µ", "u").Replace(u.String()), func(name string) string {
		return cmp.Or(ownNames[name], name)
	})
}
