package tiff

import (
	"encoding/binary"
	"errors"
	"slices"
	"strconv"
	"strings"

	"weft/ops/files/tiff/gdal"
)

// Commit arranges the file and gives it its name, once every element was written. With durable set it first waits until the bytes
// are on the disk. When it fails, no file is left but one that was created to be resumed.
func (w *Writer) Commit(durable bool) error {
	final, err := w.arrange()
	if err != nil {
		return errors.Join(w.fail(err), w.pending.Leave())
	}
	if err := final.Commit(durable); err != nil {
		return errors.Join(err, w.pending.Leave())
	}
	return w.Abort()
}

// Rename says that the file is to have another name in its folder.
func (w *Writer) Rename(path string) error { return w.pending.Rename(path) }

// Abort removes what was written. After a Commit that succeeded it does nothing.
func (w *Writer) Abort() error { return w.pending.Abort() }

// fieldOut is a field to be written.
type fieldOut struct {
	tag tag
	rawField
}

func longs(values []int64) rawField {
	f := rawField{kind: typeLong, count: int64(len(values))}
	for _, v := range values {
		f.data = binary.LittleEndian.AppendUint32(f.data, uint32(v))
	}
	return f
}

func offsets(table []place, big bool) rawField {
	f := rawField{kind: typeLong8, count: int64(len(table))}
	if !big {
		f.kind = typeLong
	}
	for _, p := range table {
		if big {
			f.data = binary.LittleEndian.AppendUint64(f.data, uint64(p.offset))
		} else {
			f.data = binary.LittleEndian.AppendUint32(f.data, uint32(p.offset))
		}
	}
	return f
}

// describe gives the fields of the directory of one resolution, whose blocks are at these places, in ascending order.
func (l resolution) describe(table []place, big bool) ([]fieldOut, error) {
	h, fields := l.header, []fieldOut(nil)
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
	bands := max(1, h.Bands)
	ofEach := func(t tag, v int) { add(t, shortsField(slices.Repeat([]uint16{uint16(v)}, bands))) }
	ofEach(tagBitsPerSample, 8*h.DType.Size())
	short(tagCompression, h.Compression.Tag())
	short(tagPhotometric, 1)
	short(tagSamplesPerPixel, bands)
	short(tagPlanarConfig, min(bands, 2)) // 2: each band has blocks of its own
	ofEach(tagSampleFormat, int(formats[h.DType.Class()]))
	add(tagExtraSamples, shortsField(make([]uint16, bands-1))) // which are no colours and no transparency
	if h.Predictor != NoPredictor {
		short(tagPredictor, int(h.Predictor))
	}
	add(tagWidth, longs([]int64{int64(h.Width)}))
	add(tagHeight, longs([]int64{int64(h.Height)}))
	counts := make([]int64, len(table))
	for i, p := range table {
		counts[i] = p.bytes
	}
	if h.Tiled {
		add(tagTileWidth, longs([]int64{int64(h.BlockW)}))
		add(tagTileHeight, longs([]int64{int64(h.BlockH)}))
		add(tagTileOffsets, offsets(table, big))
		add(tagTileByteCounts, longs(counts))
	} else {
		add(tagRowsPerStrip, longs([]int64{int64(h.BlockH)}))
		add(tagStripOffsets, offsets(table, big))
		add(tagStripByteCounts, longs(counts))
	}
	if l.copied {
		add(tagNewSubfileType, longs([]int64{1}))
	}
	if h.Nodata != nil {
		text(tagNodata, strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(*h.Nodata, 'g', -1, 64), "+")))
	}
	if !l.copied { // which is about the same place, and the same values
		if err := h.tell(add, text); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(fields, func(a, b fieldOut) int { return int(a.tag) - int(b.tag) })
	return fields, nil
}

// tell adds what a file says of its raster once.
func (h *Header) tell(add func(tag, rawField), text func(tag, string)) error {
	for i, g := range geoTags {
		add(g.tag, h.Geo.fields[i])
	}
	metadata, err := gdal.Encode(h.Across, h.Scale, h.Offset, max(1, h.Bands))
	text(tagMetadata, metadata)
	text(tagSoftware, h.Software)
	text(tagDescription, h.Description)
	return err
}

// encoder lays out directories.
type encoder struct {
	order binary.ByteOrder
	big   bool
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

// header is the first bytes of the file, up to the offset of the first directory.
func (e encoder) header() []byte {
	mark := "II"
	if e.order == binary.ByteOrder(binary.BigEndian) {
		mark = "MM"
	}
	b := []byte(mark)
	if !e.big {
		return e.uint(e.uint(b, 2, 42), 4, 0)
	}
	return e.uint(e.uint(e.uint(e.uint(b, 2, 43), 2, 8), 2, 0), 8, 0)
}

// first sets the offset of the first directory in a header.
func (e encoder) first(header []byte, offset int64) {
	if e.big {
		e.order.PutUint64(header[8:], uint64(offset))
	} else {
		e.order.PutUint32(header[4:], uint32(offset))
	}
}

// directory gives the bytes of the directory at an offset, followed by the values that do not fit its entries. The next one comes behind them,
// unless it is the last.
func (e encoder) directory(fields []fieldOut, start int64, last bool) []byte {
	counter, inline := 2, 4
	if e.big {
		counter, inline = 8, 8
	}
	b := e.uint(nil, counter, int64(len(fields)))
	var behind []byte
	behindAt := start + int64(counter+len(fields)*(4+2*inline)+inline)
	behind = append(behind, make([]byte, -behindAt&7)...)
	for _, f := range fields {
		data := slices.Clone(f.data)
		reorder(data, f.kind, e.order)
		b = e.uint(e.uint(e.uint(b, 2, int64(f.tag)), 2, int64(f.kind)), inline, f.count)
		if len(data) > inline {
			b = e.uint(b, inline, behindAt+int64(len(behind)))
			behind = append(behind, data...)
			behind = append(behind, make([]byte, -(len(behind)+int(behindAt))&7)...)
			continue
		}
		b = append(b, data...)
		b = append(b, make([]byte, inline-len(data))...)
	}
	next := behindAt + int64(len(behind))
	if last {
		next = 0
	}
	return append(e.uint(b, inline, next), behind...)
}
