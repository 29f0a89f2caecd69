//go:build !linux

package search

import "time"

// stopwatch runs f and returns how long it took.
func stopwatch(f func() error) (time.Duration, error) {
	start := time.Now()
	err := f()
	return time.Since(start), err
}
