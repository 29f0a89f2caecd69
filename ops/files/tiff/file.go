package tiff

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"weft/ops/files/fileio"
	"weft/ops/files/tiff/cache"
	"weft/ops/files/words"
)

// File is a raster open for reading. Its methods other than Close may be called concurrently.
type File struct {
	header Header
	name   string // for errors
	source *container
	table  []place
	cache  *cache.Cache
	mask   *mask     // nil: none
	rows   sync.Pool // *[]byte, chunk bytes long
	close  func() error
}

// place is where the bytes of a block are. One without bytes was never written: its elements are nodata, or else 0.
type place struct{ offset, bytes int64 }

// DefaultCache is the bytes of unpacked blocks that a File keeps at first.
const DefaultCache = 64 << 20

// SetCache sets the bytes of unpacked blocks that are kept for later reads. Blocks in use come on top: one for each
// goroutine that reads. A mask keeps as many of its own.
func (f *File) SetCache(bytes int64) {
	if f.mask != nil {
		f.mask.SetCache(bytes)
	}
	f.cache.Keep(bytes)
}

// Stat reads and checks what the file says of its raster.
func Stat(path string) (Header, error) {
	f, err := Open(path)
	if err != nil {
		return Header{}, err
	}
	return f.header, f.Close()
}

// Open checks the raster in the GeoTIFF file at path, of one band, and keeps the file open for reading.
func Open(path string) (*File, error) { return OpenBand(path, 0) }

// OpenBand is Open of a band of several, from 1; 0 is the only one that there is.
func OpenBand(path string, band int) (*File, error) {
	file, size, err := fileio.Open(path)
	if err != nil {
		return nil, err
	}
	f, err := newFile(path, file, size, band)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	f.close = file.Close
	if err := errors.Join(f.openMaskBeside(path), f.placeByWorld(path)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// New reads a raster from size bytes of r, called name in errors. Concurrent use of the File needs an r that allows it.
func New(name string, r io.ReaderAt, size int64) (*File, error) { return newFile(name, r, size, 0) }

func newFile(name string, r io.ReaderAt, size int64, band int) (*File, error) {
	f := &File{name: name, cache: cache.New(DefaultCache)}
	if err := f.open(r, size, band); err != nil {
		return nil, fileio.Wrap(name, fileio.CannotRead, err)
	}
	f.pools()
	return f, nil
}

func (f *File) pools() {
	f.rows.New = func() any { b := words.Bytes(chunk); return &b }
}

func (f *File) open(r io.ReaderAt, size int64, band int) error {
	source, first, err := openContainer(r, size)
	if err != nil {
		return err
	}
	d, masking, ignored, err := source.find(first)
	if err != nil {
		return err
	}
	f.source = source
	if f.header, err = readHeader(d, band); err != nil {
		return err
	}
	f.header.Ignored = ignored
	if f.table, err = readTable(d, &f.header); err != nil || masking.fields == nil {
		return err
	}
	f.header.Masked = true
	f.mask, err = f.openMask(source, masking)
	return err
}

// find walks the directories for the first image of full resolution and the first mask of one, and counts the others.
func (c *container) find(offset int64) (found, masking directory, ignored Ignored, err error) {
	seen := map[int64]bool{}
	for offset != 0 {
		if seen[offset] {
			return found, masking, ignored, &Error{Reason: fmt.Sprintf("is damaged: its directories form a cycle at %d", offset), Help: "copy or write the file again"}
		}
		if len(seen) == maxDirectories {
			return found, masking, ignored, &Error{Reason: fmt.Sprintf("has more than %d directories", maxDirectories)}
		}
		seen[offset] = true
		d, next, err := c.directory(offset)
		if err != nil {
			return found, masking, ignored, err
		}
		reduced, mask, err := d.subordinate()
		switch {
		case err != nil:
			return found, masking, ignored, err
		case mask && !reduced && masking.fields == nil:
			masking = d
		case mask:
			ignored.Masks++
		case reduced:
			ignored.Overviews++
		case found.fields != nil:
			ignored.Images++
		default:
			found = d
		}
		offset = next
	}
	if found.fields == nil {
		return found, masking, ignored, &Error{Reason: "holds no image of full resolution"}
	}
	return found, masking, ignored, nil
}

// subordinate says whether a directory is of a reduced copy or of a mask.
func (d directory) subordinate() (reduced, mask bool, err error) {
	flags, err := d.int(tagNewSubfileType, 0)
	if err != nil {
		return false, false, err
	}
	old, err := d.int(tagSubfileType, 1)
	return flags&1 != 0 || old == 2, flags&4 != 0, err
}

// Header is what the file says of its raster.
func (f *File) Header() Header { return f.header }

// Close ends reading.
func (f *File) Close() error {
	if f.close == nil {
		return nil
	}
	if err := f.close(); err != nil {
		return fileio.Wrap(f.name, fileio.CannotRead, err)
	}
	return nil
}
