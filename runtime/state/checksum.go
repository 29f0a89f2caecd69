package state

import (
	"cmp"
	"encoding/binary"
	"hash/crc32"
	"os"
	"slices"

	"weft/kernels/region"
	"weft/ops"
	"weft/ops/problem"
)

// Behind the output, its file has a number for each row of the tiles that tasks make, in their order: the checksum of what was written, so that what
// comes back otherwise is found where it is read, by whom and however much of it. Behind these it has room for the output once more, where tasks make tiles again:
// what one of them makes lies in the two places in turn, and in the end in the first, so that what a task has before it is there until the next one has made the tile.

const sumBytes = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sums is where a file has what tasks make, and the checksums of it.
type sums struct {
	file  *os.File
	size  int64 // of the file
	made  []version
	first []int          // of each task, the first that it makes
	boxes [][]int        // of each box what is made of it, one after the other
	box   map[string]int // its number
}

// version is a tile as a task makes it.
type version struct {
	ops.Tile
	task  int
	place int64 // where the array begins that the file has it in
	at    int64 // of its checksums
}

// newSums lays out what tasks make, and its checksums, of an output of so many bytes.
func newSums(list ops.Tasks, bytes int64) *sums {
	s := &sums{size: bytes, box: map[string]int{}}
	again := false
	for k := range list.Count {
		s.first = append(s.first, len(s.made))
		for _, t := range list.At(k).Makes {
			key := t.Box.String()
			box, there := s.box[key]
			if again = again || there; !there {
				box = len(s.boxes)
				s.box[key], s.boxes = box, append(s.boxes, nil)
			}
			s.boxes[box] = append(s.boxes[box], len(s.made))
			s.made = append(s.made, version{Tile: t, task: k, at: s.size})
			s.size += rowsOf(t.Box).Points() * sumBytes
		}
	}
	s.first = append(s.first, len(s.made))
	if !again {
		return s
	}
	for _, list := range s.boxes {
		for i, k := range list {
			if (len(list)-1-i)%2 == 1 {
				s.made[k].place = s.size
			}
		}
	}
	s.size += bytes
	return s
}

// rowsOf are the rows of a box.
func rowsOf(at region.Region) region.Region { return at[:len(at)-1] }

// of is what a task makes.
func (s *sums) of(task int) []version { return s.made[s.first[task]:s.first[task+1]] }

// sign writes the checksums of what a task made, of which row gives the elements.
func (s *sums) sign(m version, row func(index []int) []byte) error {
	var all []byte
	for index := range rowsOf(m.Box).Indices() {
		all = binary.LittleEndian.AppendUint32(all, crc32.Checksum(row(index), castagnoli))
	}
	_, err := s.file.WriteAt(all, m.at)
	return err
}

// before is what a box was made to before a task; nil: nothing makes it, or not before that.
func (s *sums) before(task int, at region.Region) *version {
	if box, made := s.box[at.String()]; made {
		return s.last(box, task)
	}
	return nil
}

// last is the same by the number of the box.
func (s *sums) last(box, task int) *version {
	for _, k := range slices.Backward(s.boxes[box]) {
		if m := &s.made[k]; m.task < task {
			return m
		}
	}
	return nil
}

// signed are a tile's checksums.
type signed struct {
	tile ops.Tile
	sums []byte
}

// in are those of the tiles, as they are before a task, of which a box has whole rows.
func (s *sums) in(at region.Region, task int) (out []signed, err error) {
	last := len(at) - 1
	for box, list := range s.boxes {
		whole := s.made[list[0]].Box
		if whole[0].Lo >= at[0].Hi || whole[0].Hi <= at[0].Lo { // there may be many tiles
			continue
		}
		both := whole.Intersect(at)
		if m := s.last(box, task); m != nil && !both.Empty() && both[last] == whole[last] {
			if out, err = s.append(out, *m); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// append adds the checksums of a tile.
func (s *sums) append(to []signed, m version) ([]signed, error) {
	all := make([]byte, rowsOf(m.Box).Points()*sumBytes)
	_, err := s.file.ReadAt(all, m.at)
	return append(to, signed{m.Tile, all}), err
}

// Whole reports whether the file holds what tasks made, from one to before another, and none of these made again.
func (s *State) Whole(from, to int) bool {
	d := s.Disk
	for k := from; k < min(to, d.list.Count); k++ {
		for _, m := range d.sums.of(k) {
			if d.sums.before(to, m.Box).task == k && d.sums.holds(m, d.out.buffer.Layout.Shape(), d.out.elem()) != nil {
				return false
			}
		}
	}
	return true
}

// holds compares what the file has of a tile of an array with what was written.
func (s *sums) holds(m version, shape []int, elem int) error {
	last := m.Box[len(m.Box)-1]
	written, err := s.append(nil, m)
	row := make([]byte, last.Len()*elem)
	read := func(index []int) []byte {
		if _, fault := s.file.ReadAt(row, m.place+offset(shape, index, last.Lo)*int64(elem)); err == nil {
			err = fault
		}
		return row
	}
	if err == nil {
		fault := s.prove(written, m.Box, elem, read)
		err = cmp.Or(err, fault)
	}
	return err
}

// prove compares a box that was read, of which row gives the elements, with what was written. Rows of tiles that it has parts of are not looked at.
func (s *sums) prove(written []signed, at region.Region, elem int, row func(index []int) []byte) error {
	last := len(at) - 1
	for _, w := range written {
		t, both := w.tile, w.tile.Box.Intersect(at)
		if both.Empty() {
			continue
		}
		from, to := (both[last].Lo-at[last].Lo)*elem, (both[last].Hi-at[last].Lo)*elem
		for index := range rowsOf(both).Indices() {
			n := 0
			for d, x := range index {
				n = n*t.Box[d].Len() + x - t.Box[d].Lo
			}
			if binary.LittleEndian.Uint32(w.sums[n*sumBytes:]) != crc32.Checksum(row(index)[from:to], castagnoli) {
				return problem.Wrong(problem.DamagedTile, "", "run without --resume to start afresh; if it comes again, the disk is at fault",
					"row %v of the tile %v is not what was written to %s", index, t.Box, s.file.Name())
			}
		}
	}
	return nil
}
