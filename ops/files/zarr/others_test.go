package zarr

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"weft/kernels/region"
	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/format"
	"weft/ops/files/words"
)

// made is a store as others write it: what is told of it goes into zarr.json, and files beside it.
func made(t testing.TB, changes map[string]any, files map[string][]byte) string {
	t.Helper()
	d := map[string]any{"zarr_format": 3, "node_type": "array", "shape": []int{3, 5}, "data_type": "int16", "fill_value": 7,
		"chunk_grid":         map[string]any{"name": "regular", "configuration": map[string]any{"chunk_shape": []int{2, 4}}},
		"chunk_key_encoding": map[string]any{"name": "default", "configuration": map[string]any{"separator": "/"}},
		"codecs":             []any{map[string]any{"name": "bytes", "configuration": map[string]any{"endian": "little"}}}}
	for k, v := range changes {
		d[k] = v
	}
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "made.zarr")
	for name, data := range files {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(path, name)), 0o777), os.WriteFile(filepath.Join(path, name), data, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.MkdirAll(path, 0o777), os.WriteFile(filepath.Join(path, "zarr.json"), text, 0o666)); err != nil {
		t.Fatal(err)
	}
	return path
}

// chunks are those of made: element (i, j) is 10 i + j, and 99 beyond the array.
func chunks(o binary.AppendByteOrder, pack func([]byte) []byte) map[string][]byte {
	out := map[string][]byte{}
	for i := range 2 {
		for j := range 2 {
			var data []byte
			for y := range 2 {
				for x := range 4 {
					v := 10*(2*i+y) + 4*j + x
					if 2*i+y > 2 || 4*j+x > 4 {
						v = 99
					}
					data = o.AppendUint16(data, uint16(v))
				}
			}
			out[fmt.Sprintf("c/%d/%d", i, j)] = pack(data)
		}
	}
	return out
}

func plain(b []byte) []byte { return b }

func gzipped(b []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, err := z.Write(b)
	if err = errors.Join(err, z.Close()); err != nil {
		panic(err)
	}
	return out.Bytes()
}

func zstdOf(b []byte) []byte {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	return z.EncodeAll(b, nil)
}

func codec(names ...string) []any {
	out := []any{map[string]any{"name": "bytes", "configuration": map[string]any{"endian": "little"}}}
	for _, n := range names {
		out = append(out, map[string]any{"name": n})
	}
	return out
}

func want() []int16 {
	var v []int16
	for y := range 3 {
		for x := range 5 {
			v = append(v, int16(10*y+x))
		}
	}
	return v
}

func TestStoresOfOthers(t *testing.T) {
	little, big := binary.LittleEndian, binary.BigEndian
	renamed := map[string][]byte{}
	for name, data := range chunks(little, plain) {
		renamed[strings.ReplaceAll(strings.TrimPrefix(name, "c/"), "/", ".")] = data
	}
	missing := chunks(little, plain)
	delete(missing, "c/1/0")
	filled := want()
	copy(filled[10:14], []int16{7, 7, 7, 7})
	for _, c := range []struct {
		name    string
		changes map[string]any
		files   map[string][]byte
		want    []int16
	}{
		{"plain", nil, chunks(little, plain), want()},
		{"big endian", map[string]any{"codecs": []any{map[string]any{"name": "bytes", "configuration": map[string]any{"endian": "big"}}}}, chunks(big, plain), want()},
		{"gzip", map[string]any{"codecs": codec("gzip")}, chunks(little, gzipped), want()},
		{"zstd", map[string]any{"codecs": codec("zstd")}, chunks(little, zstdOf), want()},
		{"checksum", map[string]any{"codecs": codec("crc32c")}, chunks(little, withSum), want()},
		{"all of them", map[string]any{"codecs": codec("zstd", "gzip", "crc32c")}, chunks(little, func(b []byte) []byte { return withSum(gzipped(zstdOf(b))) }), want()},
		{"names of version 2", map[string]any{"chunk_key_encoding": "v2"}, renamed, want()},
		{"a chunk that is not there", nil, missing, filled},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := read(t, made(t, c.changes, c.files), element.Int16, nil)
			if err != nil || !slices.Equal(words.View[int16](got), c.want) {
				t.Errorf("%v, %v; want %v", words.View[int16](got), err, c.want)
			}
		})
	}
}

