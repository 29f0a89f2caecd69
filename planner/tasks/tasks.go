// Package tasks lays out what an algorithm does with arrays that are on disk: which boxes are in memory during each of its tasks, when they are read and
// written, and so how much memory that takes and how much is moved.
package tasks

import (
	"cmp"
	"encoding/binary"
	"os"
	"slices"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
)

// Order is what is moved for tasks, and the memory that they take.
type Order struct {
	Read, Made []Moved // what is read is not in memory from the task before
	Peak       int64   // bytes in memory at once: of a task and what is written of the one before it, or what is then read ahead for the next
	Rows       bool    // of what tasks make, whole rows are in memory: no more of them than their tiles, or less than the pages that those begin and end in
}

// Needs are the tiles that are in memory during a task.
func Needs(t ops.Task) []ops.Tile { return slices.Concat(t.Reads, t.Makes) }

// Holds reports whether a tile is among some.
func Holds(list []ops.Tile, t ops.Tile) bool {
	return slices.ContainsFunc(list, func(u ops.Tile) bool { return u.Of == t.Of && u.Box.Equal(t.Box) })
}

// Lay lays tasks out; bufs are the arrays in memory. What takes less memory is taken: rows, if they do not take much more, since they come in large pages.
func Lay(list ops.Tasks, bufs func(*ops.Stage) *ir.Buffer) (o Order) {
	l := layout{list: list, bufs: bufs, numbers: map[string]int{}}
	fine := int64(0) // at least: without the pages that tiles begin and end in
	l.each(func(t numbered, ahead bool, there []int) {
		o.Peak, fine = max(o.Peak, l.rows(there)), max(fine, l.bytes(there))
		if !ahead {
			o.Read, o.Made = l.moved(o.Read, t.comes), l.moved(o.Made, t.makes)
		}
	})
	if o.Rows = o.Peak <= fine+fine/4; !o.Rows {
		fine = 0
		l.each(func(_ numbered, _ bool, there []int) { fine = max(fine, l.fine(there)) })
		if o.Rows = o.Peak <= fine+fine/4; !o.Rows {
			o.Peak = fine
		}
	}
	return o
}

// layout has a number for each tile.
type layout struct {
	list    ops.Tasks
	bufs    func(*ops.Stage) *ir.Buffer
	numbers map[string]int
	name    []byte
	tiles   []tile
	seen    int
}

type tile struct {
	ops.Tile
	band int   // the tile that all of its rows are, of an array of the state
	size int64 // of such a one, in memory
	seen int   // among the tiles that were looked at last, if it is layout's
}

// number is that of a tile.
func (l *layout) number(t ops.Tile) int {
	l.name = binary.AppendVarint(l.name[:0], int64(slices.Index(l.list.Of, t.Of)))
	for _, side := range t.Box {
		l.name = binary.AppendVarint(binary.AppendVarint(l.name, int64(side.Lo)), int64(side.Hi))
	}
	n, ok := l.numbers[string(l.name)]
	if ok {
		return n
	}
	n = len(l.tiles)
	l.numbers[string(l.name)] = n
	l.tiles = append(l.tiles, tile{Tile: t, band: n})
	buf := l.bufs(t.Of)
	if whole := Across(t.Box, buf.Shape); t.Of.State && !whole.Equal(t.Box) {
		band := l.number(ops.Tile{Of: t.Of, Box: whole})
		l.tiles[n].band = band
	} else {
		l.tiles[n].size = size(buf, t.Box)
	}
	return n
}

// distinct are tiles, or what is told of them, each once.
func (l *layout) distinct(of func(n int) int, lists ...[]int) (out []int) {
	l.seen++
	for _, list := range lists {
		for _, n := range list {
			n = of(n)
			if t := &l.tiles[n]; t.seen != l.seen {
				t.seen, out = l.seen, append(out, n)
			}
		}
	}
	return out
}

// numbered is a task.
type numbered struct{ reads, makes, comes []int }

