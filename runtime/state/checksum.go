package state

import (
	"cmp"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"

	"weft/kernels/region"
	"weft/ops"
	"weft/ops/problem"
)

// Behind the output, its file has a number for each row of the tiles that tasks make, in their order: the checksum of what was written, so that what
// comes back otherwise is found where it is read, by whom and however much of it.

const sumBytes = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sums is where a file has the checksums of tiles.
type sums struct {
	file  *os.File
	bytes int64 // of the output, and the size of the file
	size  int64
	tiles []ops.Tile
	at    []int64
}

// newSums lays out the checksums of what tasks make, behind so many bytes.
func newSums(list ops.Tasks, bytes int64) *sums {
	s := &sums{bytes: bytes, size: bytes}
	for k := range list.Count {
		for _, t := range list.At(k).Makes {
			s.tiles, s.at = append(s.tiles, t), append(s.at, s.size)
			s.size += rowsOf(t.Box).Points() * sumBytes
		}
	}
	return s
}

// rowsOf are the rows of a box.
func rowsOf(at region.Region) region.Region { return at[:len(at)-1] }

// sign writes the checksums of a tile of which row gives the elements.
func (s *sums) sign(t ops.Tile, row func(index []int) []byte) error {
	for k, u := range s.tiles {
		if !u.Box.Equal(t.Box) {
			continue
		}
		var all []byte
		for index := range rowsOf(t.Box).Indices() {
			all = binary.LittleEndian.AppendUint32(all, crc32.Checksum(row(index), castagnoli))
		}
		_, err := s.file.WriteAt(all, s.at[k])
		return err
	}
	return errors.New("a tile is written that no task makes")
}

// signed are a tile's checksums.
type signed struct {
	tile ops.Tile
	sums []byte
}

// of reads the checksums of the tiles of which a box has whole rows.
func (s *sums) of(at region.Region) (out []signed, err error) {
	last := len(at) - 1
	for k, t := range s.tiles {
		if t.Box[0].Lo >= at[0].Hi || t.Box[0].Hi <= at[0].Lo { // there may be many tiles
			continue
		}
		both := t.Box.Intersect(at)
		if both.Empty() || both[last] != t.Box[last] {
			continue
		}
		all := make([]byte, rowsOf(t.Box).Points()*sumBytes)
		if _, err := s.file.ReadAt(all, s.at[k]); err != nil {
			return nil, err
		}
		out = append(out, signed{t, all})
	}
	return out, nil
}

// Whole reports whether the file holds what tasks made, from one to before another.
func (s *State) Whole(from, to int) bool {
	d := s.Disk
	for k := from; k < min(to, d.list.Count); k++ {
		for _, t := range d.list.At(k).Makes {
			if d.sums.holds(t.Box, d.out.buffer.Layout.Shape(), d.out.elem()) != nil {
				return false
			}
		}
	}
	return true
}

// holds compares what the file has of a tile of an array with what was written.
func (s *sums) holds(at region.Region, shape []int, elem int) error {
	last := at[len(at)-1]
	written, err := s.of(at)
	row := make([]byte, last.Len()*elem)
	read := func(index []int) []byte {
		if _, fault := s.file.ReadAt(row, offset(shape, index, last.Lo)*int64(elem)); err == nil {
			err = fault
		}
		return row
	}
	if err == nil {
		fault := s.prove(written, at, elem, read)
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
