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
		written, err := s.in(at, len(list))
		return cmp.Or(err, s.prove(written, at, 1, in(at)))
	}
	for _, m := range s.made {
		if err := s.sign(m, in(m.Box)); err != nil {
			t.Fatal(err)
		}
	}
	holds := func(k int) error { return s.holds(s.made[k], []int{rows, columns}, 1) }
	if holds(0) == nil {
		t.Error("a tile that was signed and is not there is whole")
	}
	if _, err := f.WriteAt(data, 0); err != nil || cmp.Or(holds(0), holds(1), holds(2)) != nil {
		t.Errorf("tiles that are there: %v, %v", err, cmp.Or(holds(0), holds(1), holds(2)))
	}
	if _, err := f.WriteAt([]byte("x"), 2*columns+1); err != nil || holds(0) != nil || holds(1) == nil {
		t.Errorf("with a byte of the second changed: %v, %v, %v", err, holds(0), holds(1))
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

// What is made again lies in two places in turn, in the end in that of the array: what a task has before it is there until the next but one has made it.
func TestTilesThatAreMadeAgain(t *testing.T) {
	box, other := region.Region{{Hi: 2}, {Hi: 4}}, region.Region{{Lo: 2, Hi: 4}, {Hi: 4}}
	order := []region.Region{box, other, box, box}
	list := ops.Tasks{Count: len(order), At: func(k int) ops.Task { return ops.Task{Makes: []ops.Tile{{Box: order[k]}}} }}
	s := newSums(list, 16)
	if want := int64(16 + 4*2*sumBytes + 16); s.size != want {
		t.Fatalf("a file of %d bytes, and %d were wanted", s.size, want)
	}
	places := []int64{0, 0, s.size - 16, 0}
	for k := range order {
		if m := s.of(k)[0]; m.place != places[k] {
			t.Errorf("task %d makes its tile at %d", k, m.place)
		}
	}
	for task, made := range []int{-1, 0, 0, 2, 3} {
		m := s.before(task, box)
		if made < 0 && m != nil || made >= 0 && (m == nil || m.task != made) {
			t.Errorf("before task %d the tile is %+v", task, m)
		}
	}
	path := filepath.Join(t.TempDir(), "a.tiles")
	f, err := openTiles(path, false, s.size)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s.file = f
	data := []byte("abcdefghijklmnop")
	d := &Disk{list: list, sums: s}
	for k, at := range order {
		for i := range data {
			data[i]++
		}
		row := func(index []int) []byte { return data[4*index[0] : 4*index[0]+4] }
		for index := range rowsOf(at).Indices() {
			if _, err := f.WriteAt(row(index), s.of(k)[0].place+int64(4*index[0])); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.sign(s.of(k)[0], row); err != nil {
			t.Fatal(err)
		}
		for _, m := range s.made[:k+1] { // what is there after it, and what that was made from
			now := s.before(k+1, m.Box)
			want := m.task == now.task || m.task == s.before(now.task, m.Box).task
			if got := s.holds(m, []int{4, 4}, 1) == nil; got != want {
				t.Errorf("after task %d, what task %d made is whole: %v", k, m.task, got)
			}
		}
	}
	for task, want := range []bool{false, false, false, true} {
		d.sure = 0
		if got := d.Overwrites(task); got != want {
			t.Errorf("task %d overwrites what a checkpoint of none needs: %v", task, got)
		}
		if d.sure = 3; d.Overwrites(task) {
			t.Errorf("task %d overwrites what a checkpoint of three tasks does not need", task)
		}
	}
}
