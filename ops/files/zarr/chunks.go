package zarr

import (
	"context"
	"errors"
	"io"
	"os"
	"path"
	"slices"

	"weft/kernels/region"
	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/tile"
	"weft/ops/files/words"
)

// WriteMemory takes a part as it is in memory.
func (w *writer) WriteMemory(ctx context.Context, src []byte, stride int, at region.Region) error {
	columns, size := 1, w.dtype.Size()
	if len(at) > 0 {
		columns = at[len(at)-1].Len()
	}
	if stride == 0 {
		stride = columns * size
	}
	return w.put(ctx, at, func(there, n int) []byte {
		from := there/max(columns, 1)*stride + there%max(columns, 1)*size
		return src[from : from+n*size]
	})
}

// Part takes a part in the order of its elements.
func (w *writer) Part(at region.Region) io.WriteCloser { return &part{w: w, at: at} }

// part collects the elements of a part until they make rows of it, as many as chunks have.
type part struct {
	w    *writer
	at   region.Region
	data []byte
}

func (p *part) Write(data []byte) (int, error) {
	p.data = append(p.data, data...)
	if len(p.at) > 0 && len(p.data) >= p.w.chunk[0]*p.row() {
		return len(data), p.Close()
	}
	return len(data), nil
}

// row is the bytes of one index of the first dim.
func (p *part) row() int {
	n := p.w.dtype.Size()
	for _, i := range p.at[min(1, len(p.at)):] {
		n *= i.Len()
	}
	return n
}

// Close writes the whole rows that have come.
func (p *part) Close() error {
	n := len(p.data) / max(p.row(), 1)
	next := p.at
	if len(p.at) > 0 {
		next = p.at.Along(0, region.Interval{Lo: p.at[0].Lo, Hi: p.at[0].Lo + n})
		p.at = p.at.Along(0, region.Interval{Lo: p.at[0].Lo + n, Hi: p.at[0].Hi})
	}
	size := p.w.dtype.Size()
	err := p.w.put(context.Background(), next, func(there, n int) []byte { return p.data[there*size : (there+n)*size] })
	p.data = append(p.data[:0], p.data[n*p.row():]...)
	return err
}

// raws is the folder of what has come of chunks that are packed once all of it has.
const raws = "raw"

// begun counts what has not come, of the array and of each chunk.
func (w *writer) begun(marks []ops.Mark) {
	w.missing, w.todo = region.Whole(w.shape...).Points(), map[string]int64{}
	for _, m := range marks {
		w.missing -= m.There.Points()
		for at := range w.over(m.There).Indices() {
			box := w.box(at)
			w.came(w.key(at), box, box.Intersect(m.There))
		}
	}
}

// came counts elements of a chunk as written, and reports whether all of them are.
func (w *writer) came(name string, box, both region.Region) bool {
	left, some := w.todo[name]
	if !some {
		left = box.Points()
	}
	if left -= both.Points(); left > 0 {
		w.todo[name] = left
		return false
	}
	delete(w.todo, name)
	return true
}

// put writes a part, of which elements gives n from one on. What there is of a chunk lies in a file from its first part on: chunks that wait for others take no
// memory, and a run that goes on does so behind the last part.
func (w *writer) put(ctx context.Context, t region.Region, elements func(there, n int) []byte) error {
	if err := tile.Inside(t, w.shape); err != nil {
		return fileio.Wrap(w.folder.Path(), cannotWrite, err)
	}
	if t.Empty() {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.data == nil {
		w.data = words.Bytes(w.chunkBytes() + sumBytes)[:w.chunkBytes()]
	}
	for at := range w.over(t).Indices() {
		if err := ctx.Err(); err != nil {
			return err
		}
		box := w.box(at)
		if err := w.into(w.key(at), box, box.Intersect(t), t, elements); err != nil {
			return err
		}
	}
	w.missing -= t.Points()
	if n := len(w.fresh); n == 0 || n > 0 && (w.fresh[0].Hi != t[0].Lo || !w.fresh[1:].Equal(t[1:])) { // it does not go on below what came last
		w.fresh = slices.Clone(t)
	}
	if len(t) > 0 {
		w.fresh[0].Hi = t[0].Hi
	}
	return nil
}

// into writes what a part has of a chunk.
func (w *writer) into(name string, box, both, t region.Region, elements func(there, n int) []byte) error {
	if both.Equal(box) {
		w.gather(box, both, t, elements)
		delete(w.todo, name)
		return w.finish(name, nil)
	}
	raw := name
	if w.shared {
		raw = path.Join(raws, name)
	}
	return w.folder.Update(raw, func(f *os.File) error {
		if both[1:].Equal(box[1:]) { // rows of the chunk lie together
			from, to := w.gather(box, both, t, elements)
			if _, err := f.WriteAt(w.data[from:to], int64(from)); err != nil {
				return err
			}
		} else {
			for row := range tile.Pieces(both, w.chunk, t) {
				if _, err := f.WriteAt(elements(row.There, row.N), int64(row.Here*w.dtype.Size())); err != nil {
					return err
				}
			}
		}
		if !w.came(name, box, both) {
			return nil
		}
		n, err := f.ReadAt(w.data, 0)
		if err != nil && !errors.Is(err, io.EOF) { // what lies beyond the array need not be there
			return err
		}
		clear(w.data[n:])
		return w.finish(name, f)
	})
}

// gather lays what a part has of a chunk out as the chunk has it, and tells where that begins and ends.
func (w *writer) gather(box, both, t region.Region, elements func(there, n int) []byte) (from, to int) {
	if !slices.Equal(box.Shape(), w.chunk) { // it goes on beyond the array
		clear(w.data)
	}
	size := w.dtype.Size()
	for row := range tile.Pieces(both, w.chunk, t) {
		if to == 0 {
			from = row.Here * size
		}
		to = row.Here*size + copy(w.data[row.Here*size:], elements(row.There, row.N))
	}
	return from, to
}

// finish writes a chunk that is complete, or what lacks of it where it has come by parts; one of zeros alone is left out.
func (w *writer) finish(name string, parts *os.File) (err error) {
	switch {
	case nothing(w.data) && (!w.shared || w.dtype.Class() == element.Truth):
		err = w.folder.Remove(name) // which may also be there from an earlier run that wrote it behind its last mark
	case w.shared:
		var packed []byte
		if packed, err = zipped(w.data); err == nil {
			err = w.folder.WriteFile(name, packed)
		}
	case parts != nil:
		_, err = parts.WriteAt(withSum(w.data)[len(w.data):], int64(len(w.data)))
	default:
		err = w.folder.WriteFile(name, withSum(w.data))
	}
	if err == nil && w.unused != nil {
		w.unused.saw(w.dtype, w.data)
	}
	return err
}

// Mark marks what has come.
func (w *writer) Mark() (ops.Mark, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	m := ops.Mark{There: w.fresh}
	w.fresh = nil
	return m, nil
}

// Sync waits until what has come is on the disk.
func (w *writer) Sync() error { return w.folder.Sync() }
