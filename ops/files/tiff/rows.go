package tiff

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"weft/ops/files/fileio"
	"weft/ops/files/tiff/packing"
)

// CreateResumable is Create of a file that Resume can go on with. It is to be written by WriteRect.
func CreateResumable(path string, h Header) (*Writer, error) {
	return create(path, h, fileio.CreateResumable)
}

// Checkpoint is what a Writer must know to go on where an earlier one stopped: the blocks that were written since the checkpoint
// before, as number, offset and bytes of each.
type Checkpoint struct {
	Places []int64 `json:"places"`
	End    int64   `json:"end"`
}

// Resume goes on with a file that CreateResumable began, with all checkpoints taken.
func Resume(path string, h Header, taken []Checkpoint) (*Writer, error) {
	var bytes int64 // that the blocks written take
	for _, c := range taken {
		for at := range slices.Chunk(c.Places, 3) {
			bytes = max(bytes, at[len(at)/2]+at[len(at)-1]) // of what is no checkpoint, anything
		}
	}
	w, err := create(path, h, func(path string) (*fileio.Pending, error) { return fileio.Resume(path, bytes) })
	if err != nil {
		return nil, err
	}
	for _, c := range taken {
		for at := range slices.Chunk(c.Places, 3) {
			if len(at) < 3 || at[0] < 0 || at[0] >= int64(len(w.table)) || w.told[at[0]] {
				return nil, w.suspended(fmt.Errorf("its checkpoints are of another file"))
			}
			w.table[at[0]], w.told[at[0]] = place{at[1], at[2]}, true
			w.written++
		}
		w.end = c.End
	}
	return w, nil
}

func (w *Writer) suspended(err error) error {
	if e := w.pending.Suspend(); e != nil {
		return e
	}
	return w.fail(err)
}

// Checkpoint tells what Resume needs of the blocks written so far in the first rows of a rectangle, all of whose blocks are there: these rows need not be written
// again.
func (w *Writer) Checkpoint(r Rect) (done Rect, c Checkpoint) {
	w.mu.Lock()
	defer w.mu.Unlock()
	done = w.tell(0, r, &c)
	c.End = w.end
	return done, c
}

// checkpointBands is Checkpoint of the first bands from one up to another, counted from 0, of which all of a rectangle is there: those before next.
func (w *Writer) checkpointBands(from, to int, r Rect) (next int, c Checkpoint) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for next = from; next < to && w.there(next, r); next++ {
		w.tell(next, r, &c)
	}
	c.End = w.end
	return next, c
}

// there reports whether all blocks of a rectangle of a band are in the file.
func (w *Writer) there(band int, r Rect) bool {
	for b := range w.header.over(band, r) {
		if !w.stored(b.index) {
			return false
		}
	}
	return true
}

// tell adds the blocks of the first rows of a rectangle of a band that are there.
func (w *Writer) tell(band int, r Rect, c *Checkpoint) (done Rect) {
	done = Rect{r.Y0, r.Y0, r.X0, r.X1}
	for done.Y1 < r.Y1 { // a row of blocks
		row := r
		row.Y0, row.Y1 = done.Y1, min((done.Y1/w.header.BlockH+1)*w.header.BlockH, r.Y1)
		if !w.there(band, row) {
			return done
		}
		for b := range w.header.over(band, row) {
			if p := w.table[b.index]; !w.told[b.index] {
				w.told[b.index] = true
				c.Places = append(c.Places, int64(b.index), p.offset, p.bytes)
			}
		}
		done.Y1 = row.Y1
	}
	return done
}

// Suspend leaves a file that CreateResumable began for Resume.
func (w *Writer) Suspend() error { return w.pending.Suspend() }

// Annotate sets the texts of the file, until Commit.
func (w *Writer) Annotate(software, description string) {
	w.header.Software, w.header.Description = software, description
}

// WriteRect writes a rectangle as WriteTile does, packing blocks on all processors. Blocks lie in the file in their own order where
// rows come in order: the same raster then gives the same bytes, however its rows were divided.
func (w *Writer) WriteRect(ctx context.Context, src []byte, from Layout, r Rect) error {
	return w.writeRect(ctx, src, from, 0, r)
}

// writeRect is WriteRect of a band, counted from 0.
func (w *Writer) writeRect(ctx context.Context, src []byte, from Layout, band int, r Rect) error {
	c, err := w.newCollector(src, from, r)
	if err != nil {
		return w.fail(err)
	}
	for y := r.Y0; y < r.Y1; {
		if err := ctx.Err(); err != nil {
			return err
		}
		end := min((y/w.header.BlockH+1)*w.header.BlockH, r.Y1)
		if err := w.writeRow(c, band, Rect{y, end, r.X0, r.X1}); err != nil {
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

// writeRow writes a part of one row of blocks of a band.
func (w *Writer) writeRow(c *collector, band int, r Rect) error {
	var all []*packedBlock
	for b := range w.header.over(band, r) {
		all = append(all, &packedBlock{block: b})
	}
	next := make(chan *packedBlock)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(all)) {
		workers.Go(func() {
			p := packers.Get().(*packing.Packer)
			defer packers.Put(p)
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
func (w *Writer) assemble(c *collector, b *packedBlock, r Rect, p *packing.Packer) (err error) {
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
