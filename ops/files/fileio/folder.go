package fileio

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// PendingFolder is a folder of files being written under a temporary name beside its final one, as a Pending is a file. Every one ends in Commit,
// Suspend or Abort.
type PendingFolder struct {
	path      string // as the user named it
	target    string // with links followed
	temporary string // empty once it has its final name
	claim     claim  // of the folder, as long as somebody writes it
	resumable bool
	root      *os.Root                // the folder: where it was removed, no file that comes late makes it anew
	old       claim                   // of what it has replaced
	may       func(path string) error // says why a folder that is there must stay

	mu    sync.Mutex
	fresh map[string]bool // files and folders in it that changed since the last Sync
}

// CreateFolder starts a folder that will be at path after Commit. A folder that is there now is replaced if may has nothing against it.
func CreateFolder(path string, may func(path string) error) (*PendingFolder, error) {
	f, err := folderAt(path, may)
	if err != nil {
		return nil, err
	}
	for range mostNames {
		f.temporary = temporaryOf(f.target)
		if err = f.claimNew(); !errors.Is(err, errClaimed) && !errors.Is(err, fs.ErrNotExist) { // swept away before it was locked
			break
		}
	}
	if err != nil {
		return nil, Wrap(path, cannotWrite, err)
	}
	note(f.temporary, true)
	return f, nil
}

// mostNames is how many names are tried for a new folder.
const mostNames = 16

// temporaryOf is a name for a folder that nobody goes on with, beside the one that it stands for.
func temporaryOf(target string) string {
	folder, name := filepath.Split(target)
	return filepath.Join(folder, fmt.Sprintf(".%s.%s.part", shorten(name), rand.Text()[:tag]))
}

// CreateFolderResumable is CreateFolder of a folder that a later process may go on with. What an earlier one left is replaced.
func CreateFolderResumable(path string, may func(path string) error) (*PendingFolder, error) {
	f, err := folderAt(path, may)
	if err != nil {
		return nil, err
	}
	f.temporary, f.resumable = resumableFolder(f.target), true
	for range mostNames {
		if err = f.claimNew(); !errors.Is(err, fs.ErrNotExist) { // which another run has just given its final name
			break
		}
	}
	if err != nil {
		return nil, Wrap(path, cannotWrite, err)
	}
	return f, f.empty()
}

// ResumeFolder opens what an earlier process left of the folder at path. The error is fs.ErrNotExist where none did.
func ResumeFolder(path string, may func(path string) error) (*PendingFolder, error) {
	f, err := folderAt(path, may)
	if err != nil {
		return nil, err
	}
	f.temporary, f.resumable = resumableFolder(f.target), true
	if err := f.claimOld(); err != nil {
		return nil, Wrap(path, cannotWrite, err)
	}
	return f, nil
}

func resumableFolder(target string) string {
	folder, name := filepath.Split(target)
	return filepath.Join(folder, "."+shorten(name)+".weft-part")
}

// folderAt is a folder that is to be at a path, once what processes which died left of it is swept away.
func folderAt(path string, may func(string) error) (*PendingFolder, error) {
	f := &PendingFolder{path: path, target: Target(filepath.Clean(path)), may: may, fresh: map[string]bool{}}
	if _, err := os.Stat(filepath.Dir(f.target)); errors.Is(err, fs.ErrNotExist) {
		return nil, &Error{Path: path, Reason: cannotWrite + ": its folder does not exist", Help: "create " + filepath.Dir(f.target) + " first", Err: err}
	}
	sweepFolders(f.target)
	return f, f.destination()
}

