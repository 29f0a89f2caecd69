package state

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a checkpoint says was made is in the file that goes with it, or the run does not go on.
func TestTilesThatAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.tiles")
	refused := func(when string) {
		t.Helper()
		if _, err := openTiles(path, true, 64); err == nil || !strings.Contains(err.Error(), "gone or another") {
			t.Errorf("%s: %v", when, err)
		}
	}
	refused("no file")
	f, err := openTiles(path, false, 64)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteAt([]byte("made"), 8)
	f.Close()
	if f, err = openTiles(path, true, 64); err != nil {
		t.Fatal(err)
	}
	kept := make([]byte, 4)
	f.ReadAt(kept, 8)
	f.Close()
	if string(kept) != "made" {
		t.Errorf("%q is kept", kept)
	}
	if err := os.Truncate(path, 63); err != nil {
		t.Fatal(err)
	}
	refused("a file of another size")
	if f, err = openTiles(path, false, 64); err != nil {
		t.Fatal(err)
	}
	f.ReadAt(kept, 8)
	f.Close()
	if string(kept) != "\x00\x00\x00\x00" {
		t.Errorf("%q is left in a file that is made anew", kept)
	}
}
