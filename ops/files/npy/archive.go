package npy

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"weft/ops/files/fileio"
	"weft/ops/files/format"
)

// Archive is an NPZ file open for reading: a ZIP archive of NPY files, stored or deflated.
type Archive struct {
	path    string
	file    *os.File
	names   []string
	members map[string]*zip.File
}

const suffix = ".npy"

// OpenArchive reads the directory of the NPZ file at path.
func OpenArchive(path string) (*Archive, error) {
	file, size, err := fileio.Open(path)
	if err != nil {
		return nil, err
	}
	a := &Archive{path: path, file: file, members: map[string]*zip.File{}}
	if err := a.list(size); err != nil {
		return nil, errors.Join(fileio.Wrap(path, fileio.CannotRead, err), file.Close())
	}
	return a, nil
}

func (a *Archive) list(size int64) error {
	z, err := zip.NewReader(a.file, size)
	if errors.Is(err, zip.ErrFormat) {
		return &Error{Kind: fileio.Foreign, Reason: "is not an NPZ archive, or is damaged", Help: "an NPY file holds a single array and is opened as such", Err: err}
	}
	if err != nil {
		return err
	}
	for _, member := range z.File {
		name, array := strings.CutSuffix(member.Name, suffix)
		if !array {
			continue
		}
		if a.members[name] != nil {
			return &Error{Reason: fmt.Sprintf("holds two arrays named %s", clip(name))}
		}
		if err := plausible(member, size); err != nil {
			return err
		}
		a.names = append(a.names, name)
		a.members[name] = member
	}
	return nil
}

// plausible checks the sizes that the directory claims against the size of the archive, so that nothing is
// allocated for bytes that cannot come: deflate makes data at most 1032 times smaller.
func plausible(member *zip.File, size int64) error {
	const most = 1032
	packed, unpacked := member.CompressedSize64, member.UncompressedSize64
	bad := packed > uint64(size) || unpacked > 1<<62
	switch member.Method {
	case zip.Store:
		bad = bad || unpacked != packed
	case zip.Deflate:
		bad = bad || unpacked/most > packed
	default:
		return &Error{
			Reason: fmt.Sprintf("packs %s by the ZIP method %d; stored and deflated are read", clip(member.Name), member.Method),
			Help:   "write it with np.savez or np.savez_compressed",
		}
	}
	if bad {
		return &Error{Reason: fmt.Sprintf("is damaged: %s cannot be %d bytes packed into %d", clip(member.Name), unpacked, packed)}
	}
	return nil
}

// Open opens one array. Tiles of a stored one are read from where they are; of one that is deflated in ascending order, and going back unpacks again from the
// beginning. The archive's checksum is verified when the last byte is read, or before what does not follow on what was read.
func (a *Archive) Open(name string) (*File, error) {
	member := a.members[name]
	if member == nil {
		e := &Error{Path: a.path, Kind: fileio.NoMember, Reason: fmt.Sprintf("holds no array named %s", clip(name)), Known: a.names}
		if len(a.names) > 0 {
			e.Help = "it holds " + strings.Join(a.names, ", ")
		}
		return nil, e
	}
	stream := &memberReader{member: member}
	if member.Method == zip.Store {
		at, err := member.DataOffset()
		if err != nil {
			return nil, fileio.Wrap(a.path, fileio.CannotRead, err)
		}
		stream.stored = io.NewSectionReader(a.file, at, int64(member.UncompressedSize64))
	}
	f, err := New(a.path+"["+name+"]", stream, int64(member.UncompressedSize64))
	if err != nil {
		return nil, errors.Join(err, stream.Close())
	}
	f.close = stream.Close
	return f, nil
}

// only opens the array of a name, or the only one where none is given.
func (a *Archive) only(name string) (*File, error) {
	switch {
	case name != "":
	case len(a.names) == 1:
		name = a.names[0]
	case len(a.names) == 0:
		return nil, &Error{Path: a.path, Kind: fileio.Empty, Reason: "holds no array"}
	default:
		return nil, &Error{Path: a.path, Kind: fileio.Ambiguous, Reason: fmt.Sprintf("holds %d arrays: %s", len(a.names), strings.Join(a.names, ", ")),
			Help: fmt.Sprintf("choose one: member: %q", a.names[0])}
	}
	return a.Open(name)
}

// list tells the arrays of a file of several.
func list(path string, _ format.Choice) ([]format.Part, error) {
	a, err := OpenArchive(path)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	if len(a.names) < 2 {
		return nil, nil
	}
	parts := make([]format.Part, len(a.names))
	for i, name := range a.names {
		parts[i].Name = name
		f, err := a.Open(name)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) {
				return nil, err
			}
			if text, is := a.text(name); is {
				parts[i].Text = &text
			} else {
				parts[i].Not = e.Reason
			}
			continue
		}
		for k := range f.Header().Shape {
			parts[i].Dims = append(parts[i].Dims, fmt.Sprintf("axis%d", k))
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// Close ends reading of the archive and of all arrays opened from it.
func (a *Archive) Close() error {
	if err := a.file.Close(); err != nil {
		return fileio.Wrap(a.path, fileio.CannotRead, err)
	}
	return nil
}

// memberReader reads an archive member at any offset: forward by unpacking, backward by starting again or, once its checksum is right, where it is stored.
type memberReader struct {
	member *zip.File
	stored *io.SectionReader // nil: it is deflated
	mu     sync.Mutex
	stream io.ReadCloser // nil before the first read
	at     int64
	right  bool // the checksum
}

func (m *memberReader) ReadAt(p []byte, offset int64) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	const header = 64 << 10 // which is looked at in some order, when nothing is made of it yet
	if m.stored != nil && offset != m.at && max(offset, m.at) > header {
		if err := m.check(); err != nil {
			return 0, err
		}
		return m.stored.ReadAt(p, offset)
	}
	if m.stream == nil || offset < m.at {
		if err := m.restart(); err != nil {
			return 0, err
		}
	}
	skipped, err := io.CopyN(io.Discard, m.stream, offset-m.at)
	m.at += skipped
	if err != nil {
		return 0, m.explain(err)
	}
	n, err := io.ReadFull(m.stream, p)
	m.at += int64(n)
	if err == nil && m.at == int64(m.member.UncompressedSize64) {
		// The checksum is compared by the read that meets the end.
		if _, err = io.ReadFull(m.stream, make([]byte, 1)); err == io.EOF {
			err = nil
		}
	}
	if err != nil {
		return 0, m.explain(err)
	}
	return n, nil
}

// check compares the checksum, once, with what is stored.
func (m *memberReader) check() error {
	if m.right {
		return nil
	}
	if err := m.restart(); err != nil {
		return err
	}
	n, err := io.Copy(io.Discard, m.stream)
	if m.at = n; err != nil {
		return m.explain(err)
	}
	m.right = true
	return nil
}

func (m *memberReader) restart() (err error) {
	if err := m.close(); err != nil {
		return err
	}
	m.stream, err = m.member.Open()
	return err
}

func (m *memberReader) explain(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return err
	}
	return &Error{Reason: fmt.Sprintf("is damaged: unpacking fails near byte %d: %v", m.at, err), Help: "copy or write the file again", Err: err}
}

// Close releases the unpacker.
func (m *memberReader) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.close()
}

func (m *memberReader) close() error {
	m.at = 0
	if m.stream == nil {
		return nil
	}
	stream := m.stream
	m.stream = nil
	return stream.Close()
}
