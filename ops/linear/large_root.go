package linear

import (
	"fmt"
	"math"
	"slices"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
)

// Larger than the memory, a root is found a tile of rows and columns after the other, column by column of them. What the columns before a tile take from it is summed up
// when it is its turn (left-looking): of t x t tiles, t^2 + t (t - 1) (t - 2) / 6 are read, and t (t + 1) / 2 written, once each. Or it is added to what was taken from
// each tile so far as soon as a column is found (right-looking), which is where the root will be: t (t + 1) / 2 + t (t^2 - 1) / 6 are read, but one, which is there, and
// as many written, but one column is in memory where left-looking has three strips of rows, so that tiles are larger. Sums go on where they were, so that
// doubles have the same bits. Toledo, A survey of out-of-core algorithms in numerical linear algebra, 1999, section 3.

const (
	sumBlock   = 512 // of terms that are summed in f32 at a time: from tile to tile they are those of the whole sum, so that the bits are
	beforeCall = 2   // the program that sums up what the columns before a tile take from it
	tileCall   = 3   // the one that adds what those of it take that are before a panel; sums of panels go on from there
	laterCall  = 4   // what is left of a panel before which there are such
)

// takenCall is the program that keeps what was taken from a tile of so many rows, where that is right-looking: behind those that all have.
func takenCall(rows int) int {
	if rows > sumBlock {
		return laterCall + 1
	}
	return beforeCall + 1
}

// rootTile is how many rows and columns tiles of a root have in so much memory; 0: all is there as a whole. Left-looking moves less, computes in larger pieces, and needs
// less where columns of tiles do not begin with pages, so that it is what nothing else was said for.
func (z *large) rootTile(room ops.Room) int {
	if z.does != findRoot || room.Bytes == 0 {
		return 0
	}
	return z.largest(1<<14, room, z.rootNeeds)
}

// rootNeeds is the room that tiles of so many rows take: left-looking, the strips on the diagonal, of the tile under way, and of the next one; right-looking, the column
// that is there, and two tiles. Beside these, two tiles of the matrix, what columns before take from a tile, and that again where tiles have several blocks, the panel
// and its inverses.
func (z *large) rootNeeds(b int64, room ops.Room) int64 {
	size, of, n, blocks := int64(z.base.Size()), room.Of("a", z.a), int64(z.n), int64(1)
	if b > sumBlock {
		blocks = 2
	}
	bytes := 3 * b * n * size
	if z.right {
		bytes = (n+2*b)*b*size + ((n+b-1)/b+2)*z.ends(b, size)/2
	}
	return evenly(bytes + 2*b*b*of + 2*z.ends(b, of) + b*(8*b*blocks+2*panel*size))
}

// rootTask is a tile of some rows and columns, by number. With others before it, what they take is added to what was taken from it; else it is found.
type rootTask struct{ rows, columns, from int }

// rootTasks are the tiles in the order in which they are made: column by column of them, from the diagonal down.
func rootTasks(t int, right bool) (out []rootTask) {
	down := func(column, from int) {
		for i := column; i < t; i++ {
			out = append(out, rootTask{i, column, from})
		}
	}
	for k := range t {
		down(k, k)
		for j := k + 1; right && j < t; j++ {
			down(j, k)
		}
	}
	return out
}

// rooting are the tasks. No order moves fewer than n^3 / (3 sqrt(2 m)) elements with m in memory (Beaumont et al., arXiv 2202.10217).
func (z *large) rooting(b int, room ops.Room, a, x *ops.Stage) ops.Tasks {
	list := z.tilesOf(z.n, b)
	order := rootTasks(len(list), z.right)
	boxes := make([][]region.Region, len(list))
	for j, columns := range list {
		for _, rows := range list[j:] {
			boxes[j] = append(boxes[j], z.at(rows, columns))
		}
	}
	tile := func(of *ops.Stage, i, j int) ops.Tile { return ops.Tile{Of: of, Box: boxes[j][i-j]} }
	out := ops.Tasks{Of: []*ops.Stage{a, x}, Count: len(order), Least: z.rootNeeds(panel, room), Takes: z.rootNeeds(int64(b), room), Lasts: []int{stateInverse}, Multiplies: cube(z.n) / 6, Moves: math.Sqrt2}
	out.At = func(number int) ops.Task {
		at := order[number]
		i, j, k := at.rows, at.columns, at.from
		t := ops.Task{Makes: []ops.Tile{tile(x, i, j)}}
		if j == k {
			t.Reads = append(t.Reads, tile(a, i, j))
		}
		switch {
		case z.right:
			if k > 0 {
				t.Reads = append(t.Reads, t.Makes...)
			}
			first, last := k, i // of the column: what there is of it, or what the tiles that are left need
			if j > k {
				first, last = j, len(list)
			}
			for m := first; m < last; m++ {
				t.Reads = append(t.Reads, tile(x, m, k))
			}
			return t
		case i > j:
			t.Reads = append(t.Reads, tile(x, j, j))
		}
		for k := range j {
			t.Reads = append(t.Reads, tile(x, j, k))
			if i > j {
				t.Reads = append(t.Reads, tile(x, i, k))
			}
		}
		return t
	}
	return out
}

