package zarr

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft/kernels/region"
	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/format"
	"weft/ops/files/tile"
	"weft/ops/files/words"
)

// order is a store to be written at a path.
func order(path string, d element.DType, shape ...int) format.Order {
	t := ops.Type{Elem: format.ElemOf(d)}
	for i, n := range shape {
		t.Dims = append(t.Dims, ops.Dim{Name: string(rune('a' + i)), Size: n})
	}
	return format.Order{Path: path, Type: t, Elem: t.Elem, DType: d, Call: &ops.Call{Spec: &ops.Spec{}}}
}

// values are elements by their places.
func values(d element.DType, n int) []byte {
	out := words.Bytes(n * d.Size())
	if d.Class() < element.Floating {
		for i := range n {
			out[i*d.Size()] = byte(i % 2) // the word of one of both orders of bytes
		}
		return out
	}
	v := words.Bytes(n * 8)
	for i := range n {
		words.View[float64](v)[i] = float64(i%101 + 1)
	}
	convert, err := element.Converter(element.Float64, d)
	if err != nil {
		panic(err)
	}
	convert(out, v)
	return out
}

func read(t *testing.T, path string, as element.DType, c format.Choice) ([]byte, error) {
	t.Helper()
	in, err := open(path, c)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	whole := region.Whole(in.About().Shape...)
	out := words.Bytes(int(whole.Points()) * as.Size())
	return out, in.Read(out, as, 0, whole)
}

// What is written part by part in any order is read again, as a whole and in parts.
func TestRoundTrip(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, d := range element.All() {
		for _, shape := range [][]int{{}, {5}, {3000000 / d.Size()}, {1500, 1100}, {3, 40, 1300}, {2, 3, 2, 5}} {
			t.Run(fmt.Sprint(d, shape), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "a.zarr")
				w, err := create(order(path, d, shape...), false, nil)
				if err != nil {
					t.Fatal(err)
				}
				whole := region.Whole(shape...)
				all := values(d, int(whole.Points()))
				parts := []region.Region{whole}
				if len(shape) > 0 && shape[0] > 1 {
					parts = nil
					for lo := 0; lo < shape[0]; lo += (shape[0] + 2) / 3 {
						parts = append(parts, whole.Along(0, region.Interval{Lo: lo, Hi: min(shape[0], lo+(shape[0]+2)/3)}))
					}
					random.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
				}
				row := len(all)
				if len(shape) > 0 {
					row /= shape[0]
				}
				for i, p := range parts {
					from, to := 0, len(all)
					if len(shape) > 0 {
						from, to = p[0].Lo*row, p[0].Hi*row
					}
					if i%2 == 0 {
						err = w.(format.MemoryWriter).WriteMemory(t.Context(), all[from:to], 0, p)
					} else {
						to, err2 := all[from:to], error(nil)
						out := w.Part(p)
						for len(to) > 0 && err2 == nil {
							n := min(len(to), d.Size()*4097)
							_, err2 = out.Write(to[:n])
							to = to[n:]
						}
						err = errors.Join(err2, out.Close())
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				if err := w.Commit(true); err != nil {
					t.Fatal(err)
				}
				if text, err := os.ReadFile(filepath.Join(path, descriptionFile)); err != nil || len(shape) == 0 && !bytes.Contains(text, []byte(`"chunk_shape": []`)) {
					t.Errorf("%s, %v: of a single value chunks have no extents", text, err)
				}
				got, err := read(t, path, d, nil)
				if err != nil || !bytes.Equal(got, all) {
					t.Fatalf("what was written is not read: %v", err)
				}
				if len(shape) < 2 {
					return
				}
				in, err := open(path, nil)
				if err != nil {
					t.Fatal(err)
				}
				defer in.Close()
				for range 10 {
					at := make(region.Region, len(shape))
					for i, n := range shape {
						at[i].Lo = random.IntN(n)
						at[i].Hi = at[i].Lo + 1 + random.IntN(n-at[i].Lo)
					}
					part := words.Bytes(int(at.Points()) * d.Size())
					if err := in.Read(part, d, 0, at); err != nil {
						t.Fatal(err)
					}
					i := 0
					for index := range at.Indices() {
						place := 0
						for k, v := range index {
							place = place*shape[k] + v
						}
						if size := d.Size(); !bytes.Equal(part[i*size:(i+1)*size], all[place*size:(place+1)*size]) {
							t.Fatalf("element %v of %v differs", index, at)
						}
						i++
					}
				}
			})
		}
	}
}

