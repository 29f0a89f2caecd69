package npy

import (
	"errors"
	"io"
	"sync"

	"weft/ops/files/fileio"
)

const shortened = "became shorter while it was read"

// File is an NPY array open for reading. Its methods other than Close may be called concurrently.
type File struct {
	header Header
	name   string // for errors
	source io.ReaderAt
	close  func() error

	mapOnce sync.Once
	mapped  []byte // all elements in file order, or nil
	unmap   func() error

	reading  sync.Once
	whole    []byte // the same, read because mapping failed
	wholeErr error
}

// Stat reads and checks the header alone. A file whose size is not what its header claims is an error here.
func Stat(path string) (Header, error) {
	f, err := Open(path)
	if err != nil {
		return Header{}, err
	}
	return f.header, f.Close()
}

// Open checks the header of the NPY file at path and keeps the file open for reading.
func Open(path string) (*File, error) {
	file, size, err := fileio.Open(path)
	if err != nil {
		return nil, err
	}
	f, err := New(path, file, size)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	f.close = file.Close
	return f, nil
}

// New reads an array from size bytes of r, called name in errors. Concurrent use of the File needs an r that allows it.
func New(name string, r io.ReaderAt, size int64) (*File, error) {
	header, err := readHeader(r, size)
	if err != nil {
		return nil, fileio.Wrap(name, fileio.CannotRead, err)
	}
	return &File{header: header, name: name, source: r}, nil
}

// Header is what the file says of its array.
func (f *File) Header() Header { return f.header }

// Close ends reading. What Mapped gave must not be used any more.
func (f *File) Close() error {
	var errs []error
	if f.unmap != nil {
		errs = append(errs, f.unmap())
	}
	if f.close != nil {
		errs = append(errs, f.close())
	}
	if err := errors.Join(errs...); err != nil {
		return fileio.Wrap(f.name, fileio.CannotRead, err)
	}
	return nil
}

// readFull fills p from offset. An end of file before that is an error: sizes have been checked.
func readFull(r io.ReaderAt, p []byte, offset int64) error {
	if len(p) == 0 {
		return nil
	}
	n, err := r.ReadAt(p, offset)
	if n == len(p) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return &Error{Kind: fileio.Cut, Reason: shortened}
	}
	return err
}
