package npy

import (
	"runtime/debug"

	"weft/kernels/region"
	"weft/ops/files/tile"
	"weft/ops/files/words"
)

// block is the side of the squares in which Fortran order is transposed: 64 cache lines of source and the rows of
// one square stay in the first-level cache.
const block = 64

// readFortran reads a tile of a file whose first axis is contiguous. For each index of the middle axes, the plane of
// the first and the last axis is transposed square by square.
func (f *File) readFortran(p *tile.Placer, t region.Region) (err error) {
	data, err := f.elements()
	if err != nil {
		return err
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer faultAsError(&err)
	shape, size := f.header.Shape, f.header.DType.Size()
	last := len(shape) - 1
	strides := stridesFortran(shape)
	extent := t.Shape()
	inTile := tile.Strides(extent)
	for middle := range region.Whole(extent[1:last]...).Indices() {
		source, target := t[0].Lo+t[last].Lo*strides[last], 0
		for i, k := range middle {
			source += (t[i+1].Lo + k) * strides[i+1]
			target += k * inTile[i+1]
		}
		for row := 0; row < extent[0]; row += block {
			for column := 0; column < extent[last]; column += block {
				for r := row; r < min(row+block, extent[0]); r++ {
					n := min(block, extent[last]-column)
					segment := p.Scratch(n)
					gather(segment, data, size, source+r+column*strides[last], strides[last])
					if err := p.Place(target+r*inTile[0]+column, segment); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// stridesFortran is the elements between neighbours along each axis, first axis contiguous.
func stridesFortran(shape []int) []int {
	strides := make([]int, len(shape))
	step := 1
	for i, n := range shape {
		strides[i] = step
		step *= n
	}
	return strides
}

// gather collects elements of the given size from data, beginning at element first and going step elements at a time.
func gather(dst, data []byte, size, first, step int) {
	if !words.Aligned(data, size) {
		for i := 0; i < len(dst); i += size {
			at := (first + i/size*step) * size
			copy(dst[i:i+size], data[at:])
		}
		return
	}
	switch size {
	case 1:
		pick(dst, data, first, step)
	case 2:
		pick(words.View[uint16](dst), words.View[uint16](data), first, step)
	case 4:
		pick(words.View[uint32](dst), words.View[uint32](data), first, step)
	case 8:
		pick(words.View[uint64](dst), words.View[uint64](data), first, step)
	case 16:
		pick(words.View[[2]uint64](dst), words.View[[2]uint64](data), first, step)
	}
}

func pick[T any](dst, data []T, first, step int) {
	for i := range dst {
		dst[i] = data[first+i*step]
	}
}

// elements gives all elements in file order: mapped where possible, read otherwise.
func (f *File) elements() ([]byte, error) {
	if data, ok := f.mapping(); ok {
		return data, nil
	}
	f.reading.Do(func() {
		f.whole = words.Bytes(int(f.header.Bytes()))
		f.wholeErr = readFull(f.source, f.whole, f.header.DataOffset)
	})
	return f.whole, f.wholeErr
}
