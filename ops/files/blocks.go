package files

import (
	"iter"

	"weft/kernels/region"
	"weft/ops/files/format"
)

// blockLen is the number of elements that are converted at a time.
const blockLen = format.BlockLen

// blocks cuts an array into tiles of at most blockLen elements that follow each other in C order, each with the place of
// its first element.
func blocks(shape []int) iter.Seq2[int, region.Region] {
	axis, inner := len(shape)-1, 1
	for ; axis > 0 && inner*shape[axis] <= blockLen; axis-- {
		inner *= shape[axis]
	}
	return func(yield func(int, region.Region) bool) {
		if len(shape) == 0 {
			yield(0, region.Region{})
			return
		}
		outer := 1
		for _, n := range shape[:axis] {
			outer *= n
		}
		most := max(1, blockLen/inner)
		for o := range outer {
			for lo := 0; lo < shape[axis]; lo += most {
				t := region.Whole(shape...)
				rest := o
				for i := axis - 1; i >= 0; i-- {
					t[i] = region.Interval{Lo: rest % shape[i], Hi: rest%shape[i] + 1}
					rest /= shape[i]
				}
				t[axis] = region.Interval{Lo: lo, Hi: min(lo+most, shape[axis])}
				if !yield((o*shape[axis]+lo)*inner, t) {
					return
				}
			}
		}
	}
}
