package fileio

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// claim is a folder that this process alone writes: open and, where the file system keeps locks of folders, locked, whatever its name becomes.
type claim struct {
	folder *os.File
	locked bool
}

// Close lets go of it, if it was made. It may be called again.
func (c claim) Close() error {
	if c.folder == nil {
		return nil
	}
	if err := c.folder.Close(); !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

var errClaimed = errors.New("another run is writing it")

// claimFolder claims the folder that a path leads to, once nobody else does if wait is set; otherwise the error is errClaimed. A file system without
// locks of folders has no claims either: what lies there is nobody's to sweep away.
func claimFolder(path string, wait bool) (claim, error) {
	for {
		folder, err := os.Open(path)
		if err != nil {
			return claim{}, err
		}
		locked := lockFolder(folder, wait)
		if taken(locked) {
			return claim{}, errors.Join(errClaimed, folder.Close())
		}
		is, err := folder.Stat()
		if err != nil {
			return claim{}, errors.Join(err, folder.Close())
		}
		now, err := os.Stat(path)
		if err == nil && os.SameFile(now, is) {
			return claim{folder, locked == nil}, nil
		}
		if closing := folder.Close(); err != nil || closing != nil { // removed meanwhile, or renamed
			return claim{}, errors.Join(err, closing)
		}
	}
}

// asideEnding is what the name of a folder has behind a temporary one while two exchange their names by turns.
const asideEnding = ".old"

// sweepFolders removes what processes which died left behind of a folder: nobody holds their locks. One that was put aside, and that nothing has
// replaced since, gets its name back.
func sweepFolders(target string) {
	folder, name := filepath.Split(target)
	left, err := filepath.Glob(filepath.Join(escape(folder), "."+escape(shorten(name))+"."+strings.Repeat("?", tag)+".part*"))
	if err != nil {
		return
	}
	for _, path := range left {
		aside := strings.HasSuffix(path, ".part"+asideEnding)
		info, err := os.Lstat(path)
		if err != nil || !info.IsDir() || !aside && !strings.HasSuffix(path, ".part") {
			continue
		}
		c, err := claimFolder(path, false)
		if err != nil {
			continue
		}
		_, gone := os.Lstat(target)
		switch {
		case !c.locked:
		case aside && errors.Is(gone, fs.ErrNotExist):
			_ = os.Rename(path, target)
		default:
			_ = os.RemoveAll(path)
		}
		_ = c.Close()
	}
}

// replace puts the folder in the place of what is there, which has the temporary name then. All who do that hold the lock of what they replace: two
// never take it for the same. What ends this process meanwhile finds one of both at the path.
func (f *PendingFolder) replace() error {
	for {
		if err := f.destination(); err != nil {
			return err
		}
		old, err := claimFolder(f.target, true)
		if errors.Is(err, fs.ErrNotExist) {
			if err = f.exchange(false); errors.Is(err, fs.ErrExist) {
				continue // somebody was faster
			}
			return err
		}
		if err != nil {
			return err
		}
		if err = f.destination(); err == nil { // another one than before, perhaps
			err = f.exchange(true)
		}
		if err != nil {
			return errors.Join(err, old.Close())
		}
		f.old = old
		return nil
	}
}

// exchange renames the folder at once, as seen by Abandon. One that could be resumed has another name first: what lies at the name where it is looked
// for is never one that was replaced.
func (f *PendingFolder) exchange(there bool) error {
	begun.Lock()
	defer begun.Unlock()
	if f.resumable {
		aside := temporaryOf(f.target)
		if err := os.Rename(f.temporary, aside); err != nil {
			return err
		}
		f.temporary, f.resumable = aside, false
		begun.paths[aside] = true
	}
	if there {
		return exchange(f.temporary, f.target)
	}
	if err := os.Rename(f.temporary, f.target); err != nil {
		return err
	}
	delete(begun.paths, f.temporary)
	return nil
}

// finish removes what was replaced: its own files before its folders, since they describe it, and who still reads it is to notice. What cannot be
// removed stays beside the new one, for the next to sweep away.
func (f *PendingFolder) finish(durable bool) error {
	temporary := f.temporary
	f.temporary = ""
	err := f.claim.Close()
	if durable && err == nil {
		err = syncPath(filepath.Dir(f.target))
	}
	if err == nil && f.old.folder != nil {
		entries, _ := os.ReadDir(temporary)
		for _, e := range entries {
			if !e.IsDir() {
				_ = os.Remove(filepath.Join(temporary, e.Name()))
			}
		}
		_ = os.RemoveAll(temporary)
	}
	note(temporary, false)
	if err = errors.Join(err, f.old.Close()); err != nil {
		return Wrap(f.path, "cannot sync its folder", err)
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
