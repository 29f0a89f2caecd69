package zarr

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/kernels/region"
	"weft/ops/files/element"
	"weft/ops/files/words"
)

// Rows of chunks that are long and not packed are read by themselves: no memory is taken for the rest, and all that can be wrong with a chunk is told as of others.
func TestRowsOfPlainChunks(t *testing.T) {
	const rows, columns, high, wide = 5, 5000, 2, 4096
	at := func(i, j int) int16 {
		if i/high == 1 && j/wide == 1 { // the chunk that was never written
			return 7
		}
		return int16(i*columns + j)
	}
	random := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		endian string
		order  binary.AppendByteOrder
	}{{"little", binary.LittleEndian}, {"big", binary.BigEndian}} {
		files := map[string][]byte{}
		for y := range (rows + high - 1) / high {
			for x := range (columns + wide - 1) / wide {
				var data []byte
				for k := range high * wide {
					data = c.order.AppendUint16(data, uint16(at(y*high+k/wide, x*wide+k%wide)))
				}
				files[fmt.Sprintf("c/%d/%d", y, x)] = data
			}
		}
		delete(files, "c/1/1")
		path := made(t, map[string]any{"shape": []int{rows, columns}, "codecs": []any{map[string]any{"name": "bytes", "configuration": map[string]any{"endian": c.endian}}},
			"chunk_grid": map[string]any{"name": "regular", "configuration": map[string]any{"chunk_shape": []int{high, wide}}}}, files)
		in, err := open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		if about := in.About(); about.Chunk != nil || about.Scratch != nil {
			t.Errorf("chunks %v are read together, with memory for them: %v", about.Chunk, about.Scratch != nil)
		}
		for range 40 {
			part := region.Region{interval(random, rows), interval(random, columns)}
			n := int(part.Points())
			as, wider := words.Bytes(2*n), words.Bytes(8*n)
			for _, err := range []error{in.Read(as, element.Int16, 0, part), in.Read(wider, element.Float64, 0, part)} {
				if err != nil {
					t.Fatal(err)
				}
			}
			for k := range n {
				want := at(part[0].Lo+k/part[1].Len(), part[1].Lo+k%part[1].Len())
				if got, wide := words.View[int16](as)[k], words.View[float64](wider)[k]; got != want || wide != float64(want) {
					t.Fatalf("%s endian, %v, element %d: %d and %g, want %d", c.endian, part, k, got, wide, want)
				}
			}
		}
		for text, n := range map[string]int64{"is truncated: chunk c/0/0 holds 100 bytes, and 16384 are right": 100, "has 16385 bytes, and at most 16384 are right": 16385} {
			if err := os.Truncate(filepath.Join(path, "c/0/0"), n); err != nil {
				t.Fatal(err)
			}
			if err := in.Read(words.Bytes(20), element.Int16, 0, region.Region{{Hi: 1}, {Hi: 10}}); err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("%v, want %s", err, text)
			}
		}
	}
}

func interval(random *rand.Rand, n int) region.Interval {
	lo := random.IntN(n)
	return region.Interval{Lo: lo, Hi: lo + 1 + random.IntN(n-lo)}
}
