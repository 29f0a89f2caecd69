package fileio

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func entries(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func TestCommitReplacesAtOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.bin")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	p, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Write([]byte("new!")); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "old" {
		t.Errorf("before Commit the file reads %q, want the old text", got)
	}
	if err := p.Commit(true); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "new!" {
		t.Errorf("after Commit the file reads %q", got)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o640 {
		t.Errorf("permissions became %v", info.Mode().Perm())
	}
	if err := p.Abort(); err != nil {
		t.Errorf("Abort after Commit: %v", err)
	}
	if got := entries(t, dir); len(got) != 1 {
		t.Errorf("left in the folder: %v", got)
	}
}

func TestFailureLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.bin")
	cause := errors.New("the sensor went away")
	err := WriteFile(path, func(w io.Writer) error {
		if _, err := io.WriteString(w, "half"); err != nil {
			return err
		}
		return cause
	})
	if !errors.Is(err, cause) || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v should name the path and keep the cause", err)
	}
	if got := entries(t, dir); len(got) != 0 {
		t.Errorf("left in the folder: %v", got)
	}
}

func TestLinksAreFollowed(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	if err := os.WriteFile(real, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	if err := WriteFile(link, func(w io.Writer) error { _, err := io.WriteString(w, "x"); return err }); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(real); string(got) != "x" {
		t.Errorf("the link's target reads %q", got)
	}
	if info, _ := os.Lstat(link); info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced by a file")
	}
}

func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ name, path, want string }{
		{"folder", dir, "it is a folder"},
		{"missing folder", filepath.Join(dir, "no", "a.bin"), "its folder does not exist"},
		{"device", os.DevNull, "device or pipe"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Create(c.path)
			var e *Error
			if !errors.As(err, &e) || e.Path != c.path || !strings.Contains(e.Reason, c.want) {
				t.Errorf("got %v, want a reason with %q", err, c.want)
			}
		})
	}
}
