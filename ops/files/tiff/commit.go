package tiff

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Commit writes what describes the raster and gives the file its name, once every element was written. With durable
// set it first waits until the bytes are on the disk. When it fails, no file is left.
func (w *Writer) Commit(durable bool) error {
	if err := w.describe(); err != nil {
		return errors.Join(w.fail(err), w.Abort())
	}
	return w.pending.Commit(durable)
}

// Rename says that the file is to have another name in its folder.
func (w *Writer) Rename(path string) error { return w.pending.Rename(path) }

// Abort removes what was written. After a Commit that succeeded it does nothing.
func (w *Writer) Abort() error { return w.pending.Abort() }

// describe writes the directory behind the blocks and the header before them.
func (w *Writer) describe() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.written != len(w.table) {
		return fmt.Errorf("%d blocks of %d were written completely", w.written, len(w.table))
	}
	fields, err := w.header.describe(w.table)
	if err != nil {
		return err
	}
	e := encoder{order: binary.LittleEndian, start: w.end}
	if w.header.BigEndian {
		e.order = binary.BigEndian
	}
	var room int64
	for _, f := range fields {
		room += int64(len(f.data)) + 32
	}
	w.header.Big = w.header.Big || w.end+room > maxClassic
	e.big = w.header.Big
	directory := e.directory(fields)
	if _, err := w.pending.WriteAt(directory, w.end); err != nil {
		return err
	}
	if _, err = w.pending.WriteAt(e.header(), 0); err != nil {
		return err
	}
	return w.pending.Truncate(w.end + int64(len(directory))) // behind it may be what an earlier run wrote
}

// maxClassic is the most bytes of a file whose offsets have 32 bits.
var maxClassic int64 = math.MaxUint32

// fieldOut is a field to be written.
type fieldOut struct {
	tag tag
	rawField
}

func longs(values []int64) rawField {
	f := rawField{kind: typeLong8, count: int64(len(values))}
	if slices.Max(values) <= math.MaxUint32 {
		f.kind = typeLong
	}
	for _, v := range values {
		if f.kind == typeLong {
			f.data = binary.LittleEndian.AppendUint32(f.data, uint32(v))
		} else {
			f.data = binary.LittleEndian.AppendUint64(f.data, uint64(v))
		}
	}
	return f
}

// describe gives the fields of the directory in ascending order.
func (h *Header) describe(table []place) ([]fieldOut, error) {
	var fields []fieldOut
	add := func(t tag, f rawField) {
		if f.count > 0 {
			fields = append(fields, fieldOut{t, f})
		}
	}
	short := func(t tag, v int) { add(t, shortsField([]uint16{uint16(v)})) }
	text := func(t tag, s string) {
		if s != "" {
			add(t, textField(s))
		}
	}
	short(tagBitsPerSample, 8*h.DType.Size())
	short(tagCompression, compressionCodes[h.Compression])
	short(tagPhotometric, 1)
	short(tagSamplesPerPixel, 1)
	short(tagPlanarConfig, 1)
	short(tagSampleFormat, int(formats[h.DType.Class()]))
	if h.Predictor != NoPredictor {
		short(tagPredictor, int(h.Predictor))
	}
	add(tagWidth, longs([]int64{int64(h.Width)}))
	add(tagHeight, longs([]int64{int64(h.Height)}))
	offsets, counts := make([]int64, len(table)), make([]int64, len(table))
	for i, p := range table {
		offsets[i], counts[i] = p.offset, p.bytes
	}
	if h.Tiled {
		add(tagTileWidth, longs([]int64{int64(h.BlockW)}))
		add(tagTileHeight, longs([]int64{int64(h.BlockH)}))
		add(tagTileOffsets, longs(offsets))
		add(tagTileByteCounts, longs(counts))
	} else {
		add(tagRowsPerStrip, longs([]int64{int64(h.BlockH)}))
		add(tagStripOffsets, longs(offsets))
		add(tagStripByteCounts, longs(counts))
	}
	for i, g := range geoTags {
		add(g.tag, h.Geo.fields[i])
	}
	if h.Nodata != nil {
		text(tagNodata, strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(*h.Nodata, 'g', -1, 64), "+")))
	}
	metadata, err := encodeScale(h.Scale, h.Offset)
	if err != nil {
		return nil, err
	}
	text(tagMetadata, metadata)
	text(tagSoftware, h.Software)
	text(tagDescription, h.Description)
	slices.SortFunc(fields, func(a, b fieldOut) int { return int(a.tag) - int(b.tag) })
	return fields, nil
}

// compressionCodes are the values of the tag Compression that are written.
var compressionCodes = map[Compression]int{None: 1, LZW: 5, Deflate: 8}

// encoder lays out a directory that begins at start, an even offset.
type encoder struct {
	order binary.ByteOrder
	big   bool
	start int64
}

// uint appends an integer of so many bytes.
func (e encoder) uint(b []byte, bytes int, v int64) []byte {
	all := make([]byte, 8)
	switch bytes {
	case 2:
		e.order.PutUint16(all, uint16(v))
	case 4:
		e.order.PutUint32(all, uint32(v))
	default:
		e.order.PutUint64(all, uint64(v))
	}
	return append(b, all[:bytes]...)
}

// header is the first bytes of the file. In a classic file the room for those of a BigTIFF file stays unused.
func (e encoder) header() []byte {
	mark := "II"
	if e.order == binary.ByteOrder(binary.BigEndian) {
		mark = "MM"
	}
	b := []byte(mark)
	if !e.big {
		return e.uint(e.uint(b, 2, 42), 4, e.start)
	}
	return e.uint(e.uint(e.uint(e.uint(b, 2, 43), 2, 8), 2, 0), 8, e.start)
}

// directory gives the bytes of the directory followed by the values that do not fit its entries.
func (e encoder) directory(fields []fieldOut) []byte {
	counter, inline := 2, 4
	if e.big {
		counter, inline = 8, 8
	}
	b := e.uint(nil, counter, int64(len(fields)))
	var behind []byte
	behindAt := e.start + int64(counter+len(fields)*(4+2*inline)+inline)
	for _, f := range fields {
		data := slices.Clone(f.data)
		reorder(data, f.kind, e.order)
		b = e.uint(e.uint(e.uint(b, 2, int64(f.tag)), 2, int64(f.kind)), inline, f.count)
		if len(data) > inline {
			b = e.uint(b, inline, behindAt+int64(len(behind)))
			behind = append(behind, data...)
			behind = append(behind, make([]byte, -len(behind)&7)...)
			continue
		}
		b = append(b, data...)
		b = append(b, make([]byte, inline-len(data))...)
	}
	b = e.uint(b, inline, 0) // no further directory
	return append(b, behind...)
}
