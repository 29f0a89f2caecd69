package files

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/format"
)

// What is there of a record stays where its file cannot be made of it, and is taken up.
func TestArraysOfARecordStayWhereItsFileFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.npz")
	full := errors.New("no room")
	var got []byte
	kind := &format.Format{Name: "NPZ", CheckRecord: func([]format.Named) error { return nil }}
	kind.WriteRecord = func(context.Context, string, []format.Named) error { return full }
	dims := ops.Type{Elem: ops.F32, Dims: []ops.Dim{{Name: "x", Size: 3}}}
	w := &recording{format: kind, parts: []format.Named{{Name: "a", Order: format.Order{Path: path, Type: dims, Elem: ops.F32, DType: element.Float32}}}}
	ctx := context.Background()
	s, err := w.OpenSink(nil)
	if err != nil {
		t.Fatal(err)
	}
	array := ops.NewHostArray(dims)
	copy(array.Parts[0].Row(0), []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
	if err := s.Write(ctx, dims.Whole(), []ops.HostArray{array}); err != nil {
		t.Fatal(err)
	}
	mark, err := s.Mark()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Commit(ctx); !errors.Is(err, full) {
		t.Fatal(err)
	}
	if err := s.Suspend(); err != nil {
		t.Fatal(err)
	}
	kind.WriteRecord = func(_ context.Context, path string, of []format.Named) (err error) {
		if got, err = io.ReadAll(of[0].Kept); err != nil {
			return err
		}
		return os.WriteFile(path, got, 0o666)
	}
	if s, err = w.OpenSink([]ops.Mark{mark}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Commit(ctx); err != nil || len(got) != 12 || got[11] != 12 {
		t.Errorf("%v: %v", got, err)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); err != nil || len(left) > 0 {
		t.Errorf("left %v: %v", left, err)
	}
}
