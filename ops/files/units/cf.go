package units

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"weft/ops"
)

// conventional are the names in the CF conventions, which are those of UDUNITS, of units that are called otherwise here.
var conventional = map[string]string{"deg": "degree", "ftUS": "US_survey_foot", "arcmin": "arc_minute", "arcsec": "arc_second", "µm": "um", "µs": "us"}

var factors = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([\pL_]+)(?:\^(-?[0-9]))?$`) })

// CF is a unit as the CF conventions write it, W m-2; 1 for plain numbers. One that would be read as another is written as it is here.
func CF(u ops.Unit) string {
	if u.Plain() && u.SI() == 1 {
		return "1"
	}
	var out []string
	sign := 1
	for i, word := range strings.Fields(strings.NewReplacer("/", " / ", "*", " ").Replace(u.String())) {
		f := factors().FindStringSubmatch(word)
		switch _, err := strconv.ParseFloat(word, 64); {
		case word == "/":
			sign = -1
			continue
		case err == nil && i == 0:
			out = append(out, word)
			continue
		case f == nil:
			return u.String()
		}
		name, power := f[1], sign
		if other, known := conventional[name]; known {
			name = other
		}
		if f[2] != "" {
			n, _ := strconv.Atoi(f[2]) // a digit
			power *= n
		}
		if power != 1 {
			name += strconv.Itoa(power)
		}
		out, sign = append(out, name), 1
	}
	text := strings.Join(out, " ")
	if len(out) > 1 && out[0] == "1" {
		text = strings.Join(out[1:], " ")
	}
	if same, known := Read(text); !known || !same.Same(u) || same.SI() != u.SI() || same.Offset != u.Offset {
		return u.String()
	}
	return text
}
