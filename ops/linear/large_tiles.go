package linear

import (
	"fmt"
	"slices"

	"weft/kernels/region"
	"weft/ops"
)

// Larger than the memory, a root is found a tile of rows and columns after the other, each from what is there of its rows and of those on the diagonal beside it
// (left-looking): of t x t tiles, t^2 + t (t - 1) (t - 2) / 6 are read, and t (t + 1) / 2 written, once each. Toledo, A survey of out-of-core algorithms
// in numerical linear algebra, 1999, section 3.

const (
	tileBytes  = 4096 // of a page
	sumBlock   = 512  // of terms that are summed in f32 at a time: from tile to tile they are those of the whole sum, so that the bits are
	beforeCall = 2    // the program that sums up what the columns before a tile take from it
	tileCall   = 3    // the one that adds what those of it take that are before a panel; sums of panels go on from there
	laterCall  = 4    // what is left of a panel before which there are such
)

// tile is how many rows and columns tiles have in so much memory; 0: all is there as a whole. Three strips of rows are there at once. Of a root: on the diagonal, of the
// tile under way, and of the next one; of the matrix two tiles. Of a substitution: what is known of the right sides, and of the triangle the strip under way and the
// next one, unless that is made where it is read; of right sides two tiles.
func (z *large) tile(room ops.Room) int {
	if room.Bytes == 0 || z.does == solveDefinite || z.does == solveTriangle && len(z.sides) != 1 {
		return 0
	}
	n, most := int64(z.n), int64(1<<14)
	if z.does == solveTriangle && room.Of("a", z.a) == 0 {
		most = 2 * sumBlock // nothing is read for a strip, so that wider ones move no less
	}
	for _, step := range []int64{sumBlock, panel} {
		for b := min((n+step-1)/step*step, most); b >= step; b -= step {
			if z.needs(b, room) <= room.Bytes {
				return int(b)
			}
		}
	}
	return panel
}

// rootTile is the same where a root is found.
func (z *large) rootTile(room ops.Room) int {
	if z.does != findRoot {
		return 0
	}
	return z.tile(room)
}

