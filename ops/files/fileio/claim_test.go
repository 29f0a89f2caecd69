//go:build unix

package fileio

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

// filled begins a folder with files that all say who wrote them.
func filled(create func(string, func(string) error) (*PendingFolder, error), path, who string) (*PendingFolder, error) {
	f, err := create(path, allowed)
	for i := range 4 {
		if err == nil {
			err = f.WriteFile(fmt.Sprintf("c/%d", i), []byte(who))
		}
	}
	return f, err
}

// Of several that write one folder at once each is there in full, the last one in the end, and nothing is left behind.
func TestWritersAtOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.store")
	var writers sync.WaitGroup
	for who := range 4 {
		create := CreateFolder
		if who%2 == 1 {
			create = CreateFolderResumable
		}
		writers.Go(func() {
			for done := 0; done < 60; {
				f, err := filled(create, path, fmt.Sprint(who))
				if errors.Is(err, errClaimed) {
					continue
				}
				if err == nil {
					err = f.Commit(false)
				}
				if err != nil {
					t.Errorf("writer %d: %v", who, err)
					return
				}
				done++
			}
		})
	}
	writers.Wait()
	var said []string
	for i := range 4 {
		text, err := os.ReadFile(filepath.Join(path, "c", fmt.Sprint(i)))
		if err != nil {
			t.Fatal(err)
		}
		said = append(said, string(text))
	}
	if slices.Sort(said); said[0] != said[3] {
		t.Errorf("the folder is of several: %v", said)
	}
	if got := entries(t, dir); len(got) != 1 {
		t.Errorf("left in the folder: %v", got)
	}
}

// What is written at the name of a folder that can be resumed is nobody else's as long as it is not at its own.
func TestFoldersAreClaimed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.store")
	f, err := filled(CreateFolderResumable, path, "first")
	if err != nil {
		t.Fatal(err)
	}
	for _, begin := range []func(string, func(string) error) (*PendingFolder, error){CreateFolderResumable, ResumeFolder} {
		var e *Error
		if _, err := begin(path, allowed); !errors.Is(err, errClaimed) || !errors.As(err, &e) || e.Path != path || e.Help == "" {
			t.Errorf("%v", err)
		}
	}
	if err := f.Commit(true); err != nil {
		t.Fatal(err)
	}
	if _, err := ResumeFolder(path, allowed); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that has its name is resumed: %v", err)
	}
}

// What others left at any moment is swept away; what was put aside and not yet replaced has its name again.
func TestFoldersOfTheDeadAreSwept(t *testing.T) {
	made := func(dir string, names ...string) {
		t.Helper()
		for _, name := range names {
			if err := errors.Join(os.MkdirAll(filepath.Join(dir, name), 0o777), os.WriteFile(filepath.Join(dir, name, "says"), []byte(name), 0o666)); err != nil {
				t.Fatal(err)
			}
		}
	}
	const dead, aside = ".a.store.ABCDEFGHIJKL.part", ".a.store.ABCDEFGHIJKL.part.old"
	for _, c := range []struct {
		name, want string
		there      []string
	}{
		{"the new one", "", []string{dead}},
		{"the old one", "a.store", []string{"a.store", dead}},
		{"put aside", aside, []string{dead, aside}},
		{"replaced", "a.store", []string{"a.store", aside}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			made(dir, c.there...)
			made(dir, ".b.store.ABCDEFGHIJKL.part")
			f, err := CreateFolder(filepath.Join(dir, "a.store"), allowed)
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Abort(); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(filepath.Join(dir, "a.store", "says"))
			if string(got) != c.want || c.want != "" && err != nil {
				t.Errorf("the folder says %q, %v; want %q", got, err, c.want)
			}
			want := []string{".b.store.ABCDEFGHIJKL.part"}
			if c.want != "" {
				want = append(want, "a.store")
			}
			if left := entries(t, dir); !slices.Equal(left, want) {
				t.Errorf("left in the folder: %v", left)
			}
		})
	}
}

// What ends the process does not come between two names that are exchanged.
func TestAbandonWaitsForNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.store")
	for _, who := range []string{"first", "second"} {
		f, err := filled(CreateFolder, path, who)
		if err != nil {
			t.Fatal(err)
		}
		if who == "first" {
			if err := f.Commit(false); err != nil {
				t.Fatal(err)
			}
			continue
		}
		begun.Lock() // as Abandon does
		done := make(chan error)
		go func() { done <- f.Commit(false) }()
		time.Sleep(50 * time.Millisecond)
		if text, err := os.ReadFile(filepath.Join(path, "c", "0")); err != nil || string(text) != "first" {
			t.Errorf("the folder says %q, %v, while the process ends", text, err)
		}
		begun.Unlock()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(filepath.Join(path, "c", "0")); err != nil || string(text) != "second" {
			t.Errorf("the folder says %q, %v", text, err)
		}
	}
}

// Files that come late do not make a folder anew that was given up.
func TestLateFiles(t *testing.T) {
	dir := t.TempDir()
	f, err := filled(CreateFolder, filepath.Join(dir, "a.store"), "first")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(f.temporary); err != nil {
		t.Fatal(err)
	}
	if err := f.WriteFile("d/late", nil); err == nil {
		t.Error("a file was written into a folder that is gone")
	}
	if left := entries(t, dir); len(left) > 0 {
		t.Errorf("left in the folder: %v", left)
	}
	if err := f.Abort(); err != nil {
		t.Error(err)
	}
}

// Files that were removed are so on the disk once it is synced.
func TestRemovedFilesAreSynced(t *testing.T) {
	f, err := filled(CreateFolder, filepath.Join(t.TempDir(), "a.store"), "first")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Abort()
	if err := errors.Join(f.Remove("c/0"), f.Sync(), f.Remove("c/1")); err != nil {
		t.Fatal(err)
	}
	if !f.fresh["c"] || f.fresh["c/1"] {
		t.Errorf("to be synced: %v", f.fresh)
	}
}
