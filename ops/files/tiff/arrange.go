package tiff

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"weft/ops/files/fileio"
	"weft/ops/files/words"
)

// A finished file is a Cloud Optimized GeoTIFF (OGC 21-026): a reader over a network finds the directories in the first bytes and what they need
// of a reduced copy in few requests. Behind the header come all directories, the raster's first, then the elements of the smallest
// copy, of the larger ones, and of the raster, block after block. What was written so far is a file of blocks in any order; they are put in order
// into another one, so that a run that is cut off here goes on with the blocks as they were.

// structure tells GDAL how the file is laid out.
const structure = "LAYOUT=IFDS_BEFORE_DATA\nBLOCK_ORDER=ROW_MAJOR\nKNOWN_INCOMPATIBLE_EDITION=NO\n "

// maxClassic is the most bytes of a file whose offsets have 32 bits.
var maxClassic int64 = math.MaxUint32

// arrange writes the finished file.
func (w *Writer) arrange() (*fileio.Pending, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.written != len(w.table) {
		return nil, fmt.Errorf("%d blocks of %d were written completely", w.written, len(w.table))
	}
	resolutions, err := w.resolutions()
	if err != nil {
		return nil, err
	}
	head, err := w.head(resolutions)
	if err != nil {
		return nil, err
	}
	final, err := fileio.Create(w.pending.Path())
	if err != nil {
		return nil, err
	}
	if err := w.fill(final, head, resolutions); err != nil {
		return nil, errors.Join(err, final.Abort())
	}
	return final, nil
}

// head is what comes before the elements.
func (w *Writer) head(resolutions []resolution) ([]byte, error) {
	e := encoder{order: binary.LittleEndian, big: w.header.Big}
	if w.header.BigEndian {
		e.order = binary.BigEndian
	}
	for {
		// First for the size alone, which does not depend on where the blocks are.
		head, err := e.head(resolutions, make([][]place, len(resolutions)))
		if err != nil {
			return nil, err
		}
		places, end := arranged(resolutions, int64(len(head)))
		if e.big || end <= maxClassic {
			w.header.Big = e.big
			return e.head(resolutions, places)
		}
		e.big = true
	}
}

// arranged gives the blocks of all resolutions their places behind so many bytes, and the bytes of the file.
func arranged(resolutions []resolution, at int64) (places [][]place, end int64) {
	places = make([][]place, len(resolutions))
	for i := len(resolutions) - 1; i >= 0; i-- {
		for _, p := range resolutions[i].table {
			places[i] = append(places[i], place{at, p.bytes})
			at += p.bytes + p.bytes&1 // an even offset, as TIFF wants it
		}
	}
	return places, at
}

// head gives the header and the directories of blocks at these places, none where only the bytes count.
func (e encoder) head(resolutions []resolution, places [][]place) ([]byte, error) {
	b := e.header()
	b = fmt.Appendf(b, "GDAL_STRUCTURAL_METADATA_SIZE=%06d bytes\n%s", len(structure), structure)
	b = append(b, make([]byte, -len(b)&7)...)
	e.first(b, int64(len(b)))
	for i, l := range resolutions {
		table := places[i]
		if table == nil {
			table = make([]place, len(l.table))
		}
		fields, err := l.describe(table, e.big)
		if err != nil {
			return nil, err
		}
		b = append(b, e.directory(fields, int64(len(b)), i == len(resolutions)-1)...)
	}
	return b, nil
}

// fill writes the head and copies the blocks behind it.
func (w *Writer) fill(final *fileio.Pending, head []byte, resolutions []resolution) error {
	out := bufio.NewWriterSize(final, 1<<20)
	if _, err := out.Write(head); err != nil {
		return err
	}
	from := container{r: w.pending.File(), size: math.MaxInt64}
	var data []byte
	for i := len(resolutions) - 1; i >= 0; i-- {
		for _, p := range resolutions[i].table {
			n := int(p.bytes)
			data = words.Resized(data, n+n&1)
			clear(data[n:])
			if err := from.fill(data[:n], p.offset); err != nil {
				return err
			}
			if _, err := out.Write(data); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}
