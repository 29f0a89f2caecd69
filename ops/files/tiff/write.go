package tiff

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"weft/ops/files/fileio"
	"weft/ops/files/tiff/packing"
	"weft/ops/files/words"
)

const cannotWrite = "cannot write"

// Writer writes one GeoTIFF file by rectangles, in any order, from any goroutines. The file appears under its name at
// Commit, complete; every Writer ends in Commit or Abort.
type Writer struct {
	pending *fileio.Pending
	header  Header

	mu      sync.Mutex
	blocks  map[int]*assembly // blocks of which a part was written
	table   []place           // blocks that are in the file
	written int               // how many those are
	told    []bool            // which of them checkpoints have told
	end     int64             // of the file as far as it is taken
}

// What all writers use again.
var (
	packers = sync.Pool{New: func() any { return new(packing.Packer) }}
	buffers = sync.Pool{New: func() any { return new([]byte) }}
)

// assembly is a block being put together.
type assembly struct {
	data  []byte
	parts []Rect // written or being written
	todo  int64  // elements of the raster not yet there
}

// Create starts a file with what the header says: the type, size and place of the raster, and how it is stored. A
// storage that is not set is tiles of 256 x 256, deflate, and the predictor that suits the type. With no compression
// the disk space is taken now, so that a full disk shows before the work. Whether the file is a BigTIFF file is
// decided by its size, unless Big asks for one.
func Create(path string, h Header) (*Writer, error) { return create(path, h, fileio.Create) }

func create(path string, h Header, begin func(string) (*fileio.Pending, error)) (*Writer, error) {
	h.Ignored, h.Masked, h.Band, h.Mixed = Ignored{}, false, 0, false // bands have blocks of their own
	for _, step := range []func() error{h.setStorage, h.checkStorage} {
		if err := step(); err != nil {
			return nil, fileio.Wrap(path, cannotWrite, err)
		}
	}
	pending, err := begin(path)
	if err != nil {
		return nil, err
	}
	w := newWriter(pending, h, firstBlock)
	if h.Compression == None {
		if err := pending.Reserve(w.end); err != nil {
			return nil, errors.Join(err, pending.Abort())
		}
	}
	return w, nil
}

// newWriter writes blocks of what a complete header describes behind so many bytes of a file.
func newWriter(pending *fileio.Pending, h Header, end int64) *Writer {
	w := &Writer{pending: pending, header: h, end: end, blocks: map[int]*assembly{}, table: make([]place, h.blocks()), told: make([]bool, h.blocks())}
	if h.Compression == None { // each block has its place
		for i := range w.table {
			w.table[i].offset = w.allot(h.bytes(h.block(i)))
		}
	}
	return w
}

// allot takes room for a block, at an even offset as TIFF wants it.
func (w *Writer) allot(bytes int64) int64 {
	offset := w.end
	w.end += bytes + bytes&1
	return offset
}

// firstBlock is where blocks begin before they are arranged: a block at 0 is one that was never written.
const firstBlock = 2

const tileEdge = 256

// setStorage fills in what the caller left open.
func (h *Header) setStorage() error {
	if !Holds(h.DType) {
		return fmt.Errorf("no element type: %v", h.DType)
	}
	if h.BlockH == 0 {
		h.Tiled, h.BlockH, h.BlockW = true, tileEdge, tileEdge
	}
	if !h.Tiled && h.BlockW == 0 {
		h.BlockW = h.Width
	}
	if h.Compression == 0 {
		h.Compression = Deflate
	}
	switch {
	case h.Compression == None:
		h.Predictor = NoPredictor
	case h.Predictor == 0 && h.DType.Float():
		h.Predictor = FloatingPoint
	case h.Predictor == 0 && h.DType.Size() == 8: // of which libtiff reads no differences
		h.Predictor = NoPredictor
	case h.Predictor == 0:
		h.Predictor = Horizontal
	}
	if !h.Tiled {
		h.BlockH = min(h.BlockH, h.Height)
	}
	return nil
}

// maxWritten is the most bytes of a block that is written: all of it is held in memory until it is complete.
const maxWritten = 64 << 20

