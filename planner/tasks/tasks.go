// Package tasks lays out what an algorithm does with arrays that are on disk: which boxes are in memory during each of its tasks, when they are read and
// written, and so how much memory that takes and how much is moved.
package tasks

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"os"
	"slices"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
)

// Order is tasks with what is moved for each.
type Order struct {
	Tasks []ops.Task
	Read  [][]ops.Tile // that are not in memory from the task before
	Peak  int64        // bytes in memory at once: of a task and what is written of the one before it, or what is then read ahead for the next
	Rows  bool         // of what tasks make, whole rows are in memory: no more of them than their tiles, or less than the pages that those begin and end in
}

// Needs are the tiles that are in memory during a task.
func Needs(t ops.Task) []ops.Tile { return slices.Concat(t.Reads, t.Makes) }

// Holds reports whether a tile is among some.
func Holds(list []ops.Tile, t ops.Tile) bool {
	return slices.ContainsFunc(list, func(u ops.Tile) bool { return u.Of == t.Of && u.Box.Equal(t.Box) })
}

// key is the same for tiles that are.
func key(t ops.Tile) string {
	out := fmt.Appendf(nil, "%p", t.Of)
	for _, side := range t.Box {
		out = binary.AppendVarint(binary.AppendVarint(out, int64(side.Lo)), int64(side.Hi))
	}
	return string(out)
}

// Lay lays tasks out; bufs are the arrays in memory. What takes less memory is taken: rows, if they do not take much more, since they come in large pages.
func Lay(list []ops.Task, bufs func(*ops.Stage) *ir.Buffer) Order {
	o, rows := lay(list, bufs, false), lay(list, bufs, true)
	if rows.Peak <= o.Peak+o.Peak/4 {
		return rows
	}
	return o
}

func lay(list []ops.Task, bufs func(*ops.Stage) *ir.Buffer, rows bool) Order {
	made := map[*ops.Stage]bool{}
	for _, t := range list {
		for _, m := range t.Makes {
			made[m.Of] = true
		}
	}
	o := Order{Rows: rows, Tasks: list, Read: make([][]ops.Tile, len(list))}
	there := map[string]bool{}
	for k, t := range list {
		for _, tile := range t.Reads {
			if !there[key(tile)] {
				o.Read[k] = append(o.Read[k], tile)
			}
		}
		clear(there)
		for _, tile := range Needs(t) {
			there[key(tile)] = true
		}
	}
	beside := func(t ops.Task, more []ops.Tile) {
		var there []ops.Tile
		held := map[string]bool{}
		for _, tile := range slices.Concat(Needs(t), more) {
			if buf := bufs(tile.Of); rows && made[tile.Of] {
				tile.Box = Across(tile.Box, buf.Shape)
			}
			if name := key(tile); !held[name] {
				held[name], there = true, append(there, tile)
			}
		}
		bytes := int64(0)
		for of, boxes := range Merged(there) {
			for _, at := range boxes {
				bytes += size(bufs(of), at)
			}
		}
		o.Peak = max(o.Peak, bytes)
	}
	for k, t := range list {
		beside(t, nil)
		if k > 0 {
			beside(t, list[k-1].Makes)
		}
		if k+1 < len(list) {
			beside(t, o.Read[k+1])
		}
	}
	return o
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

// Sum adds up what is moved in all tasks.
func Sum(tiles [][]ops.Tile) (out []Moved) {
	for _, t := range slices.Concat(tiles...) {
		i := slices.IndexFunc(out, func(m Moved) bool { return m.Of == t.Of })
		if i < 0 {
			i, out = len(out), append(out, Moved{Of: t.Of})
		}
		out[i].Tiles++
		out[i].Elements += t.Box.Points()
	}
	return out
}

// Makes are the tiles that tasks make.
func Makes(list []ops.Task) (out [][]ops.Tile) {
	for _, t := range list {
		out = append(out, t.Makes)
	}
	return out
}
