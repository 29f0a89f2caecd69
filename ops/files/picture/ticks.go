package picture

import (
	"math"
	"strconv"
	"strings"
)

// tick is a labelled place on an axis.
type tick struct {
	at    float64
	label string
}

// Ticks calls a function with at most n round places between two ends, and their labels.
func Ticks(a, b float64, n int, each func(at float64, label string)) {
	for _, t := range ticks(a, b, n, false) {
		each(t.at, typographic(t.label))
	}
}

// ticks are at most n round coordinates between two ends, in ascending order: multiples of 1, 2 or 5 times a power
// of ten, and of 1 at least where whole is set.
func ticks(a, b float64, n int, whole bool) []tick {
	lo, hi := min(a, b), max(a, b)
	step := roundStep((hi-lo)/float64(max(n, 1)), whole)
	for count(lo, hi, step) > n && n > 0 {
		step = roundStep(step*1.01, whole)
	}
	var all []tick
	for i := math.Ceil(lo/step - 1e-9); i*step <= hi+1e-9*step; i++ {
		at := i*step + 0 // never -0
		all = append(all, tick{at, number(at, step)})
	}
	return all
}

func count(lo, hi, step float64) int {
	return int(math.Floor(hi/step+1e-9)-math.Ceil(lo/step-1e-9)) + 1
}

// roundStep is the least round number that is not below least.
func roundStep(least float64, whole bool) float64 {
	if whole {
		least = max(least, 1)
	}
	decade := math.Pow(10, math.Floor(math.Log10(least)))
	for _, m := range []float64{1, 2, 5} {
		if m*decade >= least*(1-1e-12) {
			return m * decade
		}
	}
	return 10 * decade
}

// number prints a multiple of step with as many decimals as tell it from its neighbours.
func number(v, step float64) string {
	if v == 0 {
		return "0"
	}
	digits := max(-int(math.Floor(math.Log10(step)+1e-9)), 0)
	plain := strconv.FormatFloat(v, 'f', digits, 64)
	if len(plain) <= longest {
		return plain
	}
	significant := int(math.Floor(math.Log10(math.Abs(v))+1e-9)) - int(math.Floor(math.Log10(step)+1e-9))
	return shortExponent(strconv.FormatFloat(v, 'e', min(max(significant, 0), 15), 64))
}

// longest is the characters of a number that is still written out: a northing in metres, or a tenth of a millisecond.
const longest = 8

// shortExponent writes 1e+06 as 1e6 and 1e-06 as 1e-6.
func shortExponent(s string) string {
	mantissa, exponent, _ := strings.Cut(s, "e")
	sign := strings.TrimSuffix(exponent[:1], "+")
	return mantissa + "e" + sign + strings.TrimLeft(exponent[1:], "0")
}

// typographic puts the minus sign in place of the hyphen.
func typographic(s string) string { return strings.ReplaceAll(s, "-", "\u2212") }
