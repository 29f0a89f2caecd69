//go:build !unix

package usage

import "time"

// CPU is not known on this system: reports hold 0.
func CPU() time.Duration { return 0 }

// maxRSS is not known either.
func maxRSS() int64 { return 0 }
