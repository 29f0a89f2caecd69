package fleet

import (
	"slices"

	"weft/kernels/region"
	"weft/ops"
)

// grid cuts the rows of a job into cells, of which devices take intervals: the rows themselves or, where there are too few to share
// out evenly, parts of them along the kernel's second axis. Cells are numbered along the rows, those of a step of rows one after the other.
type grid struct {
	job    *Job
	high   int // rows of a step; 1 where they are whole
	wide   int // indices of the second axis that a cell has
	across int // cells of a step; 1 where rows are whole
}

// evenly is how many cells a device should have to be done when the others are.
const evenly = 64

// newGrid cuts along two axes if rows alone would not do for some devices, in the steps that cost the devices' programs least.
func newGrid(j *Job, devices int, steps []int) grid {
	g := grid{job: j, high: 1, wide: 1, across: 1}
	rows, want := j.rows().Hi-j.rows().Lo, evenly*devices
	if j.Whole || j.Cuts != nil || !j.divisible() {
		return g
	}
	high := min(max(1, steps[0]), max(1, rows))
	step, extent := max(1, steps[1]), j.Over[1].Len()
	count := (rows + high - 1) / high
	if count == 0 || count >= want || extent <= step {
		return g
	}
	g.high = high
	g.wide = max(step, extent*count/want/step*step)
	g.across = (extent + g.wide - 1) / g.wide
	return g
}

// divisible reports whether a kernel's outputs have its first two axes as their first two dims, so that a part of a row is one
// piece of memory.
func (j *Job) divisible() bool {
	k := j.Kernel
	if len(k.Axes) < 2 {
		return false
	}
	for _, s := range k.Stores {
		if len(s.Index) < 2 || !slices.ContainsFunc(j.Writes, func(a Array) bool { return a.Buf == s.Buf }) {
			return false
		}
		for d := range 2 {
			if s.Index[d] != k.Axes[d] || s.Buf.Shape[d] != k.Axes[d].Extent {
				return false
			}
		}
	}
	return true
}

// strip reports whether a job has not all of the second axis, and what it makes is told from what is beside it.
func (j *Job) strip() bool {
	return len(j.Over) > 1 && j.divisible() && j.Over[1].Len() < j.Kernel.Axes[1].Extent
}

// total is the number of cells.
func (g grid) total() int {
	return (g.job.rows().Hi - g.job.rows().Lo + g.high - 1) / g.high * g.across
}

// rows are those that some cells are of.
func (g grid) rows(cells region.Interval) region.Interval {
	lo := g.job.rows().Lo + cells.Lo/g.across*g.high
	return region.Interval{Lo: lo, Hi: min(g.job.rows().Hi, g.job.rows().Lo+(cells.Hi+g.across-1)/g.across*g.high)}
}

// within are the cells of which some rows hold all.
func (g grid) within(rows region.Interval) region.Interval {
	lo, hi := max(rows.Lo, g.job.rows().Lo)-g.job.rows().Lo, min(rows.Hi, g.job.rows().Hi)-g.job.rows().Lo
	if hi < g.job.rows().Hi-g.job.rows().Lo {
		hi -= hi % g.high
	}
	return region.Interval{Lo: (lo + g.high - 1) / g.high * g.across, Hi: (hi + g.high - 1) / g.high * g.across}
}

// upTo is the cell after the last whose rows end before a row, or at it.
func (g grid) upTo(row int) int { return g.within(region.Interval{Lo: g.job.rows().Lo, Hi: row}).Hi }

// allWithin is within for a set of rows.
func (g grid) allWithin(rows rowSet) (cells rowSet) {
	for _, r := range rows {
		cells = cells.with(g.within(r))
	}
	return cells
}

// piece is some cells with the tiles to launch for them: one for whole steps of rows, and one for a part of a step at either end.
func (g grid) piece(cells region.Interval) piece {
	p := piece{cells: cells, rows: g.rows(cells), parts: g.across > 1 || g.job.strip()}
	for lo := cells.Lo; lo < cells.Hi || len(p.tiles) == 0; {
		hi := min(cells.Hi, (lo/g.across+1)*g.across)
		if lo%g.across == 0 {
			hi = max(hi, cells.Hi/g.across*g.across)
		}
		p.tiles = append(p.tiles, g.tile(region.Interval{Lo: lo, Hi: hi}))
		lo = hi
	}
	return p
}

// tile is the box of whole steps, or of some cells of one.
func (g grid) tile(cells region.Interval) region.Region {
	t := g.job.over(g.rows(cells))
	if n := cells.Hi - cells.Lo; len(t) > 0 && n < g.across {
		at := cells.Lo % g.across
		t[1] = region.Interval{Lo: t[1].Lo + at*g.wide, Hi: min(t[1].Hi, t[1].Lo+(at+n)*g.wide)}
	}
	return t
}

// piece is an interval of cells, the rows that they are of, and the tiles to launch for them.
type piece struct {
	cells region.Interval
	rows  region.Interval
	tiles []region.Region
	parts bool // tiles may be parts of rows
}

// given is a range that was cut beforehand; its rows are its cells.
func (g grid) given(tiles []region.Region) piece {
	rows := region.Interval{Lo: tiles[0][0].Lo, Hi: tiles[0][0].Hi}
	return piece{cells: g.within(rows), rows: rows, tiles: tiles}
}

// split cuts a piece before a cell.
func (g grid) split(p piece, at int) (first, second piece) {
	a, b := region.Interval{Lo: p.cells.Lo, Hi: at}, region.Interval{Lo: at, Hi: p.cells.Hi}
	if g.job.Cuts == nil {
		return g.piece(a), g.piece(b)
	}
	first, second = piece{cells: a, rows: g.rows(a)}, piece{cells: b, rows: g.rows(b)}
	for _, t := range p.tiles {
		before, after := slices.Clone(t), slices.Clone(t)
		before[0].Hi, after[0].Lo = first.rows.Hi, second.rows.Lo
		first.tiles, second.tiles = append(first.tiles, before), append(second.tiles, after)
	}
	return first, second
}

// regions are the parts of an output that a piece makes.
func (p piece) regions(a Array) []region.Region {
	if !p.parts {
		return []region.Region{ops.RowsOf(a.Buf, p.rows)}
	}
	var out []region.Region
	for _, tile := range p.tiles {
		out = append(out, ops.RowsOf(a.Buf, tile[0]).Along(1, tile[1]))
	}
	return out
}

// points are those of a piece.
func (p piece) points() (n int64) {
	for _, t := range p.tiles {
		n += t.Points()
	}
	return n
}
