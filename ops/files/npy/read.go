package npy

import (
	"weft/kernels/region"
	"weft/ops/files/fileio"
	"weft/ops/files/tile"
)

// Layout says how a read places elements in memory.
type Layout = tile.Layout

// Read reads the whole array into dst in C order.
func (f *File) Read(dst []byte, as Layout) error {
	return f.ReadTile(dst, as, region.Whole(f.header.Shape...))
}

// ReadTile reads part of the array into dst in C order, in this machine's byte order and in the layout's element
// type. dst begins at a multiple of the element size (8 for complex128) and holds at least as.Span(t.Shape()) bytes.
// Reading slab after slab needs no memory but dst and 256 KiB, except for files in Fortran order where no memory mapping is
// possible: those are read whole on first use.
func (f *File) ReadTile(dst []byte, as Layout, t region.Region) error {
	h := &f.header
	if err := tile.Inside(t, h.Shape); err != nil {
		return fileio.Wrap(f.name, fileio.CannotRead, err)
	}
	p, err := tile.NewPlacer(dst, as, t, f.header.DType, f.swapped())
	if err != nil {
		return fileio.Wrap(f.name, fileio.CannotRead, err)
	}
	read := f.readC
	if h.Fortran && transposed(h.Shape) {
		read = f.readFortran
	}
	if err := read(p, t); err != nil {
		return fileio.Wrap(f.name, fileio.CannotRead, err)
	}
	return nil
}

// transposed says whether C and Fortran order differ: they do not when at most one axis is longer than 1.
func transposed(shape []int) bool {
	long := 0
	for _, n := range shape {
		if n > 1 {
			long++
		}
	}
	return long > 1
}

func (f *File) readC(p *tile.Placer, t region.Region) error {
	size := int64(f.header.DType.Size())
	for r := range tile.Runs(t, f.header.Shape) {
		err := p.Fill(r, func(part []byte, from int) error {
			return readFull(f.source, part, f.header.DataOffset+int64(r.InArray+from)*size)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
