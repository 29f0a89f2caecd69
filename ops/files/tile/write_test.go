package tile

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"weft/kernels/region"
	"weft/ops"
	"weft/ops/files/element"
)

// Zeros that are left out are there, wherever they begin and end, and are written where an earlier run left something else.
func TestZerosAreThere(t *testing.T) {
	const n = 300_000
	random := rand.New(rand.NewPCG(1, 2))
	want := make([]byte, n)
	for at := 0; at < n; at += 1 + random.IntN(60_000) {
		for i := at; i < min(n, at+random.IntN(20_000)); i++ {
			want[i] = byte(random.IntN(256))
		}
	}
	f := File{DType: element.Uint8, Shape: []int{n}, Head: []byte("head"), Tail: []byte("tail")}
	path := filepath.Join(t.TempDir(), "a")
	write := func(w *Writer, from int, data []byte) {
		t.Helper()
		part := w.Part(region.Region{{Lo: from, Hi: from + len(data)}})
		for len(data) > 0 {
			k := 1 + random.IntN(min(len(data), 50_000))
			if got, err := part.Write(data[:k]); got != k || err != nil {
				t.Fatalf("%d of %d bytes: %v", got, k, err)
			}
			data = data[k:]
		}
	}
	commit := func(w *Writer) {
		t.Helper()
		if err := w.Commit(false); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(got, append(append([]byte("head"), want...), "tail"...)) {
			t.Errorf("%v, or the bytes are others", err)
		}
	}
	w, err := f.Create(path, true, nil)
	if err != nil {
		t.Fatal(err)
	}
	write(w, 0, want)
	commit(w)

	if w, err = f.Create(path, true, nil); err != nil {
		t.Fatal(err)
	}
	half := region.Region{{Hi: n / 2}}
	write(w, 0, want[:n/2])
	write(w, n/2, bytes.Repeat([]byte{1}, n/4)) // of which nothing is known when it is gone on with
	if err := w.Suspend(); err != nil {
		t.Fatal(err)
	}
	if w, err = f.Create(path, true, []ops.Mark{{There: half}}); err != nil {
		t.Fatal(err)
	}
	write(w, n/2, want[n/2:])
	commit(w)
}
