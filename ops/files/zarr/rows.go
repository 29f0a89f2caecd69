package zarr

import (
	"iter"

	"weft/kernels/region"
	"weft/ops/files/tile"
)

// piece is elements that lie side by side both in a chunk and in a part of the array.
type piece struct{ here, there, n int }

// rows are the pieces of what lies both in a chunk and in a part t, row by row.
func rows(both region.Region, chunk []int, t region.Region) iter.Seq[piece] {
	return func(yield func(piece) bool) {
		last := len(both) - 1
		if last < 0 {
			yield(piece{0, 0, 1})
			return
		}
		inChunk, inPart := tile.Strides(chunk), tile.Strides(t.Shape())
		p := piece{n: both[last].Len()}
		for index := range region.Region(both[:last]).Indices() {
			p.here, p.there = both[last].Lo%chunk[last], both[last].Lo-t[last].Lo
			for d, i := range index {
				p.here += i % chunk[d] * inChunk[d]
				p.there += (i - t[d].Lo) * inPart[d]
			}
			if !yield(p) {
				return
			}
		}
	}
}
