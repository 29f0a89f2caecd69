package words

import (
	"slices"
	"testing"
)

func TestWords(t *testing.T) {
	b := Raw([]uint16{0x0102, 0x0304})
	Swap(b, 2)
	if got := View[uint16](b); !slices.Equal(got, []uint16{0x0201, 0x0403}) {
		t.Errorf("swapped by 2: %x", got)
	}
	eight := Bytes(16)
	for i := range eight {
		eight[i] = byte(i)
	}
	for word, first := range map[int]byte{0: 0, 1: 0, 2: 1, 4: 3, 8: 7} {
		c := append(Bytes(0), eight...)
		Swap(c, word)
		if c[0] != first || c[15] != 15-first {
			t.Errorf("swapped by %d: % x", word, c)
		}
	}
	if !Aligned(eight, 16) || Aligned(eight[1:], 2) || !Aligned(eight[1:], 1) || !Aligned(nil, 8) {
		t.Error("alignment")
	}
	if r := Resized(eight, 4); len(r) != 4 || r[3] != 3 {
		t.Errorf("resized to % x", r)
	}
	if r := Resized(nil, 5); len(r) != 5 || !Aligned(r, 8) {
		t.Errorf("made of nothing: %d bytes", len(r))
	}
}
