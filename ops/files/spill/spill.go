// Package spill keeps what a program makes on disk until a later part of it reads it, box by box: in a file without a name, whose rows begin with pages.
package spill

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"sync"

	"weft/kernels/region"
	"weft/ops"
	"weft/ops/files"
	"weft/ops/problem"
)

// page is what there is a checksum of: of what is read, all of its pages are.
const page = 4096

// Array is such an array: the sink that takes it, and the source that gives it.
type Array struct {
	Type ops.Type
	Dir  string // where the file lies

	mu   sync.Mutex
	file *os.File
	sums []uint32 // by page; unwritten: there are zeros alone, which take no room in the file
}

// Sink takes the array.
type Sink struct{ *Array }

// Source gives what the sink took.
type Source struct{ *Array }

// Outputs implements ops.Op.
func (s Source) Outputs() []ops.Output { return ops.One(s.Type) }

// After implements ops.Later.
func (s Source) After(op ops.Op) bool {
	k, ok := op.(Sink)
	return ok && k.Array == s.Array
}

// name is what people know the file by.
func (a *Array) name() string { return filepath.Join(a.Dir, "a file for what does not fit the memory") }

// begin makes the file anew.
func (a *Array) begin() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.file != nil {
		_ = a.file.Close()
		a.file = nil
	}
	f, err := os.CreateTemp(a.Dir, ".weft-*")
	if err != nil {
		return files.Unwritten(a.name(), err)
	}
	size := int64(0)
	for _, p := range a.Type.Parts() {
		size += rows(p) * pitch(p)
	}
	if err = errors.Join(os.Remove(f.Name()), f.Truncate(size)); err != nil {
		_ = f.Close()
		return files.Unwritten(a.name(), err)
	}
	a.file, a.sums = f, make([]uint32, size/page)
	return nil
}

// rows are those of a part.
func rows(p ops.Part) int64 {
	n := int64(1)
	for _, x := range p.Shape[:max(0, len(p.Shape)-1)] {
		n *= int64(x)
	}
	return n
}

// pitch is from row to row.
func pitch(p ops.Part) int64 {
	n := p.Type.Size()
	if len(p.Shape) > 0 {
		n *= p.Shape[len(p.Shape)-1]
	}
	return int64(n+page-1) / page * page
}

// each visits the rows of a box that lies in memory: where in the file the row begins, from where in it the bytes count, and these.
func (a *Array) each(at region.Region, h ops.HostArray, visit func(begin, from int64, data []byte) error) error {
	start, last := int64(0), len(at)-1
	for i, p := range a.Type.Parts() {
		if h.Parts[i].Buf.Type != p.Type {
			return fmt.Errorf("%s is kept on disk in %s, and lies in memory in %s", a.Type, p.Type, h.Parts[i].Buf.Type)
		}
		row, from := 0, int64(at[last].Lo*p.Type.Size())
		for index := range at[:last].Indices() {
			n := int64(0)
			for d, x := range index {
				n = n*int64(p.Shape[d]) + int64(x)
			}
			if err := visit(start+n*pitch(p), from, h.Parts[i].Row(row)); err != nil {
				return err
			}
			row++
		}
		start += rows(p) * pitch(p)
	}
	return nil
}

// write puts a box in the file.
func (a *Array) write(at region.Region, h ops.HostArray) error {
	var buf []byte
	err := a.each(at, h, func(begin, from int64, data []byte) error {
		lo, hi := from/page*page, (from+int64(len(data))+page-1)/page*page
		buf = append(buf[:0], make([]byte, hi-lo)...)
		if from > lo { // what is beside it was written before, or is zero
			if _, err := a.file.ReadAt(buf[:from-lo], begin+lo); err != nil {
				return err
			}
		}
		if end := from + int64(len(data)); end < hi {
			if _, err := a.file.ReadAt(buf[end-lo:], begin+end); err != nil {
				return err
			}
		}
		copy(buf[from-lo:], data)
		for k := lo; k < hi; {
			end := k
			for sums := a.sums[(begin+k)/page:]; end < hi; end += page {
				p, sum := buf[end-lo:end-lo+page], &sums[(end-k)/page]
				if *sum == unwritten && bytes.Equal(p, zeros) {
					break
				}
				*sum = checksum(p)
			}
			if _, err := a.file.WriteAt(buf[k-lo:end-lo], begin+k); err != nil {
				return err
			}
			k = end + page
		}
		return nil
	})
	return files.Unwritten(a.name(), err)
}