func TestFillValues(t *testing.T) {
	for _, c := range []struct {
		dtype string
		fill  any
		want  float64
	}{
		{"float32", "NaN", math.NaN()}, {"float64", "-Infinity", math.Inf(-1)}, {"float16", 1.5, 1.5}, {"float32", "0x3fc00000", 1.5},
		{"int8", -3, -3}, {"uint64", 12, 12}, {"bool", true, 1}, {"float64", 3, 3},
	} {
		path := made(t, map[string]any{"data_type": c.dtype, "fill_value": c.fill}, nil)
		got, err := read(t, path, element.Float64, nil)
		if err != nil {
			t.Errorf("%v of %s: %v", c.fill, c.dtype, err)
			continue
		}
		if v := words.View[float64](got)[4]; v != c.want && !(v != v && c.want != c.want) {
			t.Errorf("%v of %s is %v", c.fill, c.dtype, v)
		}
	}
}

func TestGroups(t *testing.T) {
	path := made(t, map[string]any{"node_type": "group"}, nil)
	if _, err := read(t, path, element.Int16, nil); err == nil || !strings.Contains(err.Error(), "group without arrays") {
		t.Errorf("%v", err)
	}
	for _, name := range []string{"one", "two"} {
		inner := made(t, map[string]any{"dimension_names": []string{"y", "x"}}, chunks(binary.LittleEndian, plain))
		if err := os.Rename(inner, filepath.Join(path, name)); err != nil {
			t.Fatal(err)
		}
		if name == "one" {
			if got, err := read(t, path, element.Int16, nil); err != nil || !slices.Equal(words.View[int16](got), want()) {
				t.Errorf("the only one: %v, %v", got, err)
			}
		}
	}
	broken := filepath.Join(path, "zero")
	if err := errors.Join(os.Mkdir(filepath.Join(path, "within"), 0o777), os.Mkdir(broken, 0o777), os.WriteFile(filepath.Join(broken, "zarr.json"), []byte("{"), 0o666),
		os.Rename(made(t, nil, chunks(binary.LittleEndian, plain)), filepath.Join(path, "within", "three"))); err != nil {
		t.Fatal(err)
	}
	if got, err := read(t, path, element.Int16, format.Choice{"member": "within/three"}); err != nil || !slices.Equal(words.View[int16](got), want()) {
		t.Errorf("of a group within: %v, %v", got, err)
	}
	if parts, err := list(path, nil); err != nil || len(parts) != 3 || parts[2].Name != "zero" || !strings.Contains(parts[2].Not, "zarr.json is not what version 3 says") {
		t.Errorf("%v, %v, and one of them is damaged", parts, err)
	}
	if err := os.RemoveAll(broken); err != nil {
		t.Fatal(err)
	}
	parts, err := list(path, nil)
	if err != nil || len(parts) != 2 || parts[1].Name != "two" || !slices.Equal(parts[1].Dims, []string{"y", "x"}) {
		t.Errorf("%v, %v", parts, err)
	}
	if _, err := read(t, path, element.Int16, nil); err == nil || !strings.Contains(err.Error(), "holds 2 arrays") {
		t.Errorf("%v", err)
	}
	var e *fileio.Error
	if _, err := read(t, path, element.Int16, format.Choice{"member": "tow"}); !errors.As(err, &e) || e.Kind != fileio.NoMember || !slices.Equal(e.Known, []string{"one", "two"}) {
		t.Errorf("%v", err)
	}
	if got, err := read(t, path, element.Int16, format.Choice{"member": "two"}); err != nil || !slices.Equal(words.View[int16](got), want()) {
		t.Errorf("%v, %v", got, err)
	}
}

