//go:build unix

package fileio

import (
	"os"
	"path/filepath"
	"syscall"
)

// Identity is the same for all paths that lead to one file, and only for those. A file that is not there yet is a name in a folder.
type Identity struct {
	device, number uint64
	name           string
}

// Identify finds out which file a path leads to.
func Identify(path string) Identity {
	path = Target(path)
	if id, there := identify(path); there {
		return id
	}
	id, there := identify(filepath.Dir(path))
	if id.name = filepath.Base(path); !there {
		id.name = filepath.Clean(path)
	}
	return id
}

func identify(path string) (id Identity, there bool) {
	info, err := os.Stat(path)
	if err != nil {
		return id, false
	}
	s := info.Sys().(*syscall.Stat_t)
	return Identity{device: uint64(s.Dev), number: uint64(s.Ino)}, true
}