// claimNew makes the temporary folder, if it is not there, and claims it.
func (f *PendingFolder) claimNew() error {
	if err := os.Mkdir(f.temporary, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return f.claimOld()
}

func (f *PendingFolder) claimOld() (err error) {
	if f.claim, err = claimFolder(f.temporary, false); err != nil {
		return err
	}
	if f.root, err = os.OpenRoot(f.temporary); err != nil {
		return errors.Join(err, f.claim.Close())
	}
	return nil
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

// empty removes all that is in it.
func (f *PendingFolder) empty() error {
	entries, err := os.ReadDir(f.temporary)
	for _, e := range entries {
		if err == nil {
			err = f.root.RemoveAll(e.Name())
		}
	}
	if err != nil {
		return errors.Join(Wrap(f.path, cannotWrite, err), f.Suspend())
	}
	return nil
}

// FS is the folder as it is now.
func (f *PendingFolder) FS() fs.FS { return f.root.FS() }

// WriteFile writes a file of the folder, whose name may lead through folders of it. Different files may be written concurrently.
func (f *PendingFolder) WriteFile(name string, data []byte) error {
	return f.write(name, func() error { return f.root.WriteFile(name, data, 0o666) })
}

// Update changes a file of the folder, which is empty where there was none.
func (f *PendingFolder) Update(name string, change func(file *os.File) error) error {
	return f.write(name, func() error {
		file, err := f.root.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return err
		}
		return errors.Join(change(file), file.Close())
	})
}

// write calls do, which writes a file, and calls it again where the folder of that had to be made.
func (f *PendingFolder) write(name string, do func() error) error {
	err := do()
	if errors.Is(err, fs.ErrNotExist) {
		if err = f.root.MkdirAll(filepath.Dir(name), 0o777); err == nil {
			err = do()
		}
	}
	if err != nil {
		return Wrap(f.path, cannotWrite, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fresh[name] = true
	f.changed(filepath.Dir(name))
	return nil
}

// ReadFile is what a file within the folder holds.
func (f *PendingFolder) ReadFile(name string) ([]byte, error) { return f.root.ReadFile(name) }

// Remove removes a file of the folder, or a folder of it with all that it holds, if it is there.
func (f *PendingFolder) Remove(name string) error {
	if err := f.root.RemoveAll(name); err != nil {
		return Wrap(f.path, cannotWrite, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.fresh, name)
	f.changed(filepath.Dir(name))
	return nil
}

// changed notes that a folder in it, and those around that, are to be synced: what they hold has become another.
func (f *PendingFolder) changed(folder string) {
	for ; !f.fresh[folder]; folder = filepath.Dir(folder) {
		f.fresh[folder] = true
	}
}

// Sync waits until what was written is on the disk.
func (f *PendingFolder) Sync() error {
	f.mu.Lock()
	fresh := f.fresh
	f.fresh = map[string]bool{}
	f.mu.Unlock()
	for name := range fresh {
		file, err := f.root.Open(name)
		if err == nil {
			err = errors.Join(file.Sync(), file.Close())
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // removed since
			return Wrap(f.path, cannotWrite, err)
		}
	}
	return nil
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

// Commit gives the folder its final name. With durable set it first waits until all is on the disk. When it fails, what was at the path before is
// untouched, and nothing else is left behind but a folder that a later process may go on with; where the system only cannot tell whether the new name is on the disk, both stay.
func (f *PendingFolder) Commit(durable bool) error {
	steps := []func() error{f.root.Close, f.replace}
	if durable {
		steps = append([]func() error{f.Sync}, steps...)
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return errors.Join(Wrap(f.path, cannotWrite, err), f.Leave())
		}
	}
	return f.finish(durable)
}

// Leave closes a folder that could not be completed: one that a later process may go on with stays, and another is removed.
func (f *PendingFolder) Leave() error {
	if f.resumable {
		return f.Suspend()
	}
	return f.Abort()
}

// Suspend leaves a folder that CreateFolderResumable began for ResumeFolder. It may be called again.
func (f *PendingFolder) Suspend() error {
	closed := f.claim.Close()
	if errors.Is(closed, os.ErrClosed) {
		closed = nil
	}
	if err := errors.Join(f.root.Close(), closed); err != nil {
		return Wrap(f.path, "cannot close the temporary folder", err)
	}
	return nil
}

// Abort removes what was written. It may be called again, and does nothing after a Commit that succeeded.
func (f *PendingFolder) Abort() error {
	if f.temporary == "" {
		return nil
	}
	defer note(f.temporary, false)
	removed := os.RemoveAll(f.temporary)
	if err := f.Suspend(); err != nil {
		return err
	}
	if removed != nil {
		return Wrap(f.path, "cannot remove the temporary folder", removed)
	}
	return nil
}
