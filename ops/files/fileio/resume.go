package fileio

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// CreateResumable is Create of a file that a later process may go on with, after Suspend or when this one is killed. What an
// earlier one left is replaced.
func CreateResumable(path string) (*Pending, error) { return resumable(path, os.O_CREATE|os.O_TRUNC) }

// Resume opens the file at path where an earlier process left it with at least so many bytes. The error is fs.ErrNotExist where
// none did.
func Resume(path string, bytes int64) (*Pending, error) {
	p, err := resumable(path, 0)
	if err != nil {
		return nil, err
	}
	info, err := p.file.Stat()
	if err == nil && info.Size() < bytes {
		err = &Error{Path: path, Reason: fmt.Sprintf("%s: of the %d bytes that an earlier run wrote, %d are there", cannotWrite, bytes, info.Size()),
			Help: "run it from the start, without --resume"}
	}
	if err != nil {
		return nil, errors.Join(Wrap(path, cannotWrite, err), p.Suspend())
	}
	return p, nil
}

func resumable(path string, flags int) (*Pending, error) {
	target, mode, err := destination(path)
	if err != nil {
		return nil, err
	}
	folder, name := filepath.Split(target)
	// Opened first as it is: another process may be writing it.
	p, err := begin(path, target, filepath.Join(folder, "."+shorten(name)+".weft-part"), flags&^os.O_TRUNC, mode)
	if err != nil {
		return nil, err
	}
	if err := lock(p.file); err != nil {
		if taken(err) {
			err = errClaimed
		}
		return nil, errors.Join(Wrap(path, cannotWrite, err), p.file.Close())
	}
	if flags&os.O_TRUNC != 0 {
		if err := p.file.Truncate(0); err != nil {
			return nil, errors.Join(Wrap(path, cannotWrite, err), p.Abort())
		}
	}
	p.resumable = true
	return p, nil
}

// Sync waits until what was written is on the disk.
func (p *Pending) Sync() error {
	if err := p.file.Sync(); err != nil {
		return Wrap(p.path, cannotWrite, err)
	}
	return nil
}

// Truncate cuts the file behind so many bytes.
func (p *Pending) Truncate(size int64) error {
	if err := p.file.Truncate(size); err != nil {
		return Wrap(p.path, cannotWrite, err)
	}
	return nil
}

// Suspend closes a file that CreateResumable began and leaves it for Resume. It may be called again.
func (p *Pending) Suspend() error {
	if err := p.file.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return Wrap(p.path, "cannot close the temporary file", err)
	}
	return nil
}
