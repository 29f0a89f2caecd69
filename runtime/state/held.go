package state

import (
	"slices"

	"weft/kernels/region"
	"weft/ops"
	"weft/planner/tasks"
)

// without are tiles that are not among others.
func without(list, others []ops.Tile) []ops.Tile {
	return slices.DeleteFunc(slices.Clone(list), func(t ops.Tile) bool { return tasks.Holds(others, t) })
}

// hold makes room for tiles.
func (d *Disk) hold(list []ops.Tile) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, t := range list {
		if a := d.of(t.Of); a.rows && !d.holds(a, t.Box[0]) {
			a.mem.Ready(tasks.Across(t.Box, a.buffer.Bufs[0].Shape))
		}
		d.held = append(d.held, t)
	}
}

// blank makes room for tiles that are made: zero at first, of which a task may store no more than some.
func (d *Disk) blank(list []ops.Tile) {
	d.hold(list)
	for _, t := range list {
		a := d.of(t.Of)
		for from, to := range ops.ByteRanges(a.buffer.Bufs[0], t.Box) {
			clear(a.mem.Host()[from:to])
		}
	}
}

// holds reports whether some tile of an array in rows is in memory.
func (d *Disk) holds(a *onDisk, rows region.Interval) bool {
	return slices.ContainsFunc(d.held, func(t ops.Tile) bool { return d.of(t.Of) == a && t.Box[0] == rows })
}

// drop gives the memory of tiles up.
func (d *Disk) drop(list []ops.Tile) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.held = without(d.held, list)
	for of, boxes := range tasks.Merged(list) {
		a := d.of(of)
		for _, at := range boxes {
			if a.rows {
				if at = tasks.Across(at, a.buffer.Bufs[0].Shape); d.holds(a, at[0]) {
					continue
				}
			}
			a.mem.Drop(at, func(beside region.Region) bool {
				return slices.ContainsFunc(d.held, func(t ops.Tile) bool { return d.of(t.Of) == a && !t.Box.Intersect(beside).Empty() })
			})
		}
	}
}
