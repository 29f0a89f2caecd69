package fleet

import (
	"cmp"
	"slices"

	"weft/kernels/region"
)

// rowSet is a set of rows: intervals in order, of which none is empty and no two touch.
type rowSet []region.Interval

func (s rowSet) with(rows region.Interval) rowSet {
	if rows.Empty() {
		return s
	}
	var out rowSet
	for _, i := range s {
		if i.Hi < rows.Lo || i.Lo > rows.Hi {
			out = append(out, i)
			continue
		}
		rows = rows.Hull(i)
	}
	out = append(out, rows)
	slices.SortFunc(out, func(a, b region.Interval) int { return cmp.Compare(a.Lo, b.Lo) })
	return out
}

func (s rowSet) without(rows region.Interval) rowSet {
	if rows.Empty() {
		return s
	}
	var out rowSet
	for _, i := range s {
		for _, rest := range []region.Interval{{Lo: i.Lo, Hi: min(i.Hi, rows.Lo)}, {Lo: max(i.Lo, rows.Hi), Hi: i.Hi}} {
			if !rest.Empty() {
				out = append(out, rest)
			}
		}
	}
	return out
}

// holds reports whether a set lacks none of some rows; they are not empty.
func (s rowSet) holds(rows region.Interval) bool {
	return slices.ContainsFunc(s, rows.Within)
}

// missing are the rows that the set lacks.
func (s rowSet) missing(rows region.Interval) rowSet {
	if rows.Empty() {
		return nil
	}
	out := rowSet{rows}
	for _, i := range s {
		out = out.without(i)
	}
	return out
}
