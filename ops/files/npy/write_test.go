package npy

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	oracle "github.com/sbinet/npyio/npy"

	"weft/kernels/region"
	"weft/ops/files/element"
	"weft/ops/files/tile"
	"weft/ops/files/words"
)

func roundTrip[T element.Go](t *testing.T, values []T) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.npy")
	shape := []int{2, len(values) / 2}
	if err := Save(path, shape, values); err != nil {
		t.Fatal(err)
	}
	back, gotShape, err := Load[T](path)
	if err != nil || !slices.Equal(back, values) || !slices.Equal(gotShape, shape) {
		t.Errorf("%T came back as %v %v, %v", values, back, gotShape, err)
	}
	// Another implementation reads what we wrote, and we read what it writes.
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var theirs []T
	if err := oracle.Read(file, &theirs); err != nil || !reflect.DeepEqual(theirs, values) {
		t.Errorf("npyio reads our %T as %v, %v", values, theirs, err)
	}
	var written bytes.Buffer
	if err := oracle.Write(&written, values); err != nil {
		t.Fatal(err)
	}
	ours, err := Values[T](open(t, written.Bytes()))
	if err != nil || !slices.Equal(ours, values) {
		t.Errorf("we read npyio's %T as %v, %v", values, ours, err)
	}
}

func TestRoundTripAndOracle(t *testing.T) {
	roundTrip(t, []bool{true, false, true, true})
	roundTrip(t, []int8{-128, 127, 0, 1})
	roundTrip(t, []int16{-32768, 32767, 0, 1})
	roundTrip(t, []int32{-1 << 31, 1<<31 - 1, 0, 1})
	roundTrip(t, []int64{-1 << 63, 1<<63 - 1, 0, 1})
	roundTrip(t, []uint8{255, 0, 1, 2})
	roundTrip(t, []uint16{65535, 0, 1, 2})
	roundTrip(t, []uint32{1<<32 - 1, 0, 1, 2})
	roundTrip(t, []uint64{1<<64 - 1, 0, 1, 2})
	roundTrip(t, []float32{1.5, -3.4e38, 1e-45, 0})
	roundTrip(t, []float64{1.5, -1.7e308, 5e-324, 0})
	roundTrip(t, []complex64{1 + 2i, -3.5i, 0, 1e-45})
	roundTrip(t, []complex128{1 + 2i, -3.5i, 0, 5e-324})
}

func TestWriteFailuresLeaveNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.npy")
	start := func(d element.DType, shape ...int) *tile.Writer {
		w, err := create(path, d, shape)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	w := start(element.Float32, 4)
	if _, err := w.Write(make([]byte, 12)); err != nil {
		t.Fatal(err)
	}
	wantError(t, w.Commit(false), path, "3 elements of 4 were written")

	w = start(element.Float32, 4)
	_, err := w.Write(make([]byte, 20))
	wantError(t, err, path, "more elements than the shape (4,)")
	if err := w.Abort(); err != nil {
		t.Fatal(err)
	}

	wantError(t, Save(path, []int{3}, []float32{1}), path, "holds 3 elements, not 1")
	_, err = create(path, element.Float32, []int{-1})
	wantError(t, err, path, "negative length")
	_, err = create(path, 0, []int{1})
	wantError(t, err, path, "no element type")
	_, err = create(path, element.Float64, []int{1 << 40, 1 << 40})
	wantError(t, err, path, "more bytes than this machine can address")

	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left in the folder: %v", left)
	}
}

func TestUnwritableFolder(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("the superuser may write everywhere")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "a.npy")
	wantError(t, Save(path, []int{1}, []float32{1}), path, "permission denied", "check the permissions")
}

func TestArchive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npz")
	w, err := CreateArchive(path)
	if err != nil {
		t.Fatal(err)
	}
	x, y := []float32{1, 2, 3, 4, 5, 6}, []complex128{1i, 2}
	if err := w.Add("x", element.Float32, []int{2, 3}, words.Raw(x)); err != nil {
		t.Fatal(err)
	}
	stream, err := w.Create("y", element.Complex128, []int{2})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range [][]byte{words.Raw(y)[:5], words.Raw(y)[5:]} {
		if _, err := stream.Write(part); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Add("empty", element.Uint8, []int{0, 3}, nil); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(false); err != nil {
		t.Fatal(err)
	}

	a, err := OpenArchive(path)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if got := a.names; !slices.Equal(got, []string{"x", "y", "empty"}) {
		t.Errorf("names %v", got)
	}
	fx, err := a.Open("x")
	if err != nil {
		t.Fatal(err)
	}
	if h := fx.Header(); h.DType != element.Float32 || !slices.Equal(h.Shape, []int{2, 3}) {
		t.Errorf("x is %+v", h)
	}
	// Backward as well as forward.
	for _, lo := range []int{1, 0, 1} {
		row := make([]float32, 3)
		if err := fx.ReadTile(words.Raw(row), Layout{DType: element.Float32}, region.Whole(2, 3).Along(0, region.Interval{Lo: lo, Hi: lo + 1})); err != nil || !slices.Equal(row, x[lo*3:lo*3+3]) {
			t.Errorf("row %d is %v, %v", lo, row, err)
		}
	}
	fy, err := a.Open("y")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Values[complex128](fy); err != nil || !slices.Equal(got, y) {
		t.Errorf("y is %v, %v", got, err)
	}
	_, err = a.Open("z")
	wantError(t, err, path, `no array named "z"`, "it holds x, y, empty")
	_, err = Open(path)
	wantError(t, err, path, "is an archive")

	checkOracleArchive(t, path, x)
}

func checkOracleArchive(t *testing.T, path string, x []float32) {
	t.Helper()
	theirs := readZipMember(t, path, "x.npy")
	var got []float32
	if err := oracle.Read(bytes.NewReader(theirs), &got); err != nil || !slices.Equal(got, x) {
		t.Errorf("npyio reads x as %v, %v", got, err)
	}
}

func TestArchiveWriteFailures(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.npz")
	w, err := CreateArchive(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Add("x", element.Uint8, []int{1}, []byte{1}); err != nil {
		t.Fatal(err)
	}
	wantError(t, w.Add("x", element.Uint8, []int{1}, []byte{1}), path, `two arrays are named "x"`)
	wantError(t, w.Add("y", element.Uint8, []int{1}, []byte{1, 2}), path, `"y" gets more elements`)
	var late io.Writer
	if late, err = w.Create("z", element.Uint8, []int{1}); err == nil {
		t.Error("an array was begun while y was incomplete")
	}
	if late != nil {
		t.Error("a writer came with an error")
	}
	wantError(t, w.Commit(false), path, `1 bytes of array "y" were not written`)
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left in the folder: %v", left)
	}
}
