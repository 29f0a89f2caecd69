package files

import (
	"iter"

	"weft/ops/files/npy"
)

// blockLen is the number of elements that are converted at a time.
const blockLen = 1 << 16

// blocks cuts an array into tiles of at most blockLen elements that follow each other in C order, each with the place of
// its first element.
func blocks(shape []int) iter.Seq2[int, npy.Tile] {
	axis, inner := len(shape)-1, 1
	for ; axis > 0 && inner*shape[axis] <= blockLen; axis-- {
		inner *= shape[axis]
	}
	return func(yield func(int, npy.Tile) bool) {
		if len(shape) == 0 {
			yield(0, npy.Whole(shape))
			return
		}
		outer := 1
		for _, n := range shape[:axis] {
			outer *= n
		}
		most := max(1, blockLen/inner)
		for o := range outer {
			for lo := 0; lo < shape[axis]; lo += most {
				t := npy.Whole(append([]int(nil), shape...))
				rest := o
				for i := axis - 1; i >= 0; i-- {
					t.Start[i], t.Extent[i] = rest%shape[i], 1
					rest /= shape[i]
				}
				t.Start[axis], t.Extent[axis] = lo, min(most, shape[axis]-lo)
				if !yield((o*shape[axis]+lo)*inner, t) {
					return
				}
			}
		}
	}
}

// tileLen is the number of elements of a tile.
func tileLen(t npy.Tile) int {
	n := 1
	for _, e := range t.Extent {
		n *= e
	}
	return n
}
