//go:build !linux

// Package clock times what runs on one thread.
package clock

import "time"

// Stopwatch runs f and returns the time on the wall, which stands for the processor's too.
func Stopwatch(f func() error) (wall, cpu time.Duration, err error) {
	start := time.Now()
	err = f()
	wall = time.Since(start)
	return wall, wall, err
}
