package tiff

import (
	"fmt"
	"runtime"
	"slices"
	"sync"

	"weft/ops/files/fileio"
)

// CreateResumable is Create of a file that Resume can go on with. It is to be written by WriteRows.
func CreateResumable(path string, h Header) (*Writer, error) {
	return create(path, h, fileio.CreateResumable)
}

// Checkpoint is what a Writer must know to go on where an earlier one stopped: the blocks that were written since the checkpoint
// before, as pairs of offset and bytes.
type Checkpoint struct {
	Places []int64 `json:"places"`
	End    int64   `json:"end"`
}

// Resume goes on with a file that CreateResumable began, with all checkpoints taken.
func Resume(path string, h Header, taken []Checkpoint) (*Writer, error) {
	var bytes int64 // that the blocks written take
	for _, c := range taken {
		for at := range slices.Chunk(c.Places, 2) {
			bytes = max(bytes, at[0]+at[len(at)-1])
		}
	}
	w, err := create(path, h, func(path string) (*fileio.Pending, error) { return fileio.Resume(path, bytes) })
	if err != nil {
		return nil, err
	}
	for _, c := range taken {
		for at := range slices.Chunk(c.Places, 2) {
			if w.written == len(w.table) || len(at) < 2 {
				return nil, w.suspended(fmt.Errorf("its checkpoints are of another file"))
			}
			w.table[w.written] = place{at[0], at[1]}
			w.written++
		}
		w.end = c.End
	}
	w.marked = w.written
	return w, nil
}

func (w *Writer) suspended(err error) error {
	if e := w.pending.Suspend(); e != nil {
		return e
	}
	return w.fail(err)
}

// Checkpoint makes the blocks written so far durable and tells what Resume needs of them, and the number of rows that need
// not be written again.
func (w *Writer) Checkpoint() (rows int, c Checkpoint, err error) {
	if err := w.pending.Sync(); err != nil {
		return 0, c, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	across := int(w.header.across())
	for w.written > w.marked && w.marked+across <= w.written { // whole rows of blocks
		for _, p := range w.table[w.marked : w.marked+across] {
			c.Places = append(c.Places, p.offset, p.bytes)
		}
		w.marked += across
	}
	c.End = w.end
	return min(w.marked/across*w.header.BlockH, w.header.Height), c, nil
}

// Suspend leaves a file that CreateResumable began for Resume.
func (w *Writer) Suspend() error { return w.pending.Suspend() }

// Annotate sets the texts of the file, until Commit.
func (w *Writer) Annotate(software, description string) {
	w.header.Software, w.header.Description = software, description
}

// WriteRows writes rows y0 up to, not including, y1 as WriteTile does, packing blocks on all processors. Rows come in order:
// blocks then lie in the file in their own order, so that the same raster gives the same bytes, however it was divided.
func (w *Writer) WriteRows(src []byte, from Layout, y0, y1 int) error {
	r := Rect{y0, y1, 0, w.header.Width}
	c, err := w.newCollector(src, from, r)
	if err != nil {
		return w.fail(err)
	}
	for y := y0; y < y1; {
		end := min((y/w.header.BlockH+1)*w.header.BlockH, y1)
		if err := w.writeBand(c, Rect{y, end, 0, w.header.Width}); err != nil {
			return w.fail(err)
		}
		y = end
	}
	return nil
}

// packedBlock is a block on its way to the file.
type packedBlock struct {
	block    block
	assembly *assembly
	last     bool // complete
	packed   []byte
	err      error
}

// writeBand writes a part of one row of blocks.
func (w *Writer) writeBand(c *collector, r Rect) error {
	var all []*packedBlock
	for b := range w.header.over(r) {
		all = append(all, &packedBlock{block: b})
	}
	next := make(chan *packedBlock)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(all)) {
		workers.Go(func() {
			p := w.packers.Get().(*packer)
			defer w.packers.Put(p)
			for b := range next {
				b.err = w.assemble(c, b, r, p)
			}
		})
	}
	for _, b := range all {
		next <- b
	}
	close(next)
	workers.Wait()
	for _, b := range all {
		if b.err != nil {
			return b.err
		}
		if !b.last {
			continue
		}
		if err := w.put(b.assembly, b.block, b.packed); err != nil {
			return err
		}
	}
	return nil
}

// assemble adds a part to a block and packs it when that was the last.
func (w *Writer) assemble(c *collector, b *packedBlock, r Rect, p *packer) (err error) {
	part := b.block.area.intersect(r)
	if b.assembly, err = w.begin(b.block, part); err != nil {
		return err
	}
	if err := c.collect(b.assembly.data, b.block.area, part); err != nil {
		return err
	}
	if b.last = w.finish(b.assembly, part); !b.last {
		return nil
	}
	packed, err := w.pack(p, b.assembly, b.block)
	if w.header.Compression == None {
		b.packed = packed // the assembly itself
	} else {
		b.packed = slices.Clone(packed)
	}
	return err
}
