package tile

import (
	"iter"

	"weft/kernels/region"
)

// Piece is N elements that lie side by side both in a chunk and in a part of the array, with the place of the first in each.
type Piece struct{ Here, There, N int }

// Pieces are those of what lies both in a chunk and in a part t, row by row.
func Pieces(both region.Region, chunk []int, t region.Region) iter.Seq[Piece] {
	return func(yield func(Piece) bool) {
		last := len(both) - 1
		if last < 0 {
			yield(Piece{0, 0, 1})
			return
		}
		inChunk, inPart := Strides(chunk), Strides(t.Shape())
		p := Piece{N: both[last].Len()}
		for index := range region.Region(both[:last]).Indices() {
			p.Here, p.There = both[last].Lo%chunk[last], both[last].Lo-t[last].Lo
			for d, i := range index {
				p.Here += i % chunk[d] * inChunk[d]
				p.There += (i - t[d].Lo) * inPart[d]
			}
			if !yield(p) {
				return
			}
		}
	}
}