func (l *layout) task(k int) (t numbered) {
	if k >= l.list.Count {
		return t
	}
	of := l.list.At(k)
	for _, u := range of.Reads {
		t.reads = append(t.reads, l.number(u))
	}
	for _, u := range of.Makes {
		t.makes = append(t.makes, l.number(u))
	}
	return t
}

// each visits what is in memory at once: with each task what is written behind it, and then what is read ahead.
func (l *layout) each(visit func(t numbered, ahead bool, there []int)) {
	self := func(n int) int { return n }
	var was numbered
	t := l.task(0)
	t.comes = t.reads
	for k := range l.list.Count {
		next := l.task(k + 1)
		visit(t, false, l.distinct(self, t.reads, t.makes, was.makes))
		there := l.distinct(self, t.reads, t.makes)
		all := l.distinct(self, there, next.reads)
		next.comes = all[len(there):]
		visit(t, true, all)
		was, t = t, next
	}
}

// rows is what whole rows of tiles take.
func (l *layout) rows(there []int) (sum int64) {
	for _, n := range l.distinct(func(n int) int { return l.tiles[n].band }, there) {
		sum += l.tiles[n].size
	}
	return sum
}

// bytes is what tiles hold.
func (l *layout) bytes(there []int) (sum int64) {
	for _, n := range there {
		t := &l.tiles[n]
		sum += t.Box.Points() * int64(l.bufs(t.Of).Type.Size())
	}
	return sum
}

// fine is what tiles take, those that lie side by side together.
func (l *layout) fine(there []int) (sum int64) {
	list := make([]ops.Tile, len(there))
	for i, n := range there {
		list[i] = l.tiles[n].Tile
	}
	for of, boxes := range Merged(list) {
		for _, at := range boxes {
			sum += size(l.bufs(of), at)
		}
	}
	return sum
}

// moved adds tiles to what is moved.
func (l *layout) moved(out []Moved, tiles []int) []Moved {
	for _, n := range tiles {
		t := &l.tiles[n]
		i := slices.IndexFunc(out, func(m Moved) bool { return m.Of == t.Of })
		if i < 0 {
			i, out = len(out), append(out, Moved{Of: t.Of})
		}
		out[i].Tiles++
		out[i].Elements += t.Box.Points()
	}
	return out
}

// Across are the whole rows of a box.
func Across(at region.Region, shape []int) region.Region {
	out := slices.Clone(at)
	for d := 1; d < len(out); d++ {
		out[d] = region.Interval{Hi: shape[d]}
	}
	return out
}

// size is the memory of a box: where its rows do not begin and end with pages, parts of two more for each.
func size(buf *ir.Buffer, at region.Region) int64 {
	n, pieces := ops.RegionBytes(buf, at)
	for from, to := range ops.ByteRanges(buf, at) {
		if page := os.Getpagesize(); from%page != 0 || to%page != 0 || buf.Row()*buf.Type.Size()%page != 0 {
			n += pieces * int64(page)
		}
		break
	}
	return n
}

// Merged joins tiles that lie side by side, by array.
func Merged(tiles []ops.Tile) map[*ops.Stage][]region.Region {
	out := map[*ops.Stage][]region.Region{}
	tiles = slices.Clone(tiles)
	slices.SortStableFunc(tiles, func(s, t ops.Tile) int {
		for i := range min(len(s.Box), len(t.Box)) {
			if c := cmp.Compare(s.Box[i].Lo, t.Box[i].Lo); c != 0 {
				return c
			}
		}
		return 0
	})
	for _, t := range tiles {
		list, last := out[t.Of], len(t.Box)-1
		if i := len(list) - 1; i >= 0 && list[i][:last].Equal(t.Box[:last]) && list[i][last].Hi == t.Box[last].Lo {
			list[i] = slices.Clone(list[i])
			list[i][last].Hi = t.Box[last].Hi
			continue
		}
		out[t.Of] = append(list, t.Box)
	}
	return out
}

// Moved is how many tiles of an array are moved, and their elements.
type Moved struct {
	Of       *ops.Stage
	Tiles    int
	Elements int64
}
