package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// byteSize is a flag such as 512MiB, 2GB or 1000000B.
type byteSize int64

var sizeUnits = []struct {
	suffix string
	bytes  float64
}{
	{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"tib", 1 << 40},
	{"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"tb", 1e12},
	{"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}, {"t", 1 << 40}, {"b", 1},
}

// UnmarshalText reads a size: a number above 0, and a unit. One without is refused, since who writes 16 hardly means bytes.
func (b *byteSize) UnmarshalText(text []byte) error {
	s, scale := strings.ToLower(strings.TrimSpace(string(text))), 0.0
	for _, u := range sizeUnits {
		if rest, ok := strings.CutSuffix(s, u.suffix); ok {
			s, scale = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	v, err := strconv.ParseFloat(s, 64)
	switch {
	case err == nil && scale == 0:
		return fmt.Errorf("%s has no unit: write %sMiB, %sGB or %sB for bytes", s, s, s, s)
	case err != nil || !(v > 0) || v*scale >= math.MaxInt64:
		return fmt.Errorf("%q is not a size: write 512MiB, 2GB or 1000000B", text)
	}
	*b = byteSize(v * scale)
	return nil
}

// tuning is a flag that may stand alone or with a number of seconds: --tune, --tune=5.
type tuning struct {
	on   bool
	time time.Duration // 0: not said
}

// IsBool lets the flag stand alone.
func (*tuning) IsBool() bool { return true }

// Decode reads the flag.
func (t *tuning) Decode(c *kong.DecodeContext) error {
	t.on = true
	if c.Scan.Peek().Type != kong.FlagValueToken {
		return nil
	}
	text := fmt.Sprint(c.Scan.Pop().Value)
	if v, err := strconv.ParseBool(text); err == nil && text != "1" && text != "0" {
		t.on = v
		return nil
	}
	seconds, err := strconv.ParseFloat(strings.TrimSuffix(text, "s"), 64)
	if err != nil || !(seconds > 0) || seconds > 86400 {
		return fmt.Errorf("%q is no number of seconds: write --tune, or --tune=5", text)
	}
	t.time = time.Duration(seconds * float64(time.Second))
	return nil
}
