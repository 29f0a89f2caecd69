//go:build !unix

package usage

import "time"

// cpuTime and maxRSS are not known on this system: reports hold 0.
func cpuTime() time.Duration { return 0 }

func maxRSS() int64 { return 0 }
