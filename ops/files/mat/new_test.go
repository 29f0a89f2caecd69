package mat

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"weft/ops/files/element"
	"weft/ops/files/words"
)

// A file as MATLAB 7.3 writes it (hdf5/testdata/make.py): extents in the other order, structures as groups.
func TestNewFiles(t *testing.T) {
	const path = "testdata/new.mat"
	parts, err := list(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	for _, p := range parts {
		said[p.Name] = fmt.Sprint(p.Not, p.Dims)
	}
	for name, want := range map[string]string{"a": "[axis0 axis1]", "s.row": "[axis0]", "s.flag": "[axis0 axis1]", "text": "is a text[axis0]", "none": "is empty[axis0]", "z": "[axis0 axis1]",
		"m.value": "[entry]", "m.row": "[entry]", "m.start": "[start]",
		"s.dose.value": "[entry]", "s.dose.row": "[entry]", "s.dose.start": "[start]", "outer.deep": "[axis0]", "two": "is a list of what is no number[axis0]"} {
		if said[name] != want {
			t.Errorf("%s: %s, want %s", name, said[name], want)
		}
	}
	if len(said) != 14 {
		t.Errorf("%v", said)
	}
	all, err := partsOf(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range *all {
		if p.not != "" {
			continue
		}
		raw, err := p.from(bytes.NewReader(file))
		if err != nil {
			t.Errorf("%s: %v", p.name, err)
			continue
		}
		got := fmt.Sprint(p.class, p.shape, " ", shown(p.class, raw))
		want := map[string]string{ // the file has them column by column
			"a":       "float64 [3 4] [0 3 6 9 1 4 7 10 2 5 8 11]",
			"s.row":   "float32 [5] [0 1 2 3 4]",
			"s.flag":  "bool [2 3] [0 0 0 1 1 1]",
			"z":       "complex128 [3 2] [(0+1i) (3+1i) (1+1i) (4+1i) (2+1i) (5+1i)]",
			"m.value": "float64 [3] [1 2 3]", "m.row": "int32 [3] [0 2 3]", "m.start": "int32 [4] [0 2 2 3]",
			"s.dose.value": "float64 [1] [5]", "s.dose.row": "int32 [1] [1]", "s.dose.start": "int32 [2] [0 1]", "outer.deep": "float64 [3] [0 1 2]",
		}[p.name]
		if got != want {
			t.Errorf("%s: %s, want %s", p.name, got, want)
		}
	}
	for n := 128; n < len(file); n += 301 {
		if _, err := find(bytes.NewReader(file[:n]), int64(n)); err == nil {
			t.Errorf("%d bytes of %d are a file", n, len(file))
		}
	}
	spoilt := bytes.Clone(file)
	at := bytes.Index(spoilt, words.Raw([]uint64{0, 2, 2, 3}))
	spoilt[at+8] = 9
	parts2, err := find(bytes.NewReader(spoilt), int64(len(spoilt)))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range parts2 {
		if p.name == "m.start" {
			if _, err := p.from(bytes.NewReader(spoilt)); err == nil || !strings.Contains(err.Error(), "has to be 0 to 3") {
				t.Error(err)
			}
		}
	}
}

func shown(d element.DType, raw []byte) string {
	switch d {
	case element.Float64:
		return fmt.Sprint(words.View[float64](raw))
	case element.Float32:
		return fmt.Sprint(words.View[float32](raw))
	case element.Complex128:
		return fmt.Sprint(words.View[complex128](raw))
	case element.Int32:
		return fmt.Sprint(words.View[int32](raw))
	}
	return fmt.Sprint(raw)
}
