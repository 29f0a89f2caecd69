package zarr

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"sync"

	"weft/kernels/region"
	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/format"
	"weft/ops/files/tile"
	"weft/ops/files/words"
)

const cannotWrite = "cannot write"

// writer writes a store by parts, which may be given in any order. Chunks are put together in memory until all of their elements are there.
type writer struct {
	folder *fileio.PendingFolder
	*layout
	attributes attributes
	about      attributes // of the store as a whole
	beside     *group     // nil: the store is the array alone
	missing    int64      // elements that have not come

	mu     sync.Mutex
	open   map[string]*assembly // chunks of which a part was written
	spare  [][]byte
	unused *unused       // of whole numbers on the map
	fresh  region.Region // written and not yet marked
}

// assembly is a chunk that is being put together.
type assembly struct {
	box  region.Region
	data []byte
	todo int // elements inside the array that are not there yet
}

// target is the bytes that chunks have, about: large enough for disks, small enough for a few rows of them to be in memory.
const target = 4 << 20

// mostAlong is how far a chunk reaches along the last dim of several, so that chunks of matrices are square.
const mostAlong = 1024

// chunkOf is the shape of the chunks of an array.
func chunkOf(shape []int, d element.DType) []int {
	chunk := make([]int, len(shape))
	left := target / d.Size()
	for i := len(shape) - 1; i >= 0; i-- {
		most := left
		if i == len(shape)-1 && i > 0 {
			most = min(left, mostAlong)
		}
		chunk[i] = even(max(1, shape[i]), most)
		left = max(1, left/chunk[i])
	}
	return chunk
}

// even is a part of an extent, at most so much, of which a whole number cover it with little to spare.
func even(extent, most int) int {
	if extent <= most {
		return extent
	}
	const step = 16
	n := (extent + most - 1) / most
	return min(most, ((extent+n-1)/n+step-1)/step*step)
}

func layoutOf(o format.Order) *layout {
	shape := append([]int{}, o.Type.Shape()...)
	l := &layout{dtype: o.DType, shape: shape, chunk: chunkOf(shape, o.DType), prefix: "c", between: "/"}
	for _, d := range o.Type.Dims {
		l.names = append(l.names, d.Name)
	}
	return l
}

// description is what zarr.json says.
func (l *layout) description(of attributes) ([]byte, error) {
	endian := &configuration{Endian: "little"}
	if hostBig {
		endian.Endian = "big"
	}
	if l.dtype.Word() == 1 {
		endian = nil
	}
	class := l.dtype.Class()
	fill := map[element.Class]string{element.Truth: "false", element.Complex: "[0.0, 0.0]", element.Floating: "0.0"}[class]
	last := extension{sum, nil}
	if l.shared {
		fill = cmp.Or(map[element.Class]string{element.Complex: `["NaN", "NaN"]`, element.Floating: `"NaN"`}[class], fill)
		last = extension{"gzip", &configuration{Level: gzipLevel}}
	}
	d := description{Format: 3, Node: "array", Shape: l.shape, DType: json.RawMessage(fmt.Sprintf("%q", l.dtype)),
		Grid: extension{"regular", &configuration{Chunk: l.chunk}}, Keys: extension{"default", &configuration{Separator: "/"}}, Fill: json.RawMessage(cmp.Or(fill, l.free, "0")),
		Codecs: []extension{{"bytes", endian}, last}, Attributes: of}
	for i := range l.names {
		d.Names = append(d.Names, &l.names[i])
	}
	return json.MarshalIndent(d, "", "  ")
}

// create starts a store, or takes one up of which some parts are there already.
func create(o format.Order, resumable bool, marks []ops.Mark) (format.Output, error) {
	begin := fileio.CreateFolder
	switch {
	case resumable && len(marks) == 0:
		begin = fileio.CreateFolderResumable
	case resumable:
		begin = fileio.ResumeFolder
	}
	beside, of, err := groupOf(o)
	if err != nil {
		return nil, fileio.Wrap(o.Path, cannotWrite, err)
	}
	w := &writer{layout: layoutOf(o), attributes: of, about: of, beside: beside, open: map[string]*assembly{}}
	if beside != nil {
		w.about = attributes{}
		w.prefix = path.Join(beside.name, w.prefix)
	}
	if !o.Unit.Plain() {
		w.attributes.set("units", o.Unit.String())
	}
	if w.geo, err = w.attributes.place(o.Type.Dims); err != nil {
		return nil, fileio.Wrap(o.Path, cannotWrite, err)
	}
	w.shared = w.geo != nil
	w.missing = region.Whole(w.shape...).Points()
	for _, m := range marks {
		w.missing -= m.There.Points()
	}
	folder, err := begin(o.Path, isStore)
	if err != nil {
		return nil, err
	}
	w.folder = folder
	if w.shared && whole(w.dtype) {
		w.unused = newUnused(w.dtype)
		err = w.again(marks)
	}
	if err != nil {
		return nil, errors.Join(fileio.Wrap(o.Path, cannotWrite, err), folder.Suspend())
	}
	return w, nil
}

// isStore says why a folder is no store of an array, and so is not replaced by one.
func isStore(at string) error {
	root, err := openRoot(at)
	if err != nil {
		return err
	}
	d, err := describe(root)
	if err == nil && d.Node != "array" {
		err = alone(root)
	}
	return errors.Join(err, root.Close())
}

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

