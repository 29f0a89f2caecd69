package fileio

import (
	"errors"
	"os"
)

// CannotRead is what Wrap says of a failure to read.
const CannotRead = "cannot read"

// Open opens a regular file, whose parts can be read in any order, and gives its size.
func Open(path string) (file *os.File, size int64, err error) {
	info, err := os.Stat(path) // first: opening a pipe waits for who writes to it
	if err != nil {
		return nil, 0, Wrap(path, CannotRead, err)
	}
	if !info.Mode().IsRegular() {
		kind, reason := Foreign, "is not a regular file, so parts of it cannot be read in any order"
		if info.IsDir() {
			kind, reason = Folder, "is a folder, not a file"
		}
		return nil, 0, &Error{Path: path, Kind: kind, Reason: reason}
	}
	if file, err = os.Open(path); err != nil {
		return nil, 0, Wrap(path, CannotRead, err)
	}
	if info, err = file.Stat(); err != nil {
		return nil, 0, errors.Join(Wrap(path, CannotRead, err), file.Close())
	}
	return file, info.Size(), nil
}
