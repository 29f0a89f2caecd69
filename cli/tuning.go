package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

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
