//go:build unix

package fileio

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lock claims a file for this process, until it is closed.
func lock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }

// lockFolder does so with a folder, perhaps once nobody else does.
func lockFolder(f *os.File, wait bool) error {
	for wait {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
	return lock(f)
}

// taken tells what others hold from a file system that keeps no locks.
func taken(err error) bool { return errors.Is(err, unix.EWOULDBLOCK) }