// needs is the room that tiles of so many rows take.
func (z *large) needs(b int64, room ops.Room) int64 {
	size, of, n := int64(z.base.Size()), room.Of("a", z.a), int64(z.n)
	ends := int64(0) // pages that are there for parts of others
	if n*size%tileBytes+b*size%tileBytes+n*of%tileBytes+b*of%tileBytes != 0 {
		ends = 2 * tileBytes * b
	}
	taken := 8 * b // a row of what columns before take, and of that again where tiles have several blocks
	if b > sumBlock {
		taken *= 2
	}
	bytes := 3*b*n*size + 2*(b*b*of+ends) + b*(taken+2*panel*size)
	if z.does == solveTriangle {
		bytes = b*n*(size+2*of) + 4*(b*b*size+ends) + 2*panel*size*(int64(z.sides[0].Size)+panel)
	}
	return (bytes + 62) / 63 * 64
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

// tasks are the tiles in the order in which they are made: column by column of them, from the diagonal down.
func (z *large) tasks(b int, room ops.Room, a, x *ops.Stage) ops.Tasks {
	list := z.tilesOf(z.n, b)
	boxes := make([][]region.Region, len(list))
	var order [][2]int
	for j, columns := range list {
		for i := j; i < len(list); i++ {
			order = append(order, [2]int{i, j})
		}
		for _, rows := range list[j:] {
			boxes[j] = append(boxes[j], z.at(rows, columns))
		}
	}
	tile := func(i, j int) ops.Tile { return ops.Tile{Of: x, Box: boxes[j][i-j]} }
	out := ops.Tasks{Of: []*ops.Stage{a, x}, Count: len(order), Least: z.needs(panel, room), Lasts: []int{stateInverse}}
	out.At = func(number int) ops.Task {
		i, j := order[number][0], order[number][1]
		t := ops.Task{Reads: []ops.Tile{{Of: a, Box: boxes[j][i-j]}}, Makes: []ops.Tile{tile(i, j)}}
		for k := range j {
			t.Reads = append(t.Reads, tile(j, k))
			if i > j {
				t.Reads = append(t.Reads, tile(i, k))
			}
		}
		if i > j {
			t.Reads = append(t.Reads, tile(j, j))
		}
		return t
	}
	return out
}

// tiled finds the root tile by tile.
func (z *large) tiled(h ops.Host, b int) (ops.Note, error) {
	p, list, task := z.passes()[0], z.tilesOf(z.n, b), 0
	for j, columns := range list {
		for i := j; i < len(list); i++ {
			if err := h.Task(task); err != nil {
				return ops.Note{}, err
			}
			task++
			for lo := columns.Lo; lo < columns.Hi; lo += panel {
				if (lo-columns.Lo)%sumBlock == 0 {
					if err := z.beside(h, list[i], columns, lo); err != nil {
						return ops.Note{}, err
					}
				}
				at := region.Interval{Lo: lo, Hi: min(lo+panel, columns.Hi)}
				if err := z.within(h, p, at, list[i], columns); err != nil {
					return ops.Note{}, err
				}
			}
		}
	}
	return ops.Note{Text: fmt.Sprintf("%d x %d tiles of %d rows", len(list), len(list), b)}, nil
}

// beside finds what all columns before one take from as many of a tile, from there on, as panels do not sum up by themselves: a panel at a time that takes twice
// as long. What those before the tile take is summed up for all of it at once, but on the diagonal, where it is some columns after the other, from there down alone.
func (z *large) beside(h ops.Host, rows, columns region.Interval, column int) error {
	first, end := column-columns.Lo, min(column-columns.Lo+sumBlock, columns.Len())
	box := region.Region{{Hi: rows.Len()}, {Lo: first, Hi: end}}
	var before []region.Region
	switch {
	case rows == columns:
		box[0].Lo = first
		for lo := first; lo < end; lo += sumBlock / 2 {
			before = append(before, region.Region{{Lo: lo, Hi: rows.Len()}, {Lo: lo, Hi: min(lo+sumBlock/2, end)}})
		}
	case first == 0:
		before = []region.Region{{box[0], {Hi: columns.Len()}}}
	}
	if before != nil {
		if err := z.set(h, column, 0, columns.Lo, 0, rows, columns); err != nil {
			return err
		}
	}
	for _, part := range before {
		if err := h.Box(beforeCall, part); err != nil {
			return err
		}
	}
	if first == 0 { // nothing of the tile itself is before it
		return nil
	}
	if err := z.set(h, column, columns.Lo, first, 0, rows, columns); err != nil {
		return err
	}
	return h.Box(tileCall, box)
}

// set says which panel of a tile is found, from which columns of the root, and where its inverse is.
func (z *large) set(h ops.Host, at, from, count, inverse int, rows, columns region.Interval) error {
	return h.Set(stateAt, 0, float64(at), float64(from), float64(count), float64(inverse), float64(rows.Lo), float64(columns.Lo))
}

// within finds a panel of a tile from those before it.
func (z *large) within(h ops.Host, p pass, at, rows, columns region.Interval) error {
	first := at.Lo - columns.Lo
	if err := z.set(h, at.Lo, at.Lo-first%sumBlock, first%sumBlock, first, rows, columns); err != nil {
		return err
	}
	begin, diagonal := rows.Lo, rows.Lo <= at.Lo
	if diagonal {
		rows.Lo = at.Lo
	}
	width := region.Interval{Hi: at.Len()}
	call := p.update
	if first >= sumBlock {
		call = laterCall
	}
	if err := h.Box(call, region.Region{{Lo: rows.Lo - begin, Hi: rows.Hi - begin}, width}); err != nil {
		return err
	}
	if diagonal {
		if err := z.diagonal(h, p, at, width, first, columns.Lo); err != nil {
			return err
		}
		rows.Lo = at.Hi
	}
	if rows.Empty() {
		return nil
	}
	return h.Box(p.done, slices.Clone(z.at(rows, at)))
}
