package fleet

import (
	"cmp"
	"slices"

	"weft/ops"
)

// rowSet is a set of rows: intervals in order, of which none is empty and no two touch.
type rowSet []ops.Interval

func empty(i ops.Interval) bool { return i.Hi <= i.Lo }

func overlap(a, b ops.Interval) ops.Interval {
	return ops.Interval{Lo: max(a.Lo, b.Lo), Hi: min(a.Hi, b.Hi)}
}

func (s rowSet) with(rows ops.Interval) rowSet {
	if empty(rows) {
		return s
	}
	var out rowSet
	for _, i := range s {
		if i.Hi < rows.Lo || i.Lo > rows.Hi {
			out = append(out, i)
			continue
		}
		rows = ops.Interval{Lo: min(rows.Lo, i.Lo), Hi: max(rows.Hi, i.Hi)}
	}
	out = append(out, rows)
	slices.SortFunc(out, func(a, b ops.Interval) int { return cmp.Compare(a.Lo, b.Lo) })
	return out
}

func (s rowSet) without(rows ops.Interval) rowSet {
	if empty(rows) {
		return s
	}
	var out rowSet
	for _, i := range s {
		for _, rest := range []ops.Interval{{Lo: i.Lo, Hi: min(i.Hi, rows.Lo)}, {Lo: max(i.Lo, rows.Hi), Hi: i.Hi}} {
			if !empty(rest) {
				out = append(out, rest)
			}
		}
	}
	return out
}

// holds reports a set that lacks none of some rows; they are not empty.
func (s rowSet) holds(rows ops.Interval) bool {
	return slices.ContainsFunc(s, func(i ops.Interval) bool { return i.Lo <= rows.Lo && rows.Hi <= i.Hi })
}

// missing are the rows that the set lacks.
func (s rowSet) missing(rows ops.Interval) rowSet {
	if empty(rows) {
		return nil
	}
	out := rowSet{rows}
	for _, i := range s {
		out = out.without(i)
	}
	return out
}
