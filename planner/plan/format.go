package plan

import (
	"fmt"
	"time"
)

// FormatBytes writes a size for people.
func FormatBytes(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	v, i := float64(n), 0
	for v >= 1024 && i < len(units)-1 {
		v /= 1024
		i++
	}
	if i == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.3g %s", v, units[i])
}

// FormatMillis writes a time, given in ms, for people.
func FormatMillis(ms float64) string {
	switch {
	case ms >= 1e5:
		return time.Duration(ms * float64(time.Millisecond)).Round(time.Second).String()
	case ms >= 1e3:
		return fmt.Sprintf("%.3g s", ms/1e3)
	case ms >= 1 || ms == 0:
		return fmt.Sprintf("%.3g ms", ms)
	}
	return fmt.Sprintf("%.3g us", ms*1e3)
}
