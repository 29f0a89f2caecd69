// Package fileio writes files that are either complete or absent, and words file errors for people.
package fileio

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Pending is a file being written under a temporary name beside its final one.
// Nothing is visible under the final name before Commit. Every Pending ends in Commit or Abort.
type Pending struct {
	file   *os.File
	path   string // as the user named it
	target string // with links followed

	resumable bool
}

const cannotWrite = "cannot write"

// Create starts a file that will be at path after Commit. The temporary file is in the same folder, so that the
// final rename stays on one disk. What is at path now is replaced only if it is a regular file.
func Create(path string) (*Pending, error) {
	target, mode, err := destination(path)
	if err != nil {
		return nil, err
	}
	folder, name := filepath.Split(target)
	sweep(folder, name)
	temporary := filepath.Join(folder, fmt.Sprintf(".%s.%s.part", shorten(name), rand.Text()[:tag]))
	p, err := begin(path, target, temporary, os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	note(temporary, true)
	_ = lock(p.file) // nobody else can hold it; a file system without locks refuses, and is not swept either
	return p, nil
}

// Sweep removes what writers of a file that died left beside it, as Create does.
func Sweep(path string) { sweep(filepath.Split(Target(path))) }

// tag is the length of what tells the temporary files of one name apart.
const tag = 12

// sweep removes the temporary files of a name that processes which died left behind: nobody holds their locks. What cannot be
// looked at or removed stays; it does not stand in the way.
func sweep(folder, name string) {
	left, err := filepath.Glob(filepath.Join(escape(folder), "."+escape(shorten(name))+"."+strings.Repeat("?", tag)+".part"))
	if err != nil {
		return
	}
	for _, path := range left {
		file, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			continue
		}
		if lock(file) == nil {
			_ = os.Remove(path)
		}
		_ = file.Close()
	}
}

// escape makes a name match only itself.
func escape(name string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(name)
}

// destination is the file that a path leads to, if a file may be put there, and its permissions.
func destination(path string) (target string, mode fs.FileMode, err error) {
	target, mode = Target(path), 0o666
	info, err := os.Stat(target)
	switch {
	case err == nil && info.IsDir():
		return "", 0, &Error{Path: path, Reason: cannotWrite + ": it is a folder", Help: "name a file in it"}
	case err == nil && !info.Mode().IsRegular():
		return "", 0, &Error{Path: path, Reason: cannotWrite + ": it is a device or pipe, which cannot be replaced by a file"}
	case err == nil:
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return "", 0, Wrap(path, cannotWrite, err)
	}
	return target, mode, nil
}

func begin(path, target, temporary string, flags int, mode fs.FileMode) (*Pending, error) {
	file, err := os.OpenFile(temporary, os.O_RDWR|flags, mode)
	if folder := filepath.Dir(target); errors.Is(err, fs.ErrNotExist) && flags&os.O_CREATE != 0 {
		return nil, &Error{Path: path, Reason: cannotWrite + ": its folder does not exist", Help: "create " + folder + " first", Err: err}
	}
	if err != nil {
		return nil, Wrap(path, cannotWrite, err)
	}
	return &Pending{file: file, path: path, target: target}, nil
}

// shorten keeps the temporary name within the 255 bytes that file systems allow.
func shorten(name string) string { return name[:min(len(name), 200)] }

// Path is the final name as given to Create.
func (p *Pending) Path() string { return p.path }

// File is the open temporary file.
func (p *Pending) File() *os.File { return p.file }

// Write appends bytes.
func (p *Pending) Write(b []byte) (int, error) {
	n, err := p.file.Write(b)
	if err != nil {
		return n, Wrap(p.path, cannotWrite, err)
	}
	return n, nil
}

// WriteAt writes bytes at an offset. Calls on disjoint ranges may run concurrently.
func (p *Pending) WriteAt(b []byte, offset int64) (int, error) {
	n, err := p.file.WriteAt(b, offset)
	if err != nil {
		return n, Wrap(p.path, cannotWrite, err)
	}
	return n, nil
}

// Reserve gives the file its final size, taking the disk space at once where the system can, so that a full disk
// is found before the work and not after it.
func (p *Pending) Reserve(size int64) error {
	if err := reserve(p.file, size); err != nil {
		return Wrap(p.path, fmt.Sprintf("cannot write %d bytes", size), err)
	}
	return nil
}

// Rename says that the file is to have another name in its folder.
func (p *Pending) Rename(path string) error {
	target, _, err := destination(path)
	if err == nil {
		p.path, p.target = path, target
	}
	return err
}

// Commit closes the file and gives it its final name. With durable set it first waits until the bytes are on the
// disk. When it fails, what was at the path before is untouched, and nothing else is left behind but a file that a later process may go on with.
func (p *Pending) Commit(durable bool) error {
	defer note(p.file.Name(), false)
	steps := []func() error{p.file.Close, func() error { return os.Rename(p.file.Name(), p.target) }}
	if durable {
		steps = append([]func() error{p.file.Sync}, steps...)
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return errors.Join(Wrap(p.path, cannotWrite, err), p.Leave())
		}
	}
	if durable {
		return p.syncFolder()
	}
	return nil
}

// Sync waits until a file that was committed is on the disk, under its name.
func Sync(path string) error {
	p := &Pending{path: path, target: Target(path)}
	file, err := os.Open(p.target)
	if err != nil {
		return Wrap(path, "cannot sync it", err)
	}
	defer file.Close()
	if err := file.Sync(); err != nil {
		return Wrap(path, "cannot sync it", err)
	}
	return p.syncFolder()
}

// syncFolder makes the rename itself durable.
func (p *Pending) syncFolder() error {
	folder, err := os.Open(filepath.Dir(p.target))
	if err != nil {
		return Wrap(p.path, "cannot sync its folder", err)
	}
	defer folder.Close()
	if err := folder.Sync(); err != nil {
		return Wrap(p.path, "cannot sync its folder", err)
	}
	return nil
}

// Abort closes and removes the temporary file. It may be called again, and does nothing after a Commit that succeeded.
func (p *Pending) Abort() error {
	defer note(p.file.Name(), false)
	if err := p.file.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return Wrap(p.path, "cannot close the temporary file", err)
	}
	if err := os.Remove(p.file.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Wrap(p.path, "cannot remove the temporary file", err)
	}
	return nil
}

// Leave closes a file that could not be completed: one that a later process may go on with stays, and another is removed.
func (p *Pending) Leave() error {
	if p.resumable {
		return p.Suspend()
	}
	return p.Abort()
}

// WriteFile writes the file at path with what fill writes: complete, or not at all.
func WriteFile(path string, fill func(io.Writer) error) error {
	pending, err := Create(path)
	if err != nil {
		return err
	}
	if err := fill(pending); err != nil {
		return errors.Join(Wrap(path, cannotWrite, err), pending.Abort())
	}
	return pending.Commit(false)
}
