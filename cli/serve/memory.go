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

// mapped is so many bytes of memory that another process shares, and a margin behind them if it is there.
func mapped(path string, bytes int) (*memory, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case bytes <= 0 || info.Size() < int64(bytes):
		return nil, fmt.Errorf("%s has %d bytes, and %d are to be read", path, info.Size(), bytes)
	}
	m := &memory{}
	m.data, err = unix.Mmap(int(f.Fd()), 0, int(min(int64(bytes+margin), info.Size())), unix.PROT_READ, unix.MAP_SHARED)
	return m, err
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