// Every damage is told, with the name of the store and of the chunk, and takes no more memory than a chunk.
func TestHostileStores(t *testing.T) {
	little := binary.LittleEndian
	grid := func(of ...int) map[string]any {
		return map[string]any{"name": "regular", "configuration": map[string]any{"chunk_shape": of}}
	}
	with := func(name string, data []byte, of map[string][]byte) map[string][]byte { of[name] = data; return of }
	flipped := withSum(chunks(little, plain)["c/0/1"])
	flipped[3] ^= 4
	for _, c := range []struct {
		name    string
		changes map[string]any
		files   map[string][]byte
		want    string
	}{
		{"shape beyond memory", map[string]any{"shape": []int{1 << 40, 1 << 40}}, nil, "cannot be"},
		{"negative shape", map[string]any{"shape": []int{-3, 5}}, nil, "cannot be"},
		{"chunks of nothing", map[string]any{"chunk_grid": grid(0, 4)}, nil, "cannot be"},
		{"chunks beyond memory", map[string]any{"chunk_grid": grid(1<<20, 1<<20)}, nil, "cannot be"},
		{"chunks of other dims", map[string]any{"chunk_grid": grid(2)}, nil, "chunks of 1 dimensions"},
		{"another grid", map[string]any{"chunk_grid": map[string]any{"name": "rectilinear"}}, nil, "rectilinear"},
		{"no codecs", map[string]any{"codecs": []any{}}, nil, "nothing first"},
		{"turned", map[string]any{"codecs": []any{map[string]any{"name": "transpose"}}}, nil, "transpose first"},
		{"sharded", map[string]any{"codecs": []any{map[string]any{"name": "sharding_indexed"}}}, nil, "sharding_indexed first"},
		{"blosc", map[string]any{"codecs": codec("blosc")}, nil, "blosc; crc32c, gzip, zstd are read"},
		{"no order of bytes", map[string]any{"codecs": []any{map[string]any{"name": "bytes"}}}, nil, "order of bytes is not told"},
		{"strings", map[string]any{"data_type": "string"}, nil, `"string"`},
		{"a type with parameters", map[string]any{"data_type": map[string]any{"name": "r16"}}, nil, "r16"},
		{"no fill value", map[string]any{"fill_value": nil}, nil, "not told"},
		{"fill value too large", map[string]any{"fill_value": 40000}, nil, "40000 as the value"},
		{"fill value of another type", map[string]any{"fill_value": "x"}, nil, "as the value"},
		{"storage transformers", map[string]any{"storage_transformers": []any{map[string]any{}}}, nil, "storage transformers"},
		{"version 4", map[string]any{"zarr_format": 4}, nil, "version 4"},
		{"no array", map[string]any{"node_type": "leaf"}, nil, "neither an array nor a group"},
		{"names out of the store", map[string]any{"chunk_key_encoding": map[string]any{"name": "default", "configuration": map[string]any{"separator": "/../"}}}, nil, "between the numbers"},
		{"short chunk", nil, with("c/1/0", []byte("short"), chunks(little, plain)), "chunk c/1/0 holds 5 bytes, and 16 are right"},
		{"oversized chunk", nil, with("c/1/0", make([]byte, 1<<16), chunks(little, plain)), "c/1/0 in it has 65536 bytes, and at most 16"},
		{"chunk that is a folder", nil, with("c/1/0/x", nil, map[string][]byte{}), "c/1/0 in it is not a regular file"},
		{"wrong checksum", map[string]any{"codecs": codec("crc32c")}, with("c/0/1", flipped, chunks(little, withSum)), "crc32c: its checksum is"},
		{"short, with a checksum", map[string]any{"codecs": codec("crc32c")}, with("c/0/1", flipped[:7], chunks(little, withSum)), "is truncated: chunk c/0/1 holds 7 bytes, and 20 are right"},
		{"cut zstd", map[string]any{"codecs": codec("zstd")}, with("c/0/0", zstdOf([]byte("sixteen bytes..."))[:12], chunks(little, zstdOf)), "is truncated: chunk c/0/0 ends before it is unpacked by zstd"},
		{"a checksum alone", map[string]any{"codecs": codec("crc32c")}, with("c/0/1", []byte("abc"), chunks(little, withSum)), "is truncated: chunk c/0/1 holds 3 bytes, and 20 are right"},
		{"gzip bomb", map[string]any{"codecs": codec("gzip")}, with("c/0/0", gzipped(make([]byte, 1<<20)), chunks(little, gzipped)), "chunk c/0/0 holds 17 bytes"},
		{"zstd bomb", map[string]any{"codecs": codec("zstd")}, with("c/0/0", zstdOf(make([]byte, 1<<24)), chunks(little, zstdOf)), "0 cannot be unpacked by zstd"},
		{"cut gzip", map[string]any{"codecs": codec("gzip")}, with("c/0/0", gzipped(make([]byte, 16))[:12], chunks(little, gzipped)), "is truncated: chunk c/0/0 ends before it is unpacked by gzip"},
		{"no zstd", map[string]any{"codecs": codec("zstd")}, with("c/0/0", []byte("no such frame"), chunks(little, zstdOf)), "0 cannot be unpacked by zstd"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := made(t, c.changes, c.files)
			_, err := read(t, path, element.Int16, nil)
			var e *fileio.Error
			if !errors.As(err, &e) || !strings.HasPrefix(e.Path, path) || !strings.Contains(e.Reason, c.want) || e.Help == "" {
				t.Errorf("%v; want a reason with %q, and what to do", err, c.want)
			}
		})
	}
	t.Run("a link out of the store", func(t *testing.T) {
		path := made(t, nil, chunks(little, plain))
		outside := filepath.Join(t.TempDir(), "secret")
		if err := errors.Join(os.WriteFile(outside, make([]byte, 16), 0o666), os.Remove(filepath.Join(path, "c/0/0")), os.Symlink(outside, filepath.Join(path, "c/0/0"))); err != nil {
			t.Fatal(err)
		}
		if _, err := read(t, path, element.Int16, nil); err == nil || !strings.Contains(err.Error(), "has a link, c/0/0, that leads nowhere or out of the store") {
			t.Errorf("a link out of the store was followed: %v", err)
		}
	})
	t.Run("a link to nothing", func(t *testing.T) {
		path := made(t, nil, chunks(little, plain))
		if err := errors.Join(os.Rename(filepath.Join(path, "c"), filepath.Join(path, "d")), os.Symlink("e", filepath.Join(path, "c"))); err != nil {
			t.Fatal(err)
		}
		if _, err := read(t, path, element.Int16, nil); err == nil || !strings.Contains(err.Error(), "has a link, c, that leads nowhere") {
			t.Errorf("chunks behind a link to nothing are taken for such as were never written: %v", err)
		}
	})
	t.Run("version 2", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "old.zarr")
		if err := errors.Join(os.Mkdir(path, 0o777), os.WriteFile(filepath.Join(path, ".zarray"), []byte("{}"), 0o666)); err != nil {
			t.Fatal(err)
		}
		if _, err := read(t, path, element.Int16, nil); err == nil || !strings.Contains(err.Error(), "version 2") {
			t.Errorf("%v", err)
		}
	})
}

