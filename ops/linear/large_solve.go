package linear

import (
	"fmt"
	"math"
	"slices"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
)

// Larger than the memory, solutions of a triangle are found for a strip of right sides after the other, a tile of unknowns after the other: what is known of the
// strip stays, and the triangle goes by once for each. Of an inverse, tiles that are known to be zero are in no task.

// found is a tile of solutions: some unknowns of some right sides, or of the one that there is, and what is known before it.
type found struct {
	sides           region.Region
	unknowns, known region.Interval
}

// order are the tiles in the order in which they are found.
func (z *large) order(b int) (out []found) {
	p, unknowns := z.passes()[0], z.tilesOf(z.n, b)
	if p.up {
		slices.Reverse(unknowns)
	}
	strips := []region.Region{nil}
	if len(z.sides) > 0 {
		strips = nil
		for _, sides := range z.tilesOf(z.sides[0].Size, b) {
			strips = append(strips, region.Region{sides})
		}
	}
	for _, sides := range strips {
		var known region.Interval
		for _, at := range unknowns {
			if p.sparse && (p.up && at.Lo >= sides[0].Hi || !p.up && at.Hi <= z.begins(sides[0].Lo, sides[0].Lo)) {
				continue
			}
			out = append(out, found{sides, at, known})
			known = known.Hull(at)
		}
	}
	return out
}

// begins is the first unknown that counts for a right side of an inverse among some, of which the first is given. All before the right side is zero, but of short floats
// so many terms at a time are summed by themselves, and these are the same whatever tiles there are.
func (z *large) begins(side, first int) int {
	if side = side / group * group; z.base == ir.F32 {
		return side
	}
	return max(side, first)
}

// substitutions are the tasks. With m elements in memory, no algorithm of linear algebra that sums up g products moves fewer than g / sqrt(8 m) (Ballard, Demmel, Holtz and
// Schwartz, Minimizing communication in numerical linear algebra, 2011).
func (z *large) substitutions(b int, l *ops.Lowering, x *ops.Stage) ops.Tasks {
	p, order, a := z.passes()[0], z.order(b), l.In("a")
	out := ops.Tasks{Of: []*ops.Stage{a, x}, Count: len(order), Least: z.needs(panel, l.Room), Takes: z.needs(int64(b), l.Room), Multiplies: cube(z.n) / 6, Moves: 0.5 / math.Sqrt2}
	if z.rhs >= 0 {
		out.Multiplies *= 3 * float64(z.Gives[0].Type.Len()) / float64(z.n) / float64(z.n)
		out.Of = append(out.Of, l.In("b"))
	}
	out.At = func(number int) ops.Task {
		s := order[number]
		tile := func(at region.Interval) ops.Tile {
			return ops.Tile{Of: x, Box: slices.Clone(place(z, p, s.sides, at))}
		}
		t := ops.Task{Reads: []ops.Tile{{Of: a, Box: z.at(s.unknowns, s.unknowns)}}, Makes: []ops.Tile{tile(s.unknowns)}}
		for _, at := range z.tilesOf(z.n, b) {
			if at = at.Intersect(s.known); at.Empty() {
				continue
			}
			t.Reads = append(t.Reads, tile(at), ops.Tile{Of: a, Box: z.at(s.unknowns, at)})
		}
		if z.rhs >= 0 {
			t.Reads = append(t.Reads, ops.Tile{Of: l.In("b"), Box: slices.Insert(slices.Clone(s.sides), z.rhs, s.unknowns)})
		}
		return t
	}
	return out
}

// substituted finds the solutions tile by tile.
func (z *large) substituted(h ops.Host, b int) (ops.Note, error) {
	p, order := z.passes()[0], z.order(b)
	for number, s := range order {
		if err := h.Task(number); err != nil {
			return ops.Note{}, err
		}
		panels := z.tilesOf(s.unknowns.Len(), panel)
		if p.up {
			slices.Reverse(panels)
		}
		for _, at := range panels {
			at = region.Interval{Lo: s.unknowns.Lo + at.Lo, Hi: s.unknowns.Lo + at.Hi}
			if err := z.columns(h, p, at, s.sides); err != nil {
				return ops.Note{}, err
			}
		}
	}
	return ops.Note{Text: fmt.Sprintf("%d tiles of %d right sides and unknowns", len(order), b) + z.known}, nil
}

func cube(n int) float64 { return float64(n) * float64(n) * float64(n) }
