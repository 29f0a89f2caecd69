package matrix

import "slices"

// Blocks are what a matrix is made of: a grid of others, some of which are not there, and zero.
type Blocks struct {
	Rows, Columns []int // where those of each row of blocks end, and of each column
	There         [][]bool
}

// Turned are the blocks of the transpose.
func (b *Blocks) Turned() *Blocks {
	if b == nil {
		return nil
	}
	return made(b.Columns, b.Rows, func(r, c int) bool { return b.There[c][r] })
}

// made is nil where all blocks are there, which says nothing.
func made(rows, columns []int, there func(r, c int) bool) *Blocks {
	out, whole := &Blocks{Rows: rows, Columns: columns}, true
	for r := range rows {
		row := make([]bool, len(columns))
		for c := range row {
			row[c] = there(r, c)
			whole = whole && row[c]
		}
		out.There = append(out.There, row)
	}
	if whole {
		return nil
	}
	return out
}

// refined are the ends of both.
func refined(a, b []int) []int {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// within are which of some ends those of a finer cut lie in.
func within(fine, ends []int) []int {
	out := make([]int, len(fine))
	for i, end := range fine {
		out[i], _ = slices.BinarySearch(ends, end)
	}
	return out
}

// joinedBlocks are those of what is made of two matrices, as far as they follow from what is known of both.
func joinedBlocks(how Join, one, other Structure) *Blocks {
	x, y := one.Blocks, other.Blocks
	switch sum := how == Added || how == Subtracted; {
	case x == nil && (how == Multiplied || sum && one.Is[Zero] > Unknown):
		return y // zero times anything, or and nothing
	case y == nil && (how == Multiplied || sum && other.Is[Zero] > Unknown):
		return x
	case x == nil, y == nil, how == Inverted:
		return nil
	}
	if how == Product {
		cuts := refined(x.Columns, y.Rows)
		left, right := within(cuts, x.Columns), within(cuts, y.Rows)
		return made(x.Rows, y.Columns, func(r, c int) bool {
			for k := range cuts {
				if x.There[r][left[k]] && y.There[right[k]][c] {
					return true
				}
			}
			return false
		})
	}
	rows, columns := refined(x.Rows, y.Rows), refined(x.Columns, y.Columns)
	xr, yr, xc, yc := within(rows, x.Rows), within(rows, y.Rows), within(columns, x.Columns), within(columns, y.Columns)
	return made(rows, columns, func(r, c int) bool {
		one, other := x.There[xr[r]][xc[c]], y.There[yr[r]][yc[c]]
		if how == Multiplied {
			return one && other
		}
		return one || other
	})
}

// Narrows reports whether there is a row of blocks in which the first or the last one is not there.
func (b *Blocks) Narrows() bool {
	return b != nil && slices.ContainsFunc(b.There, func(row []bool) bool { return !row[0] || !row[len(row)-1] })
}

// Span is where the blocks of one row of them begin that are there, and where they end; both 0: there is none.
func (b *Blocks) Span(row int) (from, to int) {
	first, last := slices.Index(b.There[row], true), len(b.Columns)-1
	if first < 0 {
		return 0, 0
	}
	for !b.There[row][last] {
		last--
	}
	if first > 0 {
		from = b.Columns[first-1]
	}
	return from, b.Columns[last]
}

// Assembled is what is known of a matrix of blocks, from what is known of those on its diagonal, over rows and columns; of none of these where they are no squares.
func Assembled(rows, columns string, b *Blocks, diagonal []Structure) Structure {
	s := Structure{Rows: rows, Columns: columns, Blocks: made(b.Rows, b.Columns, func(r, c int) bool { return b.There[r][c] })}
	if len(diagonal) == 0 || !slices.Equal(b.Rows, b.Columns) {
		return s
	}
	below, above := false, false // whether there are any
	for r, row := range b.There {
		below, above = below || slices.Contains(row[:r], true), above || slices.Contains(row[r+1:], true)
	}
	for p := range properties {
		t := Derived
		for _, d := range diagonal {
			t = min(t, d.Is[p])
		}
		switch {
		case p == UnitDiagonal, p == Lower && !above, p == Upper && !below, !above && !below:
			s = s.With(p, t)
		}
	}
	return s
}
