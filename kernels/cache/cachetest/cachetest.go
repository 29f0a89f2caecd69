// Package cachetest is for tests that compile and do not look at what is kept of it: compiled kernels stay from one run of tests to the
// next, and serve all packages. They are found by a digest of all that they are made from, the compiler included, so none is out of date.
package cachetest

import (
	"os"
	"path/filepath"

	"weft/kernels/cache"
)

// Folder is a cache of kernels apart from the user's own, beside them.
func Folder() string {
	dir, err := cache.Folder()
	if err == nil {
		dir = filepath.Join(dir, "tests")
		err = cache.Use(filepath.Join(dir, "objects"))
	}
	if err != nil {
		panic(err)
	}
	return dir
}

// New makes a folder a cache that holds nothing but the kernels of Folder, among which go those compiled in it: what else is learned
// and measured starts anew.
func New(dir string) error {
	return os.Symlink(filepath.Join(Folder(), "objects"), filepath.Join(dir, "objects"))
}
