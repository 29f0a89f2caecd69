//go:build unix

package fileio

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTemporariesOfTheDeadAreSwept(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a[1]*.npy")
	dead := filepath.Join(folder, ".a[1]*.npy.ABCDEFGHIJKL.part")
	other := filepath.Join(folder, ".b.npy.ABCDEFGHIJKL.part")
	for _, p := range []string{dead, other} {
		if err := os.WriteFile(p, []byte("x"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	first, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	second, err := Create(path) // while the first is under way
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dead); !errors.Is(err, fs.ErrNotExist) {
		t.Error("what a dead process left is still there")
	}
	if _, err := os.Stat(other); err != nil {
		t.Error("the temporary file of another name is gone")
	}
	if err := errors.Join(first.Commit(false), second.Commit(false)); err != nil {
		t.Error(err)
	}
}

func TestResumableFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.bin")
	if _, err := Resume(path, 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("resumed nothing: %v", err)
	}
	p, err := CreateResumable(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := CreateResumable(path); err == nil {
		t.Error("two write the same file")
	}
	if _, err := p.WriteAt([]byte("hello"), 0); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(p.Sync(), p.Suspend()); err != nil {
		t.Fatal(err)
	}
	if p, err = Resume(path, 5); err != nil {
		t.Fatal(err)
	}
	if err := p.Suspend(); err != nil {
		t.Fatal(err)
	}
	if _, err := Resume(path, 6); err == nil || !strings.Contains(err.Error(), "of the 6 bytes that an earlier run wrote, 5 are there") {
		t.Errorf("a file that is gone is resumed: %v", err)
	}
	if p, err = Resume(path, 5); err != nil {
		t.Fatal(err)
	}
	if _, err := p.WriteAt([]byte(" you"), 5); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(p.Truncate(8), p.Commit(true)); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "hello yo" {
		t.Errorf("%q, %v", text, err)
	}
}