// Chunks of zeros take no file.
func TestZerosTakeNoRoom(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.zarr")
	w, err := create(order(path, element.Float32, 2048, 2000), false, nil)
	if err != nil {
		t.Fatal(err)
	}
	all := words.Bytes(2048 * 2000 * 4)
	words.View[float32](all)[2000*1024+1008] = 1 // in the chunk 1/1
	if err := errors.Join(w.(format.MemoryWriter).WriteMemory(t.Context(), all, 0, region.Whole(2048, 2000)), w.Commit(false)); err != nil {
		t.Fatal(err)
	}
	if got, want := slices.Sorted(maps.Keys(files(t, path))), []string{"c/1/1", "zarr.json"}; !slices.Equal(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
	if got, err := read(t, path, element.Float32, nil); err != nil || !bytes.Equal(got, all) {
		t.Errorf("what was written is not read: %v", err)
	}
}

// A store goes on behind the rows that were marked.
func TestResume(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.zarr")
	o := order(path, element.Float32, 3072, 1500)
	all := values(element.Float32, 3072*1500)
	row := 1500 * 4
	put := func(w format.Output, lo, hi int) {
		t.Helper()
		err := w.(format.MemoryWriter).WriteMemory(context.Background(), all[lo*row:hi*row], 0, region.Region{{Lo: lo, Hi: hi}, {Lo: 0, Hi: 1500}})
		if err != nil {
			t.Fatal(err)
		}
	}
	w, err := create(o, true, nil)
	if err != nil {
		t.Fatal(err)
	}
	put(w, 0, 700)
	first, err := w.Mark()
	if want := (region.Region{{Lo: 0, Hi: 700}, {Lo: 0, Hi: 1500}}); err != nil || !first.There.Equal(want) {
		t.Fatalf("marked %v, %v, want %v", first.There, err, want)
	}
	put(w, 700, 1400)
	second, err := w.Mark()
	if want := (region.Region{{Lo: 700, Hi: 1400}, {Lo: 0, Hi: 1500}}); err != nil || !second.There.Equal(want) {
		t.Fatalf("marked %v, %v, want %v", second.There, err, want)
	}
	put(w, 1400, 2100) // which is lost
	if _, err := create(o, true, nil); err == nil || !strings.Contains(err.Error(), "another run is writing it") {
		t.Errorf("two write the same store: %v", err)
	}
	if err := w.Suspend(); err != nil {
		t.Fatal(err)
	}
	if w, err = create(o, true, []ops.Mark{first, second}); err != nil {
		t.Fatal(err)
	}
	put(w, 1400, 3072)
	if err := w.Commit(true); err != nil {
		t.Fatal(err)
	}
	if got, err := read(t, path, element.Float32, nil); err != nil || !bytes.Equal(got, all) {
		t.Errorf("the resumed store differs: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// Parts that end within chunks are marked as they come. A run goes on behind any of them, whatever came besides, with the bytes of one that was not stopped.
func TestPartsOfChunks(t *testing.T) {
	folder := t.TempDir()
	for name, o := range map[string]format.Order{"plain": order("", element.Float32, 1300, 1500), "zeros": order("", element.Float64, 1300, 1500),
		"packed": onMap(t, "", element.Uint8), "packed floats": onMap(t, "", element.Float32)} {
		shape := o.Type.Shape()
		all := values(o.DType, int(region.Whole(shape...).Points()))
		if name == "zeros" {
			clear(all)
		}
		put := func(w format.Output, at region.Region) {
			t.Helper()
			var part []byte
			for row := range tile.Pieces(at, shape, at) {
				part = append(part, all[row.Here*o.DType.Size():][:row.N*o.DType.Size()]...)
			}
			if err := w.(format.MemoryWriter).WriteMemory(t.Context(), part, 0, at); err != nil {
				t.Fatal(err)
			}
		}
		begin := func(path string, marks []ops.Mark) format.Output {
			t.Helper()
			o.Path = filepath.Join(folder, path)
			w, err := create(o, true, marks)
			if err != nil {
				t.Fatal(err)
			}
			return w
		}
		want := begin(name+" at once.zarr", nil)
		put(want, region.Whole(shape...))
		got, marks := begin(name+".zarr", nil), []ops.Mark(nil)
		for x := 0; x < shape[len(shape)-1]; x += 400 {
			for y := 0; y < shape[0]; y += shape[0]/5 + 1 {
				at := region.Whole(shape...)
				at[0], at[len(shape)-1] = region.Interval{Lo: y, Hi: min(y+shape[0]/5+1, shape[0])}, region.Interval{Lo: x, Hi: min(x+400, shape[len(shape)-1])}
				put(got, at) // which is lost
				if err := got.Suspend(); err != nil {
					t.Fatal(err)
				}
				got = begin(name+".zarr", marks)
				put(got, at)
				m, err := got.Mark()
				if err != nil || !m.There.Equal(at) {
					t.Fatalf("%s: marked %v, want %v (%v)", name, m.There, at, err)
				}
				marks = append(marks, m)
			}
		}
		if err := errors.Join(want.Commit(false), got.Commit(true)); err != nil {
			t.Fatal(name, err)
		}
		if a, b := files(t, filepath.Join(folder, name+" at once.zarr")), files(t, filepath.Join(folder, name+".zarr")); !maps.Equal(a, b) {
			t.Errorf("%s: %d files, want %d, or others", name, len(b), len(a))
		}
	}
}

// files are what a folder holds.
func files(t *testing.T, folder string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(folder, func(p string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			var data []byte
			data, err = os.ReadFile(p)
			out[strings.TrimPrefix(p, folder+"/")] = string(data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Rows of chunks that could not be written are not marked.
func TestChunksThatFailAreNotMarked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.zarr")
	w, err := create(order(path, element.Float32, 2048, 2048), true, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	put := func(lo, hi int) error {
		strip := region.Region{{Lo: 0, Hi: 1024}, {Lo: lo, Hi: hi}}
		return w.(format.MemoryWriter).WriteMemory(t.Context(), values(element.Float32, int(strip.Points())), 0, strip)
	}
	taken := filepath.Join(filepath.Dir(path), ".a.zarr.weft-part", "c", "0", "1")
	if err := os.MkdirAll(taken, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := put(1500, 2048); err == nil {
		t.Fatal("a chunk was written over a folder")
	}
	if m, err := w.Mark(); err != nil || len(m.There) > 0 {
		t.Errorf("marked %v, %v", m.There, err)
	}
}

// What is missing at the end is told, and leaves nothing.
func TestIncompleteStores(t *testing.T) {
	folder := t.TempDir()
	w, err := create(order(filepath.Join(folder, "a.zarr"), element.Float32, 10, 10), false, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.(format.MemoryWriter).WriteMemory(t.Context(), values(element.Float32, 90), 0, region.Whole(9, 10)); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(false); err == nil || !strings.Contains(err.Error(), "10 elements were not written") {
		t.Errorf("%v", err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
