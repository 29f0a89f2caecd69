package hdf5

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"runtime"
	"sync"

	"weft/kernels/region"
	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/tile"
	"weft/ops/files/words"
)

// Array is a dataset that is open for reading. Parts of it may be read concurrently.
type Array struct {
	*Dataset
	name   string
	in     *file
	close  func() error
	places map[int]place // of chunks
	// Missing are the elements that stand for none, in this machine's order of bytes.
	Missing tile.Missing

	mu     sync.Mutex
	recent map[int][]byte // chunks that were unpacked last
	order  []int
	spare  sync.Pool // of *unpacker
}

// Open opens the dataset in the file at path, where Find found it.
func (d *Dataset) Open(path string) (*Array, error) {
	f, _, err := fileio.Open(path)
	if err != nil {
		return nil, err
	}
	a, err := d.In(path, f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	a.close = f.Close
	return a, nil
}

// In is Open of a file that is open.
func (d *Dataset) In(path string, r io.ReaderAt) (*Array, error) {
	in := *d.file
	in.r = r
	a := &Array{Dataset: d, name: path, in: &in, close: func() error { return nil }, recent: map[int][]byte{}}
	a.spare.New = func() any { return new(unpacker) }
	var err error
	if d.kind == chunkedLayout {
		a.places, err = d.chunks(a.in)
	}
	if err != nil {
		return nil, fileio.Wrap(path, fileio.CannotRead, err)
	}
	return a, nil
}

// Close ends reading.
func (a *Array) Close() error { return a.close() }

// Bands is how many rows are read together with least effort, and Extents what can only be read together; nil: elements that follow each other.
func (a *Array) Bands() int {
	if len(a.Shape) == 0 {
		return 1
	}
	if a.kind == chunkedLayout {
		return a.chunk[0]
	}
	row := a.size
	for _, n := range a.Shape[1:] {
		row *= n
	}
	return max(1, (4<<20)/max(row, 1))
}

// Extents are those of what can only be read together.
func (a *Array) Extents() []int {
	if a.kind != chunkedLayout {
		return nil
	}
	return a.chunk
}

// Scratch is the bytes of memory that reading takes: chunks on their way and those that are kept.
func (a *Array) Scratch(region.Region) int64 {
	if a.kind != chunkedLayout {
		return 1 << 20
	}
	chunk := int64(a.size)
	for _, n := range a.chunk {
		chunk *= int64(n)
	}
	return mostRecent + int64(runtime.GOMAXPROCS(0))*4*chunk
}

// Read fills dst with a part of the array.
func (a *Array) Read(dst []byte, as element.DType, stride int, t region.Region) error {
	if err := a.read(dst, as, stride, t); err != nil {
		return fileio.Wrap(a.name, fileio.CannotRead, err)
	}
	return nil
}

func (a *Array) read(dst []byte, as element.DType, stride int, t region.Region) error {
	if err := tile.Inside(t, a.Shape); err != nil {
		return err
	}
	p, err := tile.NewPlacer(dst, tile.Layout{DType: as, RowStride: stride}, t, a.DType, a.swapped && a.DType.Word() > 1)
	if err != nil {
		return err
	}
	p.Blank(a.Missing)
	if a.kind == chunkedLayout {
		return a.readChunks(p, t)
	}
	for r := range tile.Runs(t, a.Shape) {
		err := p.Fill(r, func(part []byte, from int) error {
			at := (int64(r.InArray) + int64(from)) * int64(a.size)
			switch {
			case a.kind == compactLayout:
				copy(part, a.inside[at:])
			case a.missing:
				a.blank(part)
			default:
				_, err := a.in.r.ReadAt(part, a.in.base+int64(a.at)+at)
				return err
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// blank fills memory with the element that was never written.
func (a *Array) blank(part []byte) {
	if a.fill == nil {
		clear(part)
		return
	}
	for n := copy(part, a.fill); n < len(part); n *= 2 {
		copy(part[n:], part[:n])
	}
}

// readChunks places the parts of the chunks that a part of the array lies in.
func (a *Array) readChunks(p *tile.Placer, t region.Region) error {
	over := make(region.Region, len(t))
	grid := make([]int, len(t))
	for k, i := range t {
		over[k] = region.Interval{Lo: i.Lo / a.chunk[k], Hi: (i.Hi + a.chunk[k] - 1) / a.chunk[k]}
		grid[k] = (a.Shape[k] + a.chunk[k] - 1) / a.chunk[k]
	}
	strides := tile.Strides(grid)
	for at := range over.Indices() {
		number := 0
		for k, i := range at {
			number += i * strides[k]
		}
		data, err := a.chunkOf(number)
		if err != nil {
			return err
		}
		both := a.box(at, a.Shape).Intersect(t)
		for row := range tile.Pieces(both, a.chunk, t) {
			scratch := p.Scratch(row.N)
			if data == nil {
				a.blank(scratch)
			} else {
				copy(scratch, data[row.Here*a.size:])
			}
			if err := p.Place(row.There, scratch); err != nil {
				return err
			}
		}
	}
	return nil
}

// mostRecent bounds the bytes of chunks that are kept for the next part.
const mostRecent = 64 << 20

// chunkOf gives the elements of a chunk as they are in the file; nil: it was never written.
func (a *Array) chunkOf(number int) ([]byte, error) {
	a.mu.Lock()
	data, known := a.recent[number]
	a.mu.Unlock()
	if known {
		return data, nil
	}
	at, there := a.places[number]
	if !there {
		return nil, nil
	}
	if at.bytes > mostChunk {
		return nil, damage("a chunk of %d bytes", at.bytes)
	}
	u := a.spare.Get().(*unpacker)
	defer a.spare.Put(u)
	u.raw = words.Resized(u.raw, int(at.bytes))
	if _, err := a.in.r.ReadAt(u.raw, a.in.base+int64(at.addr)); err != nil {
		return nil, err
	}
	data, err := a.unpacked(u.raw, at.skipped, u)
	if err != nil {
		return nil, err
	}
	data = bytes.Clone(data)
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, again := a.recent[number]; !again {
		a.order = append(a.order, number)
	}
	a.recent[number] = data
	for len(a.order) > 1 && len(a.order)*len(data) > mostRecent {
		delete(a.recent, a.order[0])
		a.order = a.order[1:]
	}
	return data, nil
}

// unpacker holds memory for chunks on their way.
type unpacker struct {
	raw, inflated, ordered []byte
	zlib                   io.ReadCloser
}

// inflate undoes deflate, to at most so many bytes.
func (u *unpacker) inflate(raw []byte, most int) ([]byte, error) {
	var err error
	if u.zlib == nil {
		u.zlib, err = zlib.NewReader(bytes.NewReader(raw))
	} else {
		err = u.zlib.(zlib.Resetter).Reset(bytes.NewReader(raw), nil)
	}
	if err != nil {
		u.zlib = nil
		return nil, damage("a chunk cannot be unpacked: %v", err)
	}
	u.inflated = words.Resized(u.inflated, most)
	n, err := io.ReadFull(u.zlib, u.inflated)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, damage("a chunk cannot be unpacked: %v", err)
	}
	return u.inflated[:n], nil
}

// unshuffle puts the bytes of each element side by side; what is no whole element stays behind them.
func (u *unpacker) unshuffle(raw []byte, each int) []byte {
	if each < 2 || each > len(raw) { // in a damaged file it is anything
		return raw
	}
	n := len(raw) / each
	u.ordered = words.Resized(u.ordered, len(raw))
	for k := range each {
		for i, b := range raw[k*n : (k+1)*n] {
			u.ordered[i*each+k] = b
		}
	}
	copy(u.ordered[n*each:], raw[n*each:])
	return u.ordered
}
