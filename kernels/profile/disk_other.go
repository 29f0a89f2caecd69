//go:build !linux

package profile

import "os"

// openUncached opens a file; this system offers no portable way around its cache.
func openUncached(path string) (*os.File, error) { return os.Open(path) }

func aligned(n int) []byte { return make([]byte, n) }
