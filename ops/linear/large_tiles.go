package linear

import (
	"weft/kernels/region"
	"weft/ops"
)

const tileBytes = 4096 // of a page

// tile is how many rows and columns tiles have in so much memory; 0: all is there as a whole. Of a substitution three strips of rows are there at once: what is known of
// the right sides, and of the triangle the strip under way and the next one, unless that is made where it is read; of right sides two tiles.
func (z *large) tile(room ops.Room) int {
	if room.Bytes == 0 || z.does != solveTriangle || len(z.sides) > 1 {
		return 0
	}
	most := int64(1 << 14)
	if room.Of("a", z.a) == 0 {
		most = 2 * sumBlock // nothing is read for a strip, so that wider ones move no less
	}
	return z.largest(most, room, z.needs)
}

// largest are the most rows of tiles of which there is room for what they need, or the fewest there are.
func (z *large) largest(most int64, room ops.Room, needs func(b int64, room ops.Room) int64) int {
	for _, step := range []int64{sumBlock, panel} {
		for b := min((int64(z.n)+step-1)/step*step, most); b >= step; b -= step {
			if needs(b, room) <= room.Bytes {
				return int(b)
			}
		}
	}
	return panel
}

// needs is the room that tiles of so many rows take, where solutions are found.
func (z *large) needs(b int64, room ops.Room) int64 {
	size, of, n, sides := int64(z.base.Size()), room.Of("a", z.a), int64(z.n), int64(ops.Type{Dims: z.sides}.Len())
	return evenly(n*(min(b, sides)*size+2*b*of) + 4*(b*b*size+z.ends(b, of)) + 2*panel*size*(sides+panel))
}

// evenly is what many bytes take with one in 63 for the ends of arrays.
func evenly(bytes int64) int64 { return (bytes + 62) / 63 * 64 }

// ends are the pages of two tiles that are there for parts of others, where the matrix has so many bytes an element.
func (z *large) ends(b, of int64) int64 {
	size, n := int64(z.base.Size()), int64(z.n)
	if n*size%tileBytes+b*size%tileBytes+n*of%tileBytes+b*of%tileBytes != 0 {
		return 2 * tileBytes * b
	}
	return 0
}

// tilesOf are n rows, or columns, of tiles.
func (z *large) tilesOf(n, b int) (out []region.Interval) {
	for lo := 0; lo < n; lo += b {
		out = append(out, region.Interval{Lo: lo, Hi: min(lo+b, n)})
	}
	return out
}

// at is the box of a matrix with some rows and columns.
func (z *large) at(rows, columns region.Interval) region.Region {
	return place(z, pass{x: stateRootX}, region.Region{rows}, columns)
}
