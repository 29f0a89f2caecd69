//go:build unix

package profile

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Lock keeps other processes out of what is measured or learned until unlock is called. Where locks do not work, such as on
// some network file systems, the caller goes on without: files are replaced whole, so the last writer wins.
func Lock(dir string) (unlock func()) {
	f, err := os.OpenFile(filepath.Join(dir, "profile.lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return func() {}
	}
	for {
		if err = unix.Flock(int(f.Fd()), unix.LOCK_EX); err != unix.EINTR {
			break
		}
	}
	return func() { f.Close() } // which unlocks
}
