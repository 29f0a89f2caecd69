package tiff

import (
	"errors"
	"fmt"
	"io/fs"
	"math"

	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/tiff/cache"
	"weft/ops/files/words"
)

// mask is an image of a file that tells which elements of the raster are there: where it is 0, they are missing. GDAL writes one
// bit an element, also when a byte serves.
type mask struct {
	*File // its bytes, as elements of a raster of their own
	bits  int
}

// MaskBeside is the name of the file that GDAL puts a mask into where it does not write it into the raster's.
func MaskBeside(path string) string { return path + ".msk" }

// openMaskBeside takes the mask in a file of its own, if there is one, before any in the raster's, as GDAL does.
func (f *File) openMaskBeside(path string) error {
	name := MaskBeside(path)
	file, size, err := fileio.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	raster := f.close
	f.close = func() error { return errors.Join(raster(), file.Close()) }
	source, first, err := openContainer(file, size)
	if err != nil {
		return fileio.Wrap(name, fileio.CannotRead, err)
	}
	found, masking, _, err := source.find(first)
	if masking.fields != nil { // flagged as a mask
		found, err = masking, nil
	}
	if err == nil {
		f.header.Masked = true
		f.mask, err = f.openMask(source, found)
	}
	if err != nil {
		return fileio.Wrap(name, fileio.CannotRead, err)
	}
	f.mask.name = name
	return nil
}

// openMask checks the mask in a directory of a file.
func (f *File) openMask(source *container, d directory) (*mask, error) {
	m := &mask{File: &File{name: f.name, source: source, cache: cache.New(DefaultCache / 8)}}
	m.File.pools()
	h := &m.File.header
	h.DType = element.Uint8
	for _, step := range []func(directory) error{h.readSize, h.readCompression, h.readBlocks} {
		if err := step(d); err != nil {
			return nil, ofMask(err)
		}
	}
	bits, err := d.int(tagBitsPerSample, 1)
	if err != nil {
		return nil, ofMask(err)
	}
	bands, err := d.int(tagSamplesPerPixel, 1)
	switch {
	case err != nil:
		return nil, ofMask(err)
	case h.Height != f.header.Height || h.Width != f.header.Width:
		return nil, &Error{Reason: fmt.Sprintf("has a mask of %d x %d elements for a raster of %d x %d", h.Height, h.Width, f.header.Height, f.header.Width), Help: maskAgain}
	case bits != 1 && bits != 8 || bands != 1:
		return nil, &Error{Reason: fmt.Sprintf("has a mask of %d bits and %d bands; 1 or 8 bits of one band are read", bits, bands), Help: maskAgain}
	case bits == 1 && (h.Predictor != NoPredictor || h.Tiled && h.BlockW%8 != 0):
		return nil, &Error{Reason: "has a mask of bits with a predictor, or in tiles that are no whole number of bytes wide", Help: maskAgain}
	}
	if m.bits = int(bits); m.bits == 1 {
		h.Width = int(ceilDiv(int64(h.Width), 8))
		h.BlockW = int(ceilDiv(int64(h.BlockW), 8))
	}
	if m.File.table, err = readTable(d, h); err != nil {
		return nil, ofMask(err)
	}
	return m, nil
}

const maskAgain = "write it again, e.g. gdal_translate --config GDAL_TIFF_INTERNAL_MASK YES in.tif out.tif; gdal_translate -mask none drops it"

// ofMask says of an error that it is about the mask.
func ofMask(err error) error {
	if e, ok := err.(*Error); ok {
		return &Error{Reason: "has a mask which " + e.Reason, Help: maskAgain, Err: e.Err}
	}
	return err
}

// apply makes elements of a rectangle in memory NaN where the mask has nothing.
func (m *mask) apply(dst []byte, as Layout, r Rect) error {
	per := 8 / m.bits // elements in a byte
	bytes := Rect{X0: r.X0 / per, X1: int(ceilDiv(int64(r.X1), int64(per)))}
	rows := max(1, chunk/max(1, bytes.Width()))
	buffer := make([]byte, bytes.Width()*min(rows, r.Height()))
	stride := as.stride(r.Width())
	for bytes.Y0 = r.Y0; bytes.Y0 < r.Y1; bytes.Y0 = bytes.Y1 {
		bytes.Y1 = min(bytes.Y0+rows, r.Y1)
		if err := m.ReadTile(buffer, Layout{DType: element.Uint8}, bytes); err != nil {
			return err
		}
		for y := range bytes.Height() {
			row := buffer[y*bytes.Width():][:bytes.Width()]
			out := dst[(bytes.Y0-r.Y0+y)*stride:][:r.Width()*as.DType.Size()]
			if as.DType == element.Float32 {
				blank[float32](out, row, m.bits, r.X0-bytes.X0*per)
			} else {
				blank[float64](out, row, m.bits, r.X0-bytes.X0*per)
			}
		}
	}
	return nil
}

// blank makes elements of a row NaN where its mask has nothing; the first element lies so far into the mask.
func blank[T float32 | float64](dst, row []byte, bits, from int) {
	out := words.View[T](dst)
	for i := range out {
		at := (from + i) * bits
		there := row[at/8] != 0
		if bits == 1 {
			there = row[at/8]&(0x80>>(at%8)) != 0
		}
		if !there {
			out[i] = T(math.NaN())
		}
	}
}
