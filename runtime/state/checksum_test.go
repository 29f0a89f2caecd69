package state

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/kernels/region"
	"weft/ops"
)

// A byte that was changed on disk is found in whatever is read of its row, and where it is.
func TestChangedTilesAreFound(t *testing.T) {
	const rows, columns = 4, 6
	whole := region.Whole(rows, columns)
	tile := func(r, c region.Interval) ops.Tile { return ops.Tile{Box: region.Region{r, c}} }
	top, bottom := region.Interval{Hi: 2}, region.Interval{Lo: 2, Hi: rows}
	left, right := region.Interval{Hi: 2}, region.Interval{Lo: 2, Hi: columns}
	made := []ops.Tile{tile(top, left), tile(bottom, left), tile(bottom, right)} // the fourth one is never made
	var list []ops.Task
	for _, m := range made {
		list = append(list, ops.Task{Makes: []ops.Tile{m}})
	}
	s := newSums(ops.Tasks{Count: len(list), At: func(k int) ops.Task { return list[k] }}, rows*columns)
	if s.size != rows*columns+6*sumBytes {
		t.Fatalf("a file of %d bytes", s.size)
	}
	f, err := openTiles(filepath.Join(t.TempDir(), "a.tiles"), false, s.size)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s.file = f
	data := []byte("abcdefghijklmnopqrstuvwx")
	in := func(at region.Region) func([]int) []byte {
		return func(i []int) []byte { return data[i[0]*columns+at[1].Lo : i[0]*columns+at[1].Hi] }
	}
	prove := func(at region.Region) error {
		written, err := s.of(at)
		return cmp.Or(err, s.prove(written, at, 1, in(at)))
	}
	for _, m := range made {
		if err := s.sign(m, in(m.Box)); err != nil {
			t.Fatal(err)
		}
	}
	holds := func(k int) error { return s.holds(made[k].Box, []int{rows, columns}, 1) }
	if holds(0) == nil {
		t.Error("a tile that was signed and is not there is whole")
	}
	if _, err := f.WriteAt(data, 0); err != nil || cmp.Or(holds(0), holds(1), holds(2)) != nil {
		t.Errorf("tiles that are there: %v, %v", err, cmp.Or(holds(0), holds(1), holds(2)))
	}
	if _, err := f.WriteAt([]byte("x"), 2*columns+1); err != nil || holds(0) != nil || holds(1) == nil {
		t.Errorf("with a byte of the second changed: %v, %v, %v", err, holds(0), holds(1))
	}
	if err := s.sign(tile(top, right), in(whole)); err == nil {
		t.Error("a tile that no task makes is signed")
	}
	boxes := []region.Region{whole, made[2].Box, {{Lo: 3, Hi: 4}, {Hi: columns}}, {bottom, {Lo: 1, Hi: columns}}}
	for _, at := range boxes {
		if err := prove(at); err != nil {
			t.Errorf("%v: %v", at, err)
		}
	}
	data[3*columns+5] ^= 1
	for _, at := range boxes {
		if err := prove(at); err == nil || !strings.Contains(err.Error(), "row [3]") {
			t.Errorf("%v, changed: %v", at, err)
		}
	}
	if err := prove(made[1].Box); err != nil {
		t.Errorf("another tile: %v", err)
	}
	data[3*columns+5] ^= 1
	if err := os.Truncate(f.Name(), s.size-1); err != nil {
		t.Fatal(err)
	}
	if err := prove(whole); err == nil {
		t.Error("checksums that are cut off are taken")
	}
}
