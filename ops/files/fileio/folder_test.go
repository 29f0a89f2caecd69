package fileio

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func allowed(string) error { return nil }

// What is at the path is replaced as a whole, and only if it may be.
func TestFoldersAreReplacedAsAWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.store")
	write := func(name string) *PendingFolder {
		t.Helper()
		f, err := CreateFolder(path, allowed)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(f.WriteFile(filepath.Join("in", name), []byte(name)), f.WriteFile("top", nil), f.Remove("nothing")); err != nil {
			t.Fatal(err)
		}
		return f
	}
	if err := write("first").Commit(true); err != nil {
		t.Fatal(err)
	}
	second := write("second")
	if _, err := os.ReadFile(filepath.Join(path, "in", "first")); err != nil {
		t.Errorf("before Commit the first is gone: %v", err)
	}
	if err := second.Commit(true); err != nil {
		t.Fatal(err)
	}
	if got := entries(t, filepath.Join(path, "in")); len(got) != 1 || got[0] != "second" {
		t.Errorf("the folder holds %v", got)
	}
	if got := entries(t, path); len(got) != 2 {
		t.Errorf("the folder holds %v", got)
	}
	if err := write("third").Abort(); err != nil {
		t.Fatal(err)
	}
	if got := entries(t, dir); len(got) != 1 {
		t.Errorf("left in the folder: %v", got)
	}
	_, err := CreateFolder(path, func(string) error { return errors.New("it is mine") })
	var e *Error
	if !errors.As(err, &e) || !strings.Contains(e.Reason, "it is mine") {
		t.Errorf("%v", err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := CreateFolder(file, allowed); !errors.As(err, &e) || !strings.Contains(e.Reason, "it is a file") {
		t.Errorf("%v", err)
	}
	if _, err := CreateFolder(filepath.Join(dir, "no", "a"), allowed); !errors.As(err, &e) || !strings.Contains(e.Reason, "its folder does not exist") {
		t.Errorf("%v", err)
	}
}

// A folder by turns is exchanged where names cannot be at once.
func TestExchangeByTurns(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for _, f := range []string{a, b} {
		if err := errors.Join(os.Mkdir(f, 0o777), os.WriteFile(filepath.Join(f, filepath.Base(f)), nil, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	if err := exchangeByTurns(a, b); err != nil {
		t.Fatal(err)
	}
	if x, y := entries(t, a), entries(t, b); len(x) != 1 || x[0] != "b" || len(y) != 1 || y[0] != "a" {
		t.Errorf("%v, %v", x, y)
	}
}

func TestResumableFolders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.store")
	if _, err := ResumeFolder(path, allowed); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("resumed nothing: %v", err)
	}
	f, err := CreateFolderResumable(path, allowed)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.WriteFile("x/y", []byte("there")), f.Sync(), f.Suspend()); err != nil {
		t.Fatal(err)
	}
	if f, err = ResumeFolder(path, allowed); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(true); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(path, "x", "y")); err != nil || string(got) != "there" {
		t.Errorf("%q, %v", got, err)
	}
	if f, err = CreateFolderResumable(path, allowed); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.WriteFile("old", nil), f.Suspend()); err != nil {
		t.Fatal(err)
	}
	if f, err = CreateFolderResumable(path, allowed); err != nil { // from the start
		t.Fatal(err)
	}
	if err := f.Commit(false); err != nil {
		t.Fatal(err)
	}
	if got := entries(t, path); len(got) != 0 {
		t.Errorf("what an earlier run left stayed: %v", got)
	}
}

func TestStampsOfFolders(t *testing.T) {
	path := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(path, "c"), 0o777), os.WriteFile(filepath.Join(path, "c", "0"), make([]byte, 5), 0o666), os.WriteFile(filepath.Join(path, "d"), make([]byte, 2), 0o666)); err != nil {
		t.Fatal(err)
	}
	n, before, err := Stamp(path)
	if err != nil || n != 7 {
		t.Errorf("%d bytes, %v", n, err)
	}
	later := before + 5e9
	if err := os.Chtimes(filepath.Join(path, "c", "0"), time.Unix(0, later), time.Unix(0, later)); err != nil {
		t.Fatal(err)
	}
	if _, changed, err := Stamp(path); err != nil || changed != later {
		t.Errorf("changed at %d, %v; want %d", changed, err, later)
	}
}
