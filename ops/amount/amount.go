// Package amount writes sizes, times and other amounts for people.
package amount

import (
	"fmt"
	"strings"
	"time"
)

// Bytes writes a size for people.
func Bytes(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	v, i := float64(n), 0
	for v >= 1024 && i < len(units)-1 {
		v /= 1024
		i++
	}
	if i == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return three(v) + " " + units[i]
}

// three writes three digits, or the four of a number up to 1024, never with an exponent.
func three(v float64) string {
	if v >= 999.5 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

// Seconds writes a time for people.
func Seconds(s float64) string {
	switch ms := 1e3 * s; {
	case ms >= 1e5:
		return time.Duration(s * float64(time.Second)).Round(time.Second).String()
	case ms >= 1e3:
		return three(s) + " s"
	case ms >= 1 || ms == 0:
		return three(ms) + " ms"
	default:
		return three(1e3*ms) + " us"
	}
}

// Millis writes a time, given in ms, for people.
func Millis(ms float64) string { return Seconds(ms / 1e3) }

// Of writes a number of units for people, with a prefix: 2.5 Gflop.
func Of(x float64, unit string) string {
	const prefixes = "kMGTP"
	prefix := ""
	for i := 0; x >= 1000 && i < len(prefixes); i++ {
		x, prefix = x/1000, prefixes[i:i+1]
	}
	return strings.TrimRight(three(x)+" "+prefix+unit, " ")
}
