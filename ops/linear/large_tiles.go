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

const tileBytes = 4096 // that rows of tiles are multiples of, where that may be: they come in pages

// tile is how many rows and columns tiles have in so much memory; 0: the matrix is there as a whole. Three strips of rows are there at once: on the diagonal, of the
// tile under way, and of the next one.
func (z *large) tile(room int64) int {
	if room == 0 || z.does != findRoot {
		return 0
	}
	size, n := int64(z.base.Size()), int64(z.n)
	fits := func(b int64) bool {
		pages := int64(1)
		if n*size%tileBytes != 0 || b*size%tileBytes != 0 {
			pages = 2 // what is beside a tile in a page
		}
		return size*(3*b*n+4*b*b+n*panel+b*panel)+(pages-1)*tileBytes*8*b <= room/16*15
	}
	for _, step := range []int64{tileBytes / size, panel} {
		b := min((n+step-1)/step*step, 1<<14/step*step)
		for b > step && !fits(b) {
			b -= step
		}
		if fits(b) || step == panel {
			return int(b)
		}
	}
	return 0
}

// tilesOf are rows, or columns, of tiles.
func (z *large) tilesOf(b int) (out []region.Interval) {
	for lo := 0; lo < z.n; lo += b {
		out = append(out, region.Interval{Lo: lo, Hi: min(lo+b, z.n)})
	}
	return out
}

// at is the box of a matrix with some rows and columns.
func (z *large) at(rows, columns region.Interval) region.Region {
	return place(z, pass{x: stateRootX}, region.Region{rows}, columns)
}

// tasks are the tiles in the order in which they are made.
func (z *large) tasks(b int, a, x *ops.Stage) (out []ops.Task) {
	list := z.tilesOf(b)
	for j, columns := range list {
		for i := j; i < len(list); i++ {
			t := ops.Task{Reads: []ops.Tile{{Of: a, Box: z.at(list[i], columns)}}, Makes: []ops.Tile{{Of: x, Box: z.at(list[i], columns)}}}
			for k := range j {
				t.Reads = append(t.Reads, ops.Tile{Of: x, Box: z.at(list[j], list[k])})
				if i > j {
					t.Reads = append(t.Reads, ops.Tile{Of: x, Box: z.at(list[i], list[k])})
				}
			}
			if i > j {
				t.Reads = append(t.Reads, ops.Tile{Of: x, Box: z.at(columns, columns)})
			}
			out = append(out, t)
		}
	}
	return out
}

// tiled finds the root tile by tile.
func (z *large) tiled(h ops.Host, b int) (ops.Note, error) {
	p, list, task := z.passes()[0], z.tilesOf(b), 0
	for j, columns := range list {
		for i := j; i < len(list); i++ {
			if err := h.Task(task); err != nil {
				return ops.Note{}, err
			}
			task++
			for lo := columns.Lo; lo < columns.Hi; lo += panel {
				at := region.Interval{Lo: lo, Hi: min(lo+panel, columns.Hi)}
				if err := z.within(h, p, at, list[i], lo-columns.Lo); err != nil {
					return ops.Note{}, err
				}
			}
		}
	}
	return ops.Note{Text: fmt.Sprintf("%d x %d tiles of %d rows", len(list), len(list), b)}, nil
}

// within finds a panel in some rows, whose inverse is kept from a row on.
func (z *large) within(h ops.Host, p pass, at, rows region.Interval, first int) error {
	diagonal := rows.Lo <= at.Lo
	if diagonal {
		rows.Lo = at.Lo
	}
	width := region.Interval{Hi: at.Len()}
	if err := h.Set(stateAt, 0, float64(at.Lo), 0, float64(at.Lo), float64(first)); err != nil {
		return err
	}
	if err := h.Box(p.update, region.Region{rows, width}); err != nil {
		return err
	}
	if diagonal {
		if err := z.diagonal(h, p, at, width, first); err != nil {
			return err
		}
		rows.Lo = at.Hi
	}
	if rows.Empty() {
		return nil
	}
	return h.Box(p.done, slices.Clone(z.at(rows, at)))
}