// put writes a part, of which elements gives n from one on.
func (w *writer) put(ctx context.Context, t region.Region, elements func(there, n int) []byte) error {
	if err := tile.Inside(t, w.shape); err != nil {
		return fileio.Wrap(w.folder.Path(), cannotWrite, err)
	}
	if t.Empty() {
		return nil
	}
	size := w.dtype.Size()
	for at := range w.over(t).Indices() {
		if err := ctx.Err(); err != nil {
			return err
		}
		box := w.box(at)
		both, name := box.Intersect(t), w.key(at)
		a := w.begin(name, box)
		for row := range tile.Pieces(both, w.chunk, t) {
			copy(a.data[row.Here*size:], elements(row.There, row.N))
		}
		if err := w.finish(a, name, int(both.Points())); err != nil {
			return err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.missing -= t.Points()
	if n := len(w.fresh); n == 0 || n > 0 && (w.fresh[0].Hi != t[0].Lo || !w.fresh[1:].Equal(t[1:])) { // it does not go on below what came last
		w.fresh = slices.Clone(t)
	}
	if len(t) > 0 {
		w.fresh[0].Hi = t[0].Hi
	}
	return nil
}

// begin is the assembly of a chunk.
func (w *writer) begin(name string, box region.Region) *assembly {
	w.mu.Lock()
	defer w.mu.Unlock()
	a := w.open[name]
	if a == nil {
		a = &assembly{box: box, todo: int(box.Points())}
		if n := len(w.spare); n > 0 {
			a.data, w.spare = w.spare[n-1], w.spare[:n-1]
			clear(a.data) // beyond the array
		} else {
			a.data = words.Bytes(w.chunkBytes() + sumBytes)[:w.chunkBytes()]
		}
		w.open[name] = a
	}
	return a
}

// finish counts elements as written and writes a chunk that is complete; one of zeros alone is left out.
func (w *writer) finish(a *assembly, name string, elements int) error {
	w.mu.Lock()
	a.todo -= elements
	done := a.todo == 0
	w.mu.Unlock()
	if !done {
		return nil
	}
	var err error
	if nothing(a.data) && (!w.shared || w.dtype.Class() == element.Truth) {
		err = w.folder.Remove(name) // which an earlier run may have written behind its last mark
	} else if w.shared {
		var packed []byte
		if packed, err = zipped(a.data); err == nil {
			err = w.folder.WriteFile(name, packed)
		}
	} else {
		err = w.folder.WriteFile(name, withSum(a.data))
	}
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.unused != nil {
		w.unused.saw(w.dtype, a.data)
	}
	delete(w.open, name) // not before it is written: until then none of its rows are there
	w.spare = append(w.spare, a.data)
	return nil
}

// Mark marks the rows of the chunks that are complete.
func (w *writer) Mark() (ops.Mark, error) { return ops.Mark{There: w.complete()}, nil }

// Sync waits until the chunks that are complete are on the disk.
func (w *writer) Sync() error { return w.folder.Sync() }

// complete takes what was written and fills chunks out of what is not yet marked.
func (w *writer) complete() region.Region {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.fresh) == 0 {
		there := w.fresh
		w.fresh = nil
		return there
	}
	rows := w.fresh[0]
	if rows.Hi < w.shape[0] {
		rows.Hi = max(rows.Lo, rows.Hi-rows.Hi%w.chunk[0])
	}
	there := w.fresh.Along(0, rows)
	for _, a := range w.open {
		if !a.box.Intersect(there).Empty() { // a part that ends within a chunk
			return there.Along(0, region.Interval{Lo: rows.Lo, Hi: rows.Lo})
		}
	}
	if w.fresh[0].Lo = rows.Hi; w.fresh.Empty() {
		w.fresh = nil
	}
	return there
}

// Annotate notes where the array comes from.
func (w *writer) Annotate(software, text string) {
	w.about.set("software", software)
	w.about.set("provenance", text)
}

// provenance is what Annotate noted.
func provenance(at string) (string, error) {
	root, err := openRoot(at)
	if err != nil {
		return "", err
	}
	defer root.Close()
	d, err := describe(root)
	if err != nil {
		return "", fileio.Wrap(at, fileio.CannotRead, err)
	}
	text, _ := d.Attributes.text("provenance")
	return text, nil
}

// Commit gives the store its name, once every element was written.
func (w *writer) Commit(durable bool) error {
	err := error(nil)
	if w.missing != 0 || len(w.open) > 0 {
		err = fmt.Errorf("%d elements were not written, and %d chunks not in full", w.missing, len(w.open))
	}
	if w.unused != nil {
		w.free = w.unused.text()
	}
	var text []byte
	if err == nil {
		text, err = w.description(w.attributes)
	}
	if err == nil && w.beside != nil {
		err = w.beside.write(w.folder, text, w.about)
	}
	if err == nil {
		err = w.folder.WriteFile(w.described(), append(text, '\n'))
	}
	if err != nil {
		return errors.Join(fileio.Wrap(w.folder.Path(), cannotWrite, err), w.folder.Leave())
	}
	return w.folder.Commit(durable)
}

// described is the file that describes the array.
func (w *writer) described() string {
	if w.beside == nil {
		return descriptionFile
	}
	return path.Join(w.beside.name, descriptionFile)
}

// Rename says that the store is to have another name in its folder.
func (w *writer) Rename(to string) error { return w.folder.Rename(to) }

// Suspend leaves the store for a later run.
func (w *writer) Suspend() error { return w.folder.Suspend() }

// Abort removes what was written.
func (w *writer) Abort() error { return w.folder.Abort() }
