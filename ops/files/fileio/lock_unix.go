//go:build unix

package fileio

import (
	"os"

	"golang.org/x/sys/unix"
)

// lock claims a file for this process, until it is closed.
func lock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }
