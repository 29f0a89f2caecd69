//go:build !unix

package fileio

import "path/filepath"

// Identity is the same for all paths that lead to one file.
type Identity struct{ path string }

// Identify finds out which file a path leads to.
func Identify(path string) Identity {
	path = Target(path)
	if full, err := filepath.Abs(path); err == nil {
		path = full
	}
	return Identity{filepath.Clean(path)}
}
