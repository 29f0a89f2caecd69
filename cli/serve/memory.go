//go:build unix

package serve

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// memory is a file in memory that both processes map.
type memory struct {
	file *os.File // nil: the other process's
	data []byte
	path string
	info os.FileInfo // of the other process's, whose path may name another file later
}

// share makes memory for another process, which opens its path.
func share(bytes int) (*memory, error) {
	f, path, err := anonymous()
	if err != nil {
		return nil, fmt.Errorf("no memory to share: %w", err)
	}
	m := &memory{file: f, path: path}
	if err := f.Truncate(int64(bytes)); err != nil {
		return nil, errors.Join(fmt.Errorf("no memory of %d bytes to share: %w", bytes, err), m.close())
	}
	if m.data, err = unix.Mmap(int(f.Fd()), 0, bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
		return nil, errors.Join(fmt.Errorf("no memory of %d bytes to share: %w", bytes, err), m.close())
	}
	return m, nil
}

// mapped is a file that another process shares, whole.
func mapped(path string) (*memory, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() == 0 {
		return nil, fmt.Errorf("%s is empty", path)
	}
	m := &memory{path: path, info: info}
	m.data, err = unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	return m, err
}

// is reports whether it is the file that a path names now.
func (m *memory) is(path string) bool {
	info, err := os.Stat(path)
	return err == nil && m.path == path && os.SameFile(info, m.info) && info.Size() == int64(len(m.data))
}

// close gives it up. A file with a name is deleted.
func (m *memory) close() (err error) {
	if m.data != nil {
		err = unix.Munmap(m.data)
		m.data = nil
	}
	if m.file != nil {
		err = errors.Join(err, m.file.Close(), forget(m.path))
	}
	return err
}
