package tile

import (
	"weft/kernels/region"
	"weft/ops/files/element"
	"weft/ops/files/fileio"
)

// Memory is an array that is in memory as a whole, in C order and the order of bytes of this machine, or gets there when it is first read.
type Memory struct {
	Path  string // of the file that it is from
	DType element.DType
	Shape []int
	Raw   func() ([]byte, error)
}

// Read reads a part of the array.
func (m Memory) Read(dst []byte, as element.DType, stride int, t region.Region) error {
	if err := Inside(t, m.Shape); err != nil {
		return fileio.Wrap(m.Path, fileio.CannotRead, err)
	}
	p, err := NewPlacer(dst, Layout{DType: as, RowStride: stride}, t, m.DType, false)
	if err != nil {
		return fileio.Wrap(m.Path, fileio.CannotRead, err)
	}
	raw, err := m.Raw()
	if err != nil {
		return fileio.Wrap(m.Path, fileio.CannotRead, err)
	}
	for r := range Runs(t, m.Shape) {
		err := p.Fill(r, func(part []byte, from int) error {
			copy(part, raw[(r.InArray+from)*m.DType.Size():])
			return nil
		})
		if err != nil {
			return fileio.Wrap(m.Path, fileio.CannotRead, err)
		}
	}
	return nil
}
