package fileio

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// PendingFolder is a folder of files being written under a temporary name beside its final one, as a Pending is a file. Every one ends in Commit,
// Suspend or Abort.
type PendingFolder struct {
	path      string // as the user named it
	target    string // with links followed
	temporary string
	claim     *os.File                // locked as long as somebody writes the folder
	may       func(path string) error // says why a folder that is there must stay

	mu    sync.Mutex
	fresh map[string]bool // files and folders in it that were written since the last Sync
}

// claimName is the file in a folder that is being written that tells whether somebody is.
const claimName = ".weft-claim"

// CreateFolder starts a folder that will be at path after Commit. A folder that is there now is replaced if may has nothing against it.
func CreateFolder(path string, may func(path string) error) (*PendingFolder, error) {
	return beginFolder(path, may, true, func(folder, name string) string {
		sweepFolders(folder, name)
		return filepath.Join(folder, fmt.Sprintf(".%s.%s.part", shorten(name), rand.Text()[:tag]))
	})
}

// CreateFolderResumable is CreateFolder of a folder that a later process may go on with. What an earlier one left is replaced.
func CreateFolderResumable(path string, may func(path string) error) (*PendingFolder, error) {
	f, err := beginFolder(path, may, true, resumableFolder)
	if err != nil {
		return nil, err
	}
	return f, f.empty()
}

// ResumeFolder opens what an earlier process left of the folder at path. The error is fs.ErrNotExist where none did.
func ResumeFolder(path string, may func(path string) error) (*PendingFolder, error) {
	return beginFolder(path, may, false, resumableFolder)
}

func resumableFolder(folder, name string) string {
	return filepath.Join(folder, "."+shorten(name)+".weft-part")
}

func beginFolder(path string, may func(string) error, create bool, temporary func(folder, name string) string) (*PendingFolder, error) {
	f := &PendingFolder{path: path, target: Target(filepath.Clean(path)), may: may, fresh: map[string]bool{}}
	if err := f.destination(); err != nil {
		return nil, err
	}
	folder, name := filepath.Split(f.target)
	f.temporary = temporary(folder, name)
	if create {
		if err := os.Mkdir(f.temporary, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			if errors.Is(err, fs.ErrNotExist) {
				return nil, &Error{Path: path, Reason: cannotWrite + ": its folder does not exist", Help: "create " + filepath.Dir(f.target) + " first", Err: err}
			}
			return nil, Wrap(path, cannotWrite, err)
		}
	}
	flags := os.O_RDWR
	if create {
		flags |= os.O_CREATE
	}
	var err error
	if f.claim, err = os.OpenFile(filepath.Join(f.temporary, claimName), flags, 0o666); err != nil {
		return nil, Wrap(path, cannotWrite, err)
	}
	if err := lock(f.claim); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return nil, errors.Join(&Error{Path: path, Reason: cannotWrite + ": another run is writing it", Help: "wait for it, or stop it first", Err: err}, f.claim.Close())
	}
	if !strings.HasSuffix(f.temporary, ".weft-part") {
		note(f.temporary, true)
	}
	return f, nil
}

// destination says why no folder may be where this one will be.
func (f *PendingFolder) destination() error {
	info, err := os.Stat(f.target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return Wrap(f.path, cannotWrite, err)
	case !info.IsDir():
		return &Error{Path: f.path, Reason: cannotWrite + ": it is a file, which no folder replaces", Help: "remove it, or choose another name"}
	}
	if err := f.may(f.target); err != nil {
		return Wrap(f.path, cannotWrite, err)
	}
	return nil
}

// sweepFolders removes what processes which died left behind of folders of a name.
func sweepFolders(folder, name string) {
	left, err := filepath.Glob(filepath.Join(escape(folder), "."+escape(shorten(name))+"."+strings.Repeat("?", tag)+".part"))
	if err != nil {
		return
	}
	for _, path := range left {
		claim, err := os.OpenFile(filepath.Join(path, claimName), os.O_RDWR, 0)
		if err != nil {
			continue
		}
		if lock(claim) == nil {
			_ = os.RemoveAll(path)
		}
		_ = claim.Close()
	}
}

