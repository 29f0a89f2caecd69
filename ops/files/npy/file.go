package npy

import (
	"errors"
	"io"
	"os"
	"sync"

	"weft/ops/files/fileio"
)

const (
	cannotRead = "cannot read"
	shortened  = "became shorter while it was read"
)

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
	file, err := os.Open(path)
	if err != nil {
		return nil, fail(path, cannotRead, err)
	}
	info, err := file.Stat()
	if err != nil {
		return nil, errors.Join(fail(path, cannotRead, err), file.Close())
	}
	if !info.Mode().IsRegular() {
		kind, reason := fileio.Foreign, "is not a regular file, so parts of it cannot be read in any order"
		if info.IsDir() {
			kind, reason = fileio.Folder, "is a folder, not a file"
		}
		return nil, errors.Join(&Error{Path: path, Kind: kind, Reason: reason}, file.Close())
	}
	f, err := New(path, file, info.Size())
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
		return nil, fail(name, cannotRead, err)
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
		return fail(f.name, cannotRead, err)
	}
	return nil
}

// fail words err as an *Error about the file.
func fail(path, doing string, err error) error {
	var known *Error
	if errors.As(err, &known) && known.Path == "" {
		known.Path = path
	}
	return fileio.Wrap(path, doing, err)
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