// tiled finds the root tile by tile.
func (z *large) tiled(h ops.Host, b int) (ops.Note, error) {
	p, list := z.passes()[0], z.tilesOf(z.n, b)
	for number, t := range rootTasks(len(list), z.right) {
		if err := h.Task(number); err != nil {
			return ops.Note{}, err
		}
		rows, columns := list[t.rows], list[t.columns]
		if t.from < t.columns {
			if err := z.take(h, takenCall(b), rows, columns, list[t.from]); err != nil {
				return ops.Note{}, err
			}
			continue
		}
		before := columns.Lo
		if z.right {
			before = 0
		}
		for lo := columns.Lo; lo < columns.Hi; lo += panel {
			if (lo-columns.Lo)%sumBlock == 0 {
				if err := z.beside(h, rows, columns, lo, before); err != nil {
					return ops.Note{}, err
				}
			}
			at := region.Interval{Lo: lo, Hi: min(lo+panel, columns.Hi)}
			if err := z.within(h, p, at, rows, columns); err != nil {
				return ops.Note{}, err
			}
		}
	}
	order := map[bool]string{false: "left-looking", true: "right-looking"}[z.right]
	return ops.Note{Text: fmt.Sprintf("%d x %d tiles of %d rows, %s", len(list), len(list), b, order)}, nil
}

// take adds what some columns take from a tile to what was taken from it so far: of short floats, so many terms at a time, wherever tiles end.
func (z *large) take(h ops.Host, taken int, rows, columns, from region.Interval) error {
	step := from.Len()
	if z.base != ir.F64 {
		step = sumBlock
	}
	for lo := from.Lo; lo < from.Hi; lo += step {
		if err := z.set(h, columns.Lo, lo, min(step, from.Hi-lo), 0, rows, columns); err != nil {
			return err
		}
		for _, part := range lower(rows, columns, 0, columns.Len()) {
			if err := h.Box(beforeCall, part); err != nil {
				return err
			}
		}
		if err := h.Box(taken, z.at(rows, columns)); err != nil {
			return err
		}
	}
	return nil
}

// lower are some columns of a tile: on the diagonal, some after the other, from there down.
func lower(rows, columns region.Interval, first, end int) (parts []region.Region) {
	if rows != columns {
		return []region.Region{{{Hi: rows.Len()}, {Lo: first, Hi: end}}}
	}
	for lo := first; lo < end; lo += sumBlock / 2 {
		parts = append(parts, region.Region{{Lo: lo, Hi: rows.Len()}, {Lo: lo, Hi: min(lo+sumBlock/2, end)}})
	}
	return parts
}

// beside finds what so many columns before a tile take from as many of it, from one on, as panels do not sum up by themselves: a panel at a time that takes twice as
// long. What those before the tile take is summed up for all of it at once, but on the diagonal.
func (z *large) beside(h ops.Host, rows, columns region.Interval, column, before int) error {
	first, end := column-columns.Lo, min(column-columns.Lo+sumBlock, columns.Len())
	var parts []region.Region
	switch {
	case rows == columns:
		parts = lower(rows, columns, first, end)
	case first == 0:
		parts = lower(rows, columns, 0, columns.Len())
	}
	if parts != nil {
		if err := z.set(h, column, 0, before, 0, rows, columns); err != nil {
			return err
		}
	}
	for _, part := range parts {
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
	box := region.Region{{Hi: rows.Len()}, {Lo: first, Hi: end}}
	if rows == columns {
		box[0].Lo = first
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
