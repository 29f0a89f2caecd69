// Package cache finds the folder in which kernels, profiles and what was learned are kept from run to run. Code is loaded from it, so a folder
// that others could have written to is not used.
package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Folder is WEFT_CACHE, or weft in the user's cache folder; it is made if need be. The error says why it cannot be used.
func Folder() (string, error) {
	dir := os.Getenv("WEFT_CACHE")
	if dir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("there is no cache folder (%w): WEFT_CACHE names one", err)
		}
		dir = filepath.Join(base, "weft")
	}
	if err := Use(dir); err != nil {
		return "", fmt.Errorf("the cache folder cannot be used: %w (WEFT_CACHE names another)", err)
	}
	return dir, nil
}

// Open is Folder, or where that cannot be used a folder of the user's own among the temporary files; doubt says why. Where there is none
// either, dir is empty.
func Open() (dir string, doubt error) {
	dir, doubt = Folder()
	if doubt == nil {
		return dir, nil
	}
	dir = filepath.Join(os.TempDir(), fmt.Sprintf("weft-%d", os.Getuid()))
	if err := Use(dir); err != nil {
		return "", fmt.Errorf("%w; nor can one among the temporary files: %w", doubt, err)
	}
	return dir, fmt.Errorf("%w; %s is used instead", doubt, dir)
}

// Use makes a folder, if need be, and makes sure that it can be written to, and by nobody else.
func Use(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := Trusted(dir); err != nil {
		return err
	}
	probe, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return &fs.PathError{Op: "write to", Path: dir, Err: reason(err)}
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// reason is an error of the file system without the path.
func reason(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// Trusted is nil for a file or folder that nobody else could have written: it belongs to the user, and others have no right to write to it.
func Trusted(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	switch {
	case info.Mode().Perm()&0o022 != 0 && ownership:
		return fmt.Errorf("%s can be written to by other users (%s): `chmod go-w` makes it the user's own", path, info.Mode().Perm())
	case !owned(info):
		return fmt.Errorf("%s belongs to another user", path)
	}
	return nil
}
