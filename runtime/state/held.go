package state

import (
	"context"
	"slices"

	"weft/kernels/region"
	"weft/ops"
	"weft/ops/aside"
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

// blank makes room for tiles that are made: zero at first, of which a task may store no more than some. Where no memory was yet, it comes in the same go, which may
// take the system longer than all else: so several processors do it.
func (d *Disk) blank(list []ops.Tile) error {
	d.hold(list)
	for _, t := range list {
		a := d.of(t.Of)
		err := inBands(t.Box, a.elem(), func(some region.Region) error {
			for from, to := range ops.ByteRanges(a.buffer.Bufs[0], some) {
				clear(a.mem.Host()[from:to])
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// bandBytes are moved at a time: they stay near a core.
const bandBytes = 256 << 10

// inBands does something for some rows of a box after the other, beside what is computed.
func inBands(at region.Region, elem int, do func(some region.Region) error) error {
	rows := at[0].Len()
	if len(at) > 1 { // of which each has a checksum
		rows = max(1, bandBytes/(int(at.Points())*elem/rows))
	}
	return aside.Each(aside.Context(context.Background()), (at[0].Len()+rows-1)/rows, func(part int) error {
		lo := at[0].Lo + part*rows
		return do(at.Along(0, region.Interval{Lo: lo, Hi: min(lo+rows, at[0].Hi)}))
	})
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

// fetch reads a box of the output as it is before a task, and lies in a place of the file: some rows after the other, which are compared with what was written while
// they are near.
func (d *Disk) fetch(at region.Region, place int64, task int) error {
	a := d.out
	written, err := d.sums.in(at, task)
	if err != nil {
		return err
	}
	return inBands(at, a.elem(), func(some region.Region) error {
		if err := d.rows(some, a.array(), beyond(place, d.file.ReadAt)); err != nil {
			return err
		}
		return d.sums.prove(written, some, a.elem(), a.row(some))
	})
}

// Left gives what a drive left on disk, part by part, once it has run.
type Left func() *Disk

// Read implements ops.TileSource.
func (l Left) Read(_ context.Context, at region.Region, to ops.HostArray) error {
	return l().Read(at, to)
}

// Close implements ops.TileSource.
func (Left) Close(context.Context) (ops.Note, error) { return ops.Note{}, nil }
