package npy

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"io"

	"weft/ops/files/element"
	"weft/ops/files/fileio"
)

// ArchiveWriter writes an NPZ file of stored (not compressed) arrays, one after the other. The file appears under
// its name at Commit, complete; every ArchiveWriter ends in Commit or Abort.
type ArchiveWriter struct {
	pending *fileio.Pending
	buffer  *bufio.Writer
	zip     *zip.Writer
	names   map[string]bool
	current *member
}

// member counts the bytes of the array that is being written.
type member struct {
	io.Writer
	owner   *ArchiveWriter
	name    string
	missing int64
}

// CreateArchive starts an NPZ file.
func CreateArchive(path string) (*ArchiveWriter, error) {
	pending, err := fileio.Create(path)
	if err != nil {
		return nil, err
	}
	buffer := bufio.NewWriterSize(pending, 256<<10)
	return &ArchiveWriter{pending: pending, buffer: buffer, zip: zip.NewWriter(buffer), names: map[string]bool{}}, nil
}

// Create begins an array. Its elements are then written to the result, in C order and this machine's byte order,
// before the next Create or Commit.
func (w *ArchiveWriter) Create(name string, d element.DType, shape []int) (io.Writer, error) {
	header, err := newHeader(d, shape)
	if err != nil {
		return nil, w.fail(fmt.Errorf("array %s: %w", clip(name), err))
	}
	stored, err := w.create(name, header.encode())
	if err != nil {
		return nil, err
	}
	w.current = &member{Writer: stored, owner: w, name: name, missing: header.Bytes()}
	return w.current, nil
}

// create begins a member with the header of an array.
func (w *ArchiveWriter) create(name string, header []byte) (io.Writer, error) {
	if err := w.finish(); err != nil {
		return nil, err
	}
	if w.names[name] {
		return nil, w.fail(fmt.Errorf("two arrays are named %s", clip(name)))
	}
	stored, err := w.zip.CreateHeader(&zip.FileHeader{Name: name + suffix, Method: zip.Store})
	if err != nil {
		return nil, w.fail(err)
	}
	if _, err := stored.Write(header); err != nil {
		return nil, w.fail(err)
	}
	w.names[name] = true
	return stored, nil
}

// Add writes a whole array.
func (w *ArchiveWriter) Add(name string, d element.DType, shape []int, elements []byte) error {
	array, err := w.Create(name, d, shape)
	if err != nil {
		return err
	}
	if _, err := array.Write(elements); err != nil {
		return err
	}
	return w.finish()
}

func (m *member) Write(p []byte) (int, error) {
	if m.owner.current != m {
		return 0, m.owner.fail(fmt.Errorf("array %s is written after the next one was begun", clip(m.name)))
	}
	if int64(len(p)) > m.missing {
		return 0, m.owner.fail(fmt.Errorf("array %s gets more elements than its shape holds", clip(m.name)))
	}
	n, err := m.Writer.Write(p)
	m.missing -= int64(n)
	if err != nil {
		return n, m.owner.fail(err)
	}
	return n, nil
}

// finish makes sure that the array begun last is complete.
func (w *ArchiveWriter) finish() error {
	if w.current != nil && w.current.missing > 0 {
		return w.fail(fmt.Errorf("%d bytes of array %s were not written", w.current.missing, clip(w.current.name)))
	}
	w.current = nil
	return nil
}

func (w *ArchiveWriter) fail(err error) error {
	return fileio.Wrap(w.pending.Path(), cannotWrite, err)
}

// Commit gives the file its name. With durable set it first waits until the bytes are on the disk. When it fails,
// no file is left.
func (w *ArchiveWriter) Commit(durable bool) error {
	for _, step := range []func() error{w.finish, w.zip.Close, w.buffer.Flush} {
		if err := step(); err != nil {
			return errors.Join(w.fail(err), w.Abort())
		}
	}
	return w.pending.Commit(durable)
}

// Abort removes what was written. After a Commit that succeeded it does nothing.
func (w *ArchiveWriter) Abort() error { return w.pending.Abort() }
