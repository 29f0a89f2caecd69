package npy

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"weft/kernels/region"
	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/words"
)

// Writer writes one NPY file, in order with Write or by parts with Part, not both. The file appears under its name at Commit,
// complete; every Writer ends in Commit or Abort.
type Writer struct {
	pending *fileio.Pending
	header  Header
	next    int64 // bytes of elements written
}

// Create starts an NPY file of version 1.0, in C order and this machine's byte order. The disk space is taken now,
// so that a full disk shows before the work.
func Create(path string, d element.DType, shape []int) (*Writer, error) {
	return create(path, d, shape, func(path string, _ int64) (*fileio.Pending, error) { return fileio.Create(path) })
}

// CreateResumable is Create of a file that Resume can go on with.
func CreateResumable(path string, d element.DType, shape []int) (*Writer, error) {
	return create(path, d, shape, func(path string, _ int64) (*fileio.Pending, error) { return fileio.CreateResumable(path) })
}

// Resume goes on with a file that CreateResumable began, some parts of which are there.
func Resume(path string, d element.DType, shape []int, there []region.Region) (*Writer, error) {
	var done, end int64
	for _, t := range there {
		if err := inside(t, shape); err != nil {
			return nil, fileio.Wrap(path, cannotWrite, err)
		}
		for r := range runs(t, shape) {
			done, end = done+int64(r.n), max(end, int64(r.inArray+r.n))
		}
	}
	size := int64(d.Size())
	w, err := create(path, d, shape, func(path string, start int64) (*fileio.Pending, error) { return fileio.Resume(path, start+end*size) })
	if err != nil {
		return nil, err
	}
	w.next = done * size
	return w, nil
}

// create begins a file in which elements start at a place that begin is told.
func create(path string, d element.DType, shape []int, begin func(path string, start int64) (*fileio.Pending, error)) (*Writer, error) {
	header, err := newHeader(d, shape)
	if err != nil {
		return nil, fileio.Wrap(path, cannotWrite, err)
	}
	encoded := header.encode()
	header.DataOffset = int64(len(encoded))
	pending, err := begin(path, header.DataOffset)
	if err != nil {
		return nil, err
	}
	w := &Writer{pending: pending, header: header}
	err = pending.Reserve(header.DataOffset + header.Bytes())
	if err == nil {
		_, err = pending.WriteAt(encoded, 0)
	}
	if err != nil {
		return nil, errors.Join(err, pending.Abort())
	}
	return w, nil
}

// Sync waits until what was written is on the disk.
func (w *Writer) Sync() error { return w.pending.Sync() }

// Suspend leaves a file that CreateResumable began for Resume.
func (w *Writer) Suspend() error { return w.pending.Suspend() }

const cannotWrite = "cannot write"

// newHeader checks what is to be written.
func newHeader(d element.DType, shape []int) (Header, error) {
	if !d.Valid() {
		return Header{}, fmt.Errorf("no element type: %v", d)
	}
	if len(shape) > maxDims {
		return Header{}, fmt.Errorf("the array has %d dimensions; NPY files hold at most %d", len(shape), maxDims)
	}
	for _, n := range shape {
		if n < 0 {
			return Header{}, fmt.Errorf("the shape %v has a negative length", element.Shape(shape))
		}
	}
	if !addressable(shape, d) {
		return Header{}, fmt.Errorf("the shape %v of %v has more bytes than this machine can address", element.Shape(shape), d)
	}
	return Header{DType: d, Shape: shape, BigEndian: words.HostBigEndian && d.Word() > 1, Version: [2]uint8{1, 0}}, nil
}

// Header is what the file will say of its array.
func (w *Writer) Header() Header { return w.header }

// Write appends elements in C order and this machine's byte order.
func (w *Writer) Write(p []byte) (int, error) {
	if int64(len(p)) > w.header.Bytes()-w.next {
		return 0, w.fail(fmt.Errorf("more elements than the shape %v holds", element.Shape(w.header.Shape)))
	}
	n, err := w.pending.WriteAt(p, w.header.DataOffset+w.next)
	w.next += int64(n)
	return n, err
}

// Part writes a part of the array, given in C order and this machine's byte order.
func (w *Writer) Part(t region.Region) io.WriteCloser {
	return &partWriter{w: w, rest: slices.Collect(runs(t, w.header.Shape))}
}

type partWriter struct {
	w    *Writer
	rest []run
}

func (p *partWriter) Write(data []byte) (n int, err error) {
	size := p.w.header.DType.Size()
	for len(data) > 0 && err == nil {
		if len(p.rest) == 0 {
			return n, p.w.fail(errors.New("more elements than the part holds"))
		}
		r := &p.rest[0]
		k := min(len(data)/size, r.n)
		var done int
		done, err = p.w.pending.WriteAt(data[:k*size], p.w.header.DataOffset+int64(r.inArray)*int64(size))
		p.w.next += int64(done)
		n, data = n+done, data[done:]
		if r.inArray, r.n = r.inArray+k, r.n-k; r.n == 0 {
			p.rest = p.rest[1:]
		}
	}
	return n, err
}

// Close ends the part. What is missing of it is found at Commit.
func (p *partWriter) Close() error { return nil }

func (w *Writer) fail(err error) error {
	return fileio.Wrap(w.pending.Path(), cannotWrite, err)
}

// Commit gives the file its name, once as many elements were written as the shape holds. With durable set it first waits until
// they are on the disk. When it fails, no file is left.
func (w *Writer) Commit(durable bool) error {
	if got, want := w.next, w.header.Bytes(); got != want {
		size := int64(w.header.DType.Size())
		err := fmt.Errorf("%d elements of %d were written", got/size, want/size)
		return errors.Join(w.fail(err), w.Abort())
	}
	return w.pending.Commit(durable)
}

// Abort removes what was written. After a Commit that succeeded it does nothing.
func (w *Writer) Abort() error { return w.pending.Abort() }