func FuzzDescription(f *testing.F) {
	text, err := os.ReadFile(filepath.Join(made(f, nil, nil), "zarr.json"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text, []byte("0123456789abcdef"))
	f.Add(bytes.ReplaceAll(text, []byte(`"codecs":[`), []byte(`"codecs":["gzip",`)), gzipped([]byte("0123456789abcdef")))
	f.Add(bytes.ReplaceAll(text, []byte(`{"chunk_grid"`), []byte(`{"attributes":{"_FillValue":3.0,"scale_factor":[2],"units":"m s-1","_Unsigned":"true"},"dimension_names":["y",null],"chunk_grid"`)), make([]byte, 16))
	f.Add(bytes.ReplaceAll(text, []byte(`"int16"`), []byte(`"complex64"`)), zstdOf(make([]byte, 64)))
	f.Fuzz(func(t *testing.T, description, chunk []byte) {
		path := t.TempDir()
		err := errors.Join(os.WriteFile(filepath.Join(path, "zarr.json"), description, 0o666), os.MkdirAll(filepath.Join(path, "c/0"), 0o777),
			os.WriteFile(filepath.Join(path, "c/0/0"), chunk, 0o666), os.WriteFile(filepath.Join(path, "0.0"), chunk, 0o666))
		if err != nil {
			t.Fatal(err)
		}
		in, err := open(path, nil)
		if err != nil {
			return
		}
		defer in.Close()
		about := in.About()
		few := make(region.Region, len(about.Shape))
		bytes := about.DType.Size()
		for i, n := range about.Shape {
			few[i].Hi = min(n, 3)
			bytes *= few[i].Hi
		}
		if in.(*array).chunkBytes() > 1<<20 || bytes > 1<<20 {
			return
		}
		_ = in.Read(words.Bytes(bytes), about.DType, 0, few)
	})
}

// Chunks that are not there take no memory, however large they would be.
func TestLargeChunksThatAreMissing(t *testing.T) {
	path := made(t, map[string]any{"shape": []int{1 << 14, 1 << 14}, "chunk_grid": map[string]any{"name": "regular", "configuration": map[string]any{"chunk_shape": []int{1 << 14, 1 << 14}}}}, nil)
	in, err := open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var before, after runtime.MemStats
	part := words.Bytes(2 << 20)
	runtime.ReadMemStats(&before)
	err = in.Read(part, element.Int16, 0, region.Region{{Lo: 5, Hi: 5 + 1<<10}, {Lo: 7, Hi: 7 + 1<<10}})
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; err != nil || took > 4<<20 {
		t.Errorf("%v, with %d bytes of memory", err, took)
	}
	if v := words.View[int16](part); v[0] != 7 || v[len(v)-1] != 7 {
		t.Errorf("filled with %d and %d", v[0], v[len(v)-1])
	}
}

// Arrays that are not read leave nothing open.
func TestBadMembersAreClosed(t *testing.T) {
	const open = "/proc/self/fd"
	if _, err := os.Stat(open); err != nil {
		t.Skip("nothing tells which files are open: ", err)
	}
	path := made(t, map[string]any{"node_type": "group"}, nil)
	if err := os.Rename(made(t, map[string]any{"data_type": "string"}, nil), filepath.Join(path, "a")); err != nil {
		t.Fatal(err)
	}
	count := func() int {
		names, err := os.ReadDir(open)
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	before := count()
	for range 20 {
		if _, err := read(t, path, element.Int16, nil); err == nil || !strings.HasPrefix(err.Error(), path+"[a]: ") {
			t.Fatal(err)
		}
	}
	if after := count(); after > before+5 {
		t.Errorf("%d files are open, %d were", after, before)
	}
}

// What is replaced while it is read does not become what chunks that are not there stand for.
func TestReplacedWhileRead(t *testing.T) {
	path := made(t, nil, chunks(binary.LittleEndian, plain))
	in, err := open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if err := in.Read(words.Bytes(30), element.Int16, 0, region.Whole(3, 5)); err == nil || !strings.Contains(err.Error(), "was replaced or removed while it was read") {
		t.Errorf("%v", err)
	}
}
