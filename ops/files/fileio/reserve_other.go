//go:build !linux

package fileio

import "os"

func reserve(f *os.File, size int64) error { return f.Truncate(size) }
