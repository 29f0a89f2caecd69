package zarr

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/kernels/region"
	"weft/ops/files/element"
	"weft/ops/files/fileio"
)

// A chunk that was written and is gone is named; one that was left out, since it holds zeros alone, is not missed.
func TestChunksThatAreLostAreNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.zarr")
	w, err := create(order(path, element.Float64, 1500, 1500), false, nil)
	if err != nil {
		t.Fatal(err)
	}
	all := values(element.Float64, 1500*1500)
	side := 1500 * 8
	chunk := chunkOf([]int{1500, 1500}, element.Float64)
	for i := range chunk[0] {
		clear(all[i*side+chunk[1]*8 : (i+1)*side]) // above the diagonal
	}
	if err := errors.Join(w.(*writer).WriteMemory(context.Background(), all, 0, region.Whole(1500, 1500)), w.Commit(false)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(path, "c/0/1")); err == nil {
		t.Fatal("zeros are written")
	}
	if got, err := read(t, path, element.Float64, nil); err != nil || string(got) != string(all) {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(path, "c/1/0")); err != nil {
		t.Fatal(err)
	}
	var e *fileio.Error
	if _, err := read(t, path, element.Float64, nil); !errors.As(err, &e) || e.Kind != fileio.Cut || !strings.Contains(e.Reason, "chunk c/1/0 is not there, and was") {
		t.Errorf("%v", err)
	}
}

// Chunks that others left out are counted, whatever files are called, but of a store without any.
func TestChunksThatAreNotThereAreCounted(t *testing.T) {
	chunk := make([]byte, 16)
	says := "3 of 4 chunks are not there, and read as 7, its fill value"
	key := func(name, separator string) map[string]any {
		return map[string]any{"chunk_key_encoding": map[string]any{"name": name, "configuration": map[string]any{"separator": separator}}}
	}
	for _, c := range []struct {
		changes map[string]any
		files   map[string][]byte
		says    string
	}{
		{nil, map[string][]byte{"c/0/1": chunk, "c/0/7": chunk, "c/x/0": chunk, "c/01/0": chunk}, says},
		{key("default", "."), map[string][]byte{"c.1.1": chunk, "c.2.0": chunk, "d.0.0": chunk}, says},
		{key("v2", "."), map[string][]byte{"1.0": chunk, "1": chunk, "1.0.0": chunk}, says},
		{key("v2", "/"), map[string][]byte{"1/1": chunk, "0": chunk}, says},
		{nil, map[string][]byte{"c/0/0": chunk, "c/0/1": chunk, "c/1/0": chunk, "c/1/1": chunk}, ""},
		{nil, nil, ""},
	} {
		in, err := open(made(t, c.changes, c.files), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(messages(in.About().Doubts), ";"); got != c.says {
			t.Errorf("%v: %q, want %q", c.changes, got, c.says)
		}
		if err := in.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
