package tiff

import (
	"errors"
	"fmt"

	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/words"
)

// Load reads the raster in the file at path as elements of T, band by band and row by row, converted as Conversion says.
func Load[T Element](path string) ([]T, Header, error) {
	f, err := Open(path)
	if err != nil {
		return nil, Header{}, err
	}
	if absent := f.absent(); absent > maxAbsent {
		err := &Error{
			Reason: fmt.Sprintf("claims %d x %d %v, of which %d bytes are not in the file", f.header.Height, f.header.Width, f.header.DType, absent),
			Help:   "read the part that is there by tiles",
		}
		return nil, f.header, errors.Join(fileio.Wrap(path, fileio.CannotRead, err), f.Close())
	}
	bands := f.header.bandsRead()
	values := make([]T, bands*f.header.Height*f.header.Width)
	err = f.ReadBands(words.Raw(values), Layout{DType: element.Of[T]()}, 0, bands, f.header.Whole())
	return values, f.header, errors.Join(err, f.Close())
}

// maxAbsent is the most bytes that Load makes up for blocks that were never written.
const maxAbsent = 1 << 30

// absent is the bytes of elements for which the file holds nothing.
func (f *File) absent() (bytes int64) {
	for i, p := range f.table {
		if p.absent() {
			area := f.header.block(i).area.intersect(f.header.Whole())
			bytes += int64(area.Height()) * int64(area.Width()) * int64(f.header.DType.Size())
		}
	}
	return bytes
}

// Save writes values, row by row, of one band, as the raster that the header describes, converted to its type.
func Save[T Element](path string, h Header, values []T) error {
	w, err := Create(path, h)
	if err != nil {
		return err
	}
	if want := h.Height * h.Width; len(values) != want {
		err = w.fail(fmt.Errorf("a raster of %d x %d has %d elements, not %d", h.Height, h.Width, want, len(values)))
	} else {
		err = w.WriteTile(words.Raw(values), Layout{DType: element.Of[T]()}, h.Whole())
	}
	if err != nil {
		return errors.Join(err, w.Abort())
	}
	return w.Commit(false)
}
