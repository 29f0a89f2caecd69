package nvrtc

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// ErrNotFound is matched by the error Open returns where no library could be loaded.
var ErrNotFound = errors.New("no NVRTC")

// NotFoundError says what was tried. It matches ErrNotFound.
type NotFoundError struct{ Tried []string }

func (e *NotFoundError) Error() string {
	tried := "nothing to try"
	if len(e.Tried) > 0 {
		tried = "tried " + strings.Join(e.Tried, "; ")
	}
	return "no NVRTC (libnvrtc) on this machine: " + tried + ". tools/nvrtc.sh fetches one; WEFT_NVRTC names its file or folder"
}

// Is makes errors.Is(err, ErrNotFound) hold.
func (e *NotFoundError) Is(target error) bool { return target == ErrNotFound }

// Folder is where tools/nvrtc.sh puts the library: nvrtc in weft's folder of the user's cache.
func Folder() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(base, "weft", "nvrtc"), nil
}

// candidates are the files and names to try: only what WEFT_NVRTC names, if it is set; otherwise the newest first
// of all that lie in the usual folders, then what the system's loader finds.
func candidates() []string {
	if named := os.Getenv("WEFT_NVRTC"); named != "" {
		if info, err := os.Stat(named); err == nil && info.IsDir() {
			return newestFirst(libraries(named))
		}
		return []string{named}
	}
	folders := []string{"/usr/local/cuda*/lib64", "/opt/cuda/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"}
	if f, err := Folder(); err == nil {
		folders = append(folders, f)
	}
	var files []string
	for _, f := range folders {
		files = append(files, libraries(f)...)
	}
	return append(newestFirst(files), sonames...)
}

// sonames are the library's names by version: CUDA 11 named minor versions.
var sonames = []string{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so.11.1", "libnvrtc.so.11.0", "libnvrtc.so"}

// libraries lists NVRTC's files in folders given by a pattern.
func libraries(folder string) []string {
	found, err := filepath.Glob(filepath.Join(folder, "libnvrtc.so*"))
	if err != nil {
		panic(fmt.Sprintf("nvrtc: %v", err)) // a wrong pattern in this file
	}
	return found
}

// newestFirst sorts files by the version that ends their names; those without one come last.
func newestFirst(files []string) []string {
	version := func(path string) (v [3]int) {
		_, text, _ := strings.Cut(filepath.Base(path), ".so.")
		for i, part := range strings.SplitN(text, ".", len(v)) {
			n, err := strconv.Atoi(part)
			if err != nil {
				break
			}
			v[i] = n
		}
		return v
	}
	slices.SortStableFunc(files, func(a, b string) int {
		x, y := version(a), version(b)
		return cmp.Or(slices.Compare(y[:], x[:]), cmp.Compare(a, b))
	})
	return files
}