// checkStorage says what no file can hold.
func (h *Header) checkStorage() error {
	switch {
	case h.Height < 1 || h.Width < 1 || h.Height > math.MaxInt32 || h.Width > math.MaxInt32 || int64(h.Height) > math.MaxInt64/8/int64(h.Width):
		return fmt.Errorf("a TIFF file cannot hold a raster of %d x %d %v", h.Height, h.Width, h.DType)
	case h.Tiled && (h.BlockH < 16 || h.BlockW < 16 || h.BlockH%16 != 0 || h.BlockW%16 != 0):
		return fmt.Errorf("tiles of %d x %d elements are not allowed in TIFF: both must be multiples of 16", h.BlockH, h.BlockW)
	case !h.Tiled && (h.BlockH < 1 || h.BlockW != h.Width):
		return fmt.Errorf("strips of %d x %d elements do not fit a raster with %d columns", h.BlockH, h.BlockW, h.Width)
	case h.blockBytes() < 0 || h.blockBytes() > maxWritten:
		return fmt.Errorf("blocks of %d x %d %v are larger than the %d bytes that are held for one", h.BlockH, h.BlockW, h.DType, maxWritten)
	case h.Bands < 0 || h.Bands > math.MaxUint16:
		return fmt.Errorf("a TIFF file cannot hold %d bands", h.Bands)
	case h.each() > math.MaxInt32 || h.blocks() > math.MaxInt32:
		return fmt.Errorf("blocks of %d x %d elements are too many for a raster of %d x %d", h.BlockH, h.BlockW, h.Height, h.Width)
	case !h.Compression.Packs():
		return fmt.Errorf("no compression: Compression(%d)", h.Compression)
	case h.Predictor < NoPredictor || h.Predictor > FloatingPoint || h.Predictor == FloatingPoint && !h.DType.Float():
		return fmt.Errorf("the predictor %d does not suit %v elements", h.Predictor, h.DType)
	}
	return nil
}

// Header is what the file will say of its raster. Big is settled only at Commit.
func (w *Writer) Header() Header { return w.header }

// WriteTile writes a rectangle of the raster from memory, row by row: src holds elements of the layout's type, which
// are converted to the file's; it is aligned for them. Every element is written once.
func (w *Writer) WriteTile(src []byte, from Layout, r Rect) error {
	return w.writeTile(src, from, 0, r)
}

// writeTile is WriteTile of a band, counted from 0.
func (w *Writer) writeTile(src []byte, from Layout, band int, r Rect) error {
	c, err := w.newCollector(src, from, r)
	if err != nil {
		return w.fail(err)
	}
	for b := range w.header.over(band, r) {
		if err := w.writePart(c, b, b.area.intersect(r)); err != nil {
			return w.fail(err)
		}
	}
	return nil
}

// writePart puts a part of a block into its assembly and, when it was the last, the block into the file.
func (w *Writer) writePart(c *collector, b block, part Rect) error {
	a, err := w.begin(b, part)
	if err != nil {
		return err
	}
	if err := c.collect(a.data, b.area, part); err != nil {
		return err
	}
	if !w.finish(a, part) {
		return nil
	}
	return w.store(a, b)
}

// stored reports whether a block is in the file.
func (w *Writer) stored(block int) bool { return w.table[block].bytes > 0 }

// begin claims a part of a block, none of which may have been written.
func (w *Writer) begin(b block, part Rect) (*assembly, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stored(b.index) {
		return nil, fmt.Errorf("%v were written already", part)
	}
	a := w.blocks[b.index]
	if a == nil {
		inside := b.area.intersect(w.header.Whole())
		size := w.header.bytes(b)
		a = &assembly{data: words.Resized(*buffers.Get().(*[]byte), int(size)), todo: int64(inside.Height()) * int64(inside.Width())}
		if inside != b.area {
			clear(a.data) // beyond the raster
		}
		w.blocks[b.index] = a
	}
	for _, other := range a.parts {
		if both := other.intersect(part); !both.empty() {
			return nil, fmt.Errorf("%v were written already", both)
		}
	}
	a.parts = append(a.parts, part)
	return a, nil
}

// finish counts a part as written. last says that the block is complete.
func (w *Writer) finish(a *assembly, part Rect) (last bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	a.todo -= int64(part.Height()) * int64(part.Width())
	return a.todo == 0
}

// store writes a complete block.
func (w *Writer) store(a *assembly, b block) error {
	p := packers.Get().(*packing.Packer)
	defer packers.Put(p)
	packed, err := w.pack(p, a, b)
	if err != nil {
		return err
	}
	return w.put(a, b, packed)
}

// pack gives the bytes of a complete block in the file. They are valid until the packer is used again.
func (w *Writer) pack(p *packing.Packer, a *assembly, b block) ([]byte, error) {
	w.header.predict(a.data, b.area.Width())
	return p.Pack(w.header.Compression, a.data)
}

// put writes a packed block behind the others and forgets its assembly.
func (w *Writer) put(a *assembly, b block, packed []byte) error {
	at := w.placeFor(b.index, int64(len(packed)))
	if _, err := w.pending.WriteAt(packed, at.offset); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.table[b.index] = at
	w.written++
	delete(w.blocks, b.index)
	buffers.Put(&a.data)
	return nil
}

// placeFor is where a block of so many bytes goes.
func (w *Writer) placeFor(index int, bytes int64) place {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.header.Compression == None {
		return place{w.table[index].offset, bytes}
	}
	return place{w.allot(bytes), bytes}
}

func (w *Writer) fail(err error) error { return fileio.Wrap(w.pending.Path(), cannotWrite, err) }
