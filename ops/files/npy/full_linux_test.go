package npy

import (
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"weft/ops/files/element"
)

// A limit on the size of files is what a full disk looks like that can be had in a test: Create, tiles and archives
// fail with the path and the cause, and leave nothing.
func TestNoSpace(t *testing.T) {
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Skip(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	dir := t.TempDir()
	limit := syscall.Rlimit{Cur: 64 << 10, Max: before.Max}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Skip(err)
	}
	defer func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
			t.Error(err)
		}
	}()

	path := filepath.Join(dir, "a.npy")
	wantError(t, Save(path, []int{1 << 20}, make([]float32, 1<<20)), path, "file too large", "ulimit")

	path = filepath.Join(dir, "a.npz")
	w, err := CreateArchive(path)
	if err != nil {
		t.Fatal(err)
	}
	big := make([]byte, 1<<20)
	big[0] = math.MaxUint8
	if err = w.Add("x", element.Uint8, []int{len(big)}, big); err == nil {
		t.Error("1 MiB was written under a limit of 64 KiB")
	}
	wantError(t, err, path, "file too large", "ulimit")
	if err := w.Abort(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left in the folder: %v", left)
	}
}
