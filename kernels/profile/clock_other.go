//go:build !linux

package profile

import "time"

// stopwatch runs f and returns the time on the wall, which stands for the processor's too.
func stopwatch(f func() error) (wall, cpu time.Duration, err error) {
	start := time.Now()
	err = f()
	wall = time.Since(start)
	return wall, wall, err
}
