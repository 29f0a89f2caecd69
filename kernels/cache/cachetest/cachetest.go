// Package cachetest is for tests that compile and do not look at what is kept of it: compiled kernels stay from one run of tests to the
// next, and serve all packages. They are found by a digest of all that they are made from, the compiler included, so none is out of date.
package cachetest

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"weft/kernels/cache"
)

// Folder is a cache of kernels apart from the user's own, beside them.
var Folder = sync.OnceValue(func() string {
	dir, err := cache.Folder()
	if err == nil {
		dir = filepath.Join(dir, "tests")
		err = cache.Use(filepath.Join(dir, "objects"))
	}
	if err != nil {
		panic(err)
	}
	return dir
})

// New makes a folder a cache that holds nothing but the kernels of Folder, among which go those compiled in it: what else is learned
// and measured starts anew.
func New(dir string) error {
	return os.Symlink(filepath.Join(Folder(), "objects"), filepath.Join(dir, "objects"))
}

// Use gives a test such a cache of its own.
func Use(t testing.TB) {
	t.Helper()
	dir := t.TempDir()
	if err := New(dir); err != nil {
		t.Fatal(err)
	}
	t.Setenv("WEFT_CACHE", dir)
}

// Little is the flag of a compiler that optimises little.
const Little = " -Og"

// Quick is for TestMain: what the tests of a package compile goes to Folder and is optimised little.
func Quick() {
	OptimiseLittle()
	os.Setenv("WEFT_CACHE", Folder())
}

// OptimiseLittle has compilers optimise what costs them little: all they can would be most of the time for kernels that run once, and nothing at all makes those
// that run for long take several times as long. Package native tests what is optimised. A command that says so already is left as it is: what tests start uses the
// same kernels.
func OptimiseLittle() {
	if command := cmp.Or(os.Getenv("CC"), "cc"); !strings.HasSuffix(command, Little) {
		os.Setenv("CC", command+Little)
	}
}
