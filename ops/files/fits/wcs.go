package fits

import (
	"math"
	"strconv"
	"strings"
)

// linear are the coordinates of an axis that goes on by steps or by factors, as its header says (Greisen and Calabretta, A&A 395, 2002; spectral axes in
// logarithmic steps, Greisen et al., A&A 446, 2006; the older DC-FLAG of IRAF): none where it says nothing, or something else.
func (h header) linear(axis, size int) (c coords, ok bool) {
	n := strconv.Itoa(axis)
	_, first := h["CRVAL"+n]
	own := "CD" + n + "_" + n
	if !first || h.turned(axis) || size > mostPlaced {
		return c, false
	}
	sound := true
	number := func(key string, other float64) float64 {
		v, err := h.real(key, other)
		sound = sound && err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
		return v
	}
	at, of := number("CRVAL"+n, 0), number("CRPIX"+n, 0)
	step := number("CDELT"+n, 1)
	if _, is := h[own]; is {
		step = number(own, 1)
	}
	if unit := h.text("CUNIT" + n); unit != "" {
		if c.unit, ok = unitOf(unit); !ok {
			return c, false
		}
	}
	c.values = make([]float64, size)
	for i := range c.values {
		away := (float64(i+1) - of) * step
		v := at + away
		switch {
		case strings.HasSuffix(h.text("CTYPE"+n), logarithmic) && at != 0:
			v = at * math.Exp(away/at)
		case number("DC-FLAG", 0) == 1 && axis == 1:
			v = math.Pow(10, v)
		}
		c.values[i] = v*c.unit.SI() + c.unit.Offset
		sound = sound && !math.IsInf(c.values[i], 0) && (i == 0 || c.values[i] != c.values[i-1])
	}
	return c, sound
}

// logarithmic is how the type of an axis ends that goes on by factors.
const logarithmic = "-LOG"

// turned reports an axis whose coordinates follow from more than one dimension.
func (h header) turned(axis int) bool {
	for key, v := range h {
		form, pair, ok := strings.Cut(key, "_")
		if !ok || !strings.HasPrefix(form, "CD") && !strings.HasPrefix(form, "PC") {
			continue
		}
		i, err := strconv.Atoi(form[2:])
		j, bad := strconv.Atoi(pair)
		if zero := v == 0 || v == 0.0; err == nil && bad == nil && i != j && (i == axis || j == axis) && !zero {
			return true
		}
	}
	return false
}

// axisName is what an axis is called.
func (h header) axisName(axis int) string {
	return strings.TrimSuffix(h.text("CTYPE"+strconv.Itoa(axis)), logarithmic)
}

// mostPlaced bounds the elements along an axis whose coordinates are made.
const mostPlaced = 1 << 26
