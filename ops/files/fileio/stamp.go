package fileio

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Stamp is the bytes of a file, or of all files in a folder, and when it was last changed, in nanoseconds.
func Stamp(path string) (bytes, changed int64, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, 0, err
	}
	if !info.IsDir() {
		return info.Size(), info.ModTime().UnixNano(), nil
	}
	err = filepath.WalkDir(path+string(filepath.Separator), func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Mode().IsRegular() {
			bytes += info.Size()
		}
		changed = max(changed, info.ModTime().UnixNano())
		return nil
	})
	return bytes, changed, err
}