// read gives a box of the file.
func (a *Array) read(at region.Region, to ops.HostArray) error {
	var buf []byte
	return a.each(at, to, func(begin, from int64, data []byte) error {
		lo, hi := from/page*page, (from+int64(len(data))+page-1)/page*page
		into := data
		if hi-lo > int64(len(data)) {
			buf = append(buf[:0], make([]byte, hi-lo)...)
			into = buf
		}
		if _, err := a.file.ReadAt(into, begin+lo); err != nil {
			return err
		}
		for k := lo; k < hi; k += page {
			p, sum := into[k-lo:k-lo+page], a.sums[(begin+k)/page]
			if sum == unwritten && bytes.Equal(p, zeros) {
				continue
			}
			if sum != checksum(p) {
				return problem.Wrong(problem.DamagedTile, "", "run it again; if it comes again, the disk is at fault",
					"page %d of %s is not what was written to %s", (begin+k)/page, a.Type, a.name())
			}
		}
		if len(into) > len(data) {
			copy(data, into[from-lo:])
		}
		return nil
	})
}

// unwritten is the checksum of no page.
const unwritten = 0

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	zeros      = make([]byte, page)
)

func checksum(p []byte) uint32 { return max(unwritten+1, crc32.Checksum(p, castagnoli)) }

// Outputs implements ops.Op.
func (Sink) Outputs() []ops.Output { return nil }

// Inner implements ops.Inner.
func (Sink) Inner() {}

// Take implements ops.Sink.
func (s Sink) Take(_ context.Context, in []ops.HostArray, _ ops.Terminal) (ops.Note, error) {
	if err := s.begin(); err != nil {
		return ops.Note{}, err
	}
	at := s.Type.Whole()
	for piece := range ops.Pieces(at, at.Shape()) {
		if err := s.write(piece, in[0].Sub(piece)); err != nil {
			return ops.Note{}, err
		}
	}
	return s.note(), nil
}

// note says what is kept.
func (a *Array) note() ops.Note {
	return ops.Note{Text: fmt.Sprintf("%s, on disk", a.Type), Bytes: a.Type.Bytes()}
}

// OpenSink implements ops.TileWriter. What an earlier run wrote is gone with it.
func (s Sink) OpenSink([]ops.Mark) (ops.TileSink, error) {
	if err := s.begin(); err != nil {
		return nil, err
	}
	return sink(s), nil
}

type sink struct{ *Array }

// Write implements ops.TileSink.
func (s sink) Write(_ context.Context, at region.Region, in []ops.HostArray) error {
	return s.write(at, in[0])
}

// Mark implements ops.TileSink: a run that goes on makes all of it anew.
func (sink) Mark() (ops.Mark, error) { return ops.Mark{}, nil }

// Sync implements ops.TileSink.
func (sink) Sync() error { return nil }

// Commit implements ops.TileSink.
func (s sink) Commit(context.Context) (ops.Note, error) { return s.note(), nil }

// Suspend implements ops.TileSink.
func (s sink) Suspend() error { return s.Abort() }

// Abort implements ops.TileSink.
func (s sink) Abort() error { return s.file.Close() }

// Fill implements ops.Source.
func (s Source) Fill(_ context.Context, to ops.HostArray) (ops.Note, error) {
	at := s.Type.Whole()
	for piece := range ops.Pieces(at, at.Shape()) {
		if err := s.read(piece, to.Sub(piece)); err != nil {
			return ops.Note{}, err
		}
	}
	return s.note(), nil
}

// OpenSource implements ops.TileReader.
func (s Source) OpenSource() (ops.TileSource, error) { return source(s), nil }

type source struct{ *Array }

// Read implements ops.TileSource.
func (s source) Read(_ context.Context, at region.Region, to ops.HostArray) error {
	return s.read(at, to)
}

// Close implements ops.TileSource. The file stays for others.
func (s source) Close(context.Context) (ops.Note, error) { return s.note(), nil }

// Fits implements ops.Streamer.
func (*Array) Fits() error { return nil }

// Scratch implements ops.Streamer: a row, with the pages that it begins and ends in.
func (a *Array) Scratch(at region.Region) int64 {
	return int64(at[len(at)-1].Len()*a.Type.Elem.Size()) + 2*page
}

// Chunk implements ops.Streamer.
func (*Array) Chunk() []int { return nil }

// Moves implements ops.Streamer.
func (a *Array) Moves(at region.Region) int64 { return at.Points() * int64(a.Type.Elem.Size()) }