// empty removes all but the claim.
func (f *PendingFolder) empty() error {
	entries, err := os.ReadDir(f.temporary)
	for _, e := range entries {
		if err == nil && e.Name() != claimName {
			err = os.RemoveAll(filepath.Join(f.temporary, e.Name()))
		}
	}
	if err != nil {
		return errors.Join(Wrap(f.path, cannotWrite, err), f.Suspend())
	}
	return nil
}

// WriteFile writes a file of the folder, whose name may lead through folders of it. Different files may be written concurrently.
func (f *PendingFolder) WriteFile(name string, data []byte) error {
	path := filepath.Join(f.temporary, name)
	err := os.WriteFile(path, data, 0o666)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(path), 0o777); err == nil {
			err = os.WriteFile(path, data, 0o666)
		}
	}
	if err != nil {
		return Wrap(f.path, cannotWrite, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fresh[path] = true
	for up := filepath.Dir(path); len(up) >= len(f.temporary) && !f.fresh[up]; up = filepath.Dir(up) {
		f.fresh[up] = true
	}
	return nil
}

// Remove removes a file of the folder, if it is there.
func (f *PendingFolder) Remove(name string) error {
	if err := os.Remove(filepath.Join(f.temporary, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Wrap(f.path, cannotWrite, err)
	}
	return nil
}

// Sync waits until what was written is on the disk.
func (f *PendingFolder) Sync() error {
	f.mu.Lock()
	fresh := f.fresh
	f.fresh = map[string]bool{}
	f.mu.Unlock()
	for path := range fresh {
		if err := syncPath(path); err != nil {
			return Wrap(f.path, cannotWrite, err)
		}
	}
	return nil
}

func syncPath(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// Path is the final name as given when it was begun.
func (f *PendingFolder) Path() string { return f.path }

// Rename says that the folder is to have another name in its folder.
func (f *PendingFolder) Rename(path string) error {
	to := &PendingFolder{path: path, target: Target(filepath.Clean(path)), may: f.may}
	if err := to.destination(); err != nil {
		return err
	}
	f.path, f.target = to.path, to.target
	return nil
}

// Commit gives the folder its final name. With durable set it first waits until all is on the disk. When it fails, nothing is left behind and
// what was at the path before is untouched.
func (f *PendingFolder) Commit(durable bool) error {
	defer note(f.temporary, false)
	steps := []func() error{f.destination, f.claim.Close, func() error { return os.Remove(filepath.Join(f.temporary, claimName)) }, f.replace}
	if durable {
		steps = append([]func() error{f.Sync}, append(steps, func() error { return syncPath(filepath.Dir(f.target)) })...)
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return errors.Join(Wrap(f.path, cannotWrite, err), f.Abort())
		}
	}
	return nil
}

// replace puts the folder in the place of what is there.
func (f *PendingFolder) replace() error {
	if _, err := os.Lstat(f.target); errors.Is(err, fs.ErrNotExist) {
		return os.Rename(f.temporary, f.target)
	}
	if err := exchange(f.temporary, f.target); err != nil {
		return err
	}
	// What was there goes, its own files before its folders: they describe it, and who still reads it is to notice. What cannot be removed stays
	// beside the new one.
	entries, err := os.ReadDir(f.temporary)
	for _, e := range entries {
		if err == nil && !e.IsDir() {
			err = os.Remove(filepath.Join(f.temporary, e.Name()))
		}
	}
	_ = os.RemoveAll(f.temporary)
	return nil
}

// Suspend leaves a folder that CreateFolderResumable began for ResumeFolder.
func (f *PendingFolder) Suspend() error {
	if err := f.claim.Close(); err != nil && !errors.Is(err, os.ErrClosed) { // a Commit that failed
		return Wrap(f.path, "cannot close the temporary folder", err)
	}
	return nil
}

// Abort removes what was written. It may be called again, and does nothing after a Commit that succeeded.
func (f *PendingFolder) Abort() error {
	defer note(f.temporary, false)
	if err := f.claim.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return Wrap(f.path, "cannot close the temporary folder", err)
	}
	if err := os.RemoveAll(f.temporary); err != nil {
		return Wrap(f.path, "cannot remove the temporary folder", err)
	}
	return nil
}
