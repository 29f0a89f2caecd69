package tile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"weft/kernels/region"
	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/fileio"
)

// Writer writes one file of elements that follow each other behind a head, in order with Write or by parts with Part, not both. The file appears
// under its name at Commit, complete; every Writer ends in Commit or Abort.
type Writer struct {
	pending *fileio.Pending
	file    File
	blank   bool          // the file began as zeros, so that some need not be written
	next    int64         // bytes of elements written
	fresh   region.Region // what was written by parts since the last mark
}

// File is how an array lies in a file.
type File struct {
	DType element.DType
	Shape []int
	Head  []byte // what comes before the elements
	Tail  []byte // what comes behind them
	// Code gives elements as they are in the file: in memory of its own; nil: as they are given.
	Code func(p []byte) []byte
}

// Bytes is the size of the elements.
func (f File) Bytes() int64 {
	n := int64(f.DType.Size())
	for _, extent := range f.Shape {
		n *= int64(extent)
	}
	return n
}

const cannotWrite = "cannot write"

// Create starts a file: so that a later run can go on where this one stopped, if it is to be resumable, and with one of which some parts are there
// already. The disk space is taken now, so that a full disk shows before the work.
func (f File) Create(path string, resumable bool, marks []ops.Mark) (*Writer, error) {
	var done, end int64
	for _, m := range marks {
		t := m.There
		if err := Inside(t, f.Shape); err != nil {
			return nil, fileio.Wrap(path, cannotWrite, err)
		}
		for r := range Runs(t, f.Shape) {
			done, end = done+int64(r.N), max(end, int64(r.InArray+r.N))
		}
	}
	size, start := int64(f.DType.Size()), int64(len(f.Head))
	var pending *fileio.Pending
	var err error
	switch {
	case !resumable:
		pending, err = fileio.Create(path)
	case len(marks) == 0:
		pending, err = fileio.CreateResumable(path)
	default:
		pending, err = fileio.Resume(path, start+end*size)
	}
	if err != nil {
		return nil, err
	}
	tail := start + f.Bytes()
	if err = pending.Reserve(tail + int64(len(f.Tail))); err == nil {
		_, err = pending.WriteAt(f.Head, 0)
	}
	if err == nil {
		_, err = pending.WriteAt(f.Tail, tail)
	}
	if err != nil {
		return nil, errors.Join(err, pending.Abort())
	}
	return &Writer{pending: pending, file: f, blank: len(marks) == 0, next: done * size}, nil
}

// zeros are so many as are worth a call of the system less: triangles, masks and sparse arrays have many.
var zeros [16 << 10]byte

// Mark marks what was written since the last one.
func (w *Writer) Mark() (ops.Mark, error) {
	mark := ops.Mark{There: w.fresh}
	w.fresh = nil
	return mark, nil
}

// Sync waits until what was written is on the disk.
func (w *Writer) Sync() error {
	return w.pending.Sync()
}

// Suspend leaves a file that was created to be resumable for Resume.
func (w *Writer) Suspend() error { return w.pending.Suspend() }

// Write appends elements in C order and this machine's byte order.
func (w *Writer) Write(p []byte) (int, error) {
	if int64(len(p)) > w.file.Bytes()-w.next {
		return 0, w.fail(fmt.Errorf("more elements than the shape %v holds", element.Shape(w.file.Shape)))
	}
	n, err := w.put(p, w.next)
	w.next += int64(n)
	return n, err
}

// put writes elements at a place behind the head.
func (w *Writer) put(p []byte, at int64) (int, error) {
	if w.file.Code != nil {
		p = w.file.Code(p)
	}
	at += int64(len(w.file.Head))
	done := 0
	write := func(to int) (err error) {
		if done < to {
			n := 0
			n, err = w.pending.WriteAt(p[done:to], at+int64(done))
			done += n
		}
		return err
	}
	for from := 0; w.blank && from < len(p); from += len(zeros) {
		to := min(from+len(zeros), len(p))
		if !bytes.Equal(p[from:to], zeros[:to-from]) {
			continue
		}
		if err := write(from); err != nil {
			return done, err
		}
		done = to
	}
	err := write(len(p))
	return done, err
}

// Part writes a part of the array, given in C order and this machine's byte order.
func (w *Writer) Part(t region.Region) io.WriteCloser {
	w.fresh = w.fresh.Hull(t)
	return &partWriter{w: w, rest: slices.Collect(Runs(t, w.file.Shape))}
}

type partWriter struct {
	w    *Writer
	rest []Run
}

func (p *partWriter) Write(data []byte) (n int, err error) {
	size := p.w.file.DType.Size()
	for len(data) > 0 && err == nil {
		if len(p.rest) == 0 {
			return n, p.w.fail(errors.New("more elements than the part holds"))
		}
		r := &p.rest[0]
		k := min(len(data)/size, r.N)
		var done int
		done, err = p.w.put(data[:k*size], int64(r.InArray)*int64(size))
		p.w.next += int64(done)
		n, data = n+done, data[done:]
		if r.InArray, r.N = r.InArray+k, r.N-k; r.N == 0 {
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

// Elements gives what was written, once all of it is: in C order, as it lies in the file.
func (w *Writer) Elements() (io.Reader, error) {
	if err := w.complete(); err != nil {
		return nil, err
	}
	return io.NewSectionReader(w.pending.File(), int64(len(w.file.Head)), w.file.Bytes()), nil
}

// complete finds elements that were not written.
func (w *Writer) complete() error {
	if got, want := w.next, w.file.Bytes(); got != want {
		size := int64(w.file.DType.Size())
		return w.fail(fmt.Errorf("%d elements of %d were written", got/size, want/size))
	}
	return nil
}

// Commit gives the file its name, once as many elements were written as the shape holds. With durable set it first waits until
// they are on the disk. When it fails, no file is left but one that was created to be resumed.
func (w *Writer) Commit(durable bool) error {
	if err := w.complete(); err != nil {
		return errors.Join(err, w.pending.Leave())
	}
	return w.pending.Commit(durable)
}

// Rename says that the file is to have another name in its folder.
func (w *Writer) Rename(path string) error { return w.pending.Rename(path) }

// Abort removes what was written. After a Commit that succeeded it does nothing.
func (w *Writer) Abort() error { return w.pending.Abort() }
