package cache

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFolder(t *testing.T) {
	at := filepath.Join(t.TempDir(), "a", "b")
	t.Setenv("WEFT_CACHE", at)
	if dir, doubt := Open(); dir != at || doubt != nil {
		t.Errorf("%s, %v", dir, doubt)
	}
	t.Setenv("WEFT_CACHE", "")
	t.Setenv("XDG_CACHE_HOME", at)
	t.Setenv("HOME", at)
	if dir, doubt := Open(); !strings.HasPrefix(dir, at) || filepath.Base(dir) != "weft" || doubt != nil {
		t.Errorf("%s, %v", dir, doubt)
	}
}

// TestUnusableFolder: a folder that cannot be made, or that others may write to, is not used; a temporary one is, if it can be.
func TestUnusableFolder(t *testing.T) {
	if !ownership {
		t.Skip("files have no permissions here")
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	open := filepath.Join(t.TempDir(), "open")
	if err := os.Mkdir(open, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	for path, why := range map[string]string{filepath.Join(file, "x"): "not a directory", open: "by other users"} {
		t.Setenv("WEFT_CACHE", path)
		dir, doubt := Open()
		if filepath.Dir(dir) != temp || doubt == nil || !strings.Contains(doubt.Error(), why) {
			t.Errorf("%s: %s, %v", path, dir, doubt)
		}
	}
	t.Setenv("TMPDIR", file)
	if dir, doubt := Open(); dir != "" || doubt == nil {
		t.Errorf("without a temporary folder: %s, %v", dir, doubt)
	}
}

// TestAnotherUsersFolder: what belongs to somebody else is not used.
func TestAnotherUsersFolder(t *testing.T) {
	dir := t.TempDir()
	if os.Getuid() != 0 {
		dir = "/" // root's
	} else if err := os.Chown(dir, 12345, -1); err != nil {
		t.Skip("no other owner can be made:", err)
	}
	if err := Trusted(dir); ownership && (err == nil || !strings.Contains(err.Error(), "another user")) {
		t.Errorf("%s is trusted: %v", dir, err)
	}
}
