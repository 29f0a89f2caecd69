package fileio

import (
	"io/fs"
	"os"
	"path/filepath"
)

// mostLinks is how many links are followed, as on Linux.
const mostLinks = 40

// Target is the file that a path leads to: links are followed, also to files that are not there yet.
func Target(path string) string {
	for range mostLinks {
		folder, name := filepath.Split(path)
		if real, err := filepath.EvalSymlinks(filepath.Clean(folder)); err == nil && folder != "" {
			path = filepath.Join(real, name)
		}
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			break
		}
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Dir(path) + string(filepath.Separator) + to // not cleaned: .. is that of the folder it leads to
		}
		path = to
	}
	return path
}
