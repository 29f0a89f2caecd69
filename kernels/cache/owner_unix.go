//go:build unix

package cache

import (
	"io/fs"
	"os"
	"syscall"
)

// ownership is whether files have owners and permissions that mean something.
const ownership = true

func owned(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
}
