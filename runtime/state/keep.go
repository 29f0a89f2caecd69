package state

import (
	"slices"
	"time"

	"weft/ops/files"
)

// Keeping reports whether a checkpoint is under way. One that failed is not: whoever begins a task is told.
func (d *Disk) Keeping() bool { return !d.kept.ended() }

// Keep makes a checkpoint of the tasks before the one under way, so many, once all that they made is on the disk.
func (d *Disk) Keep(number int, save func(begun time.Time) error) {
	written := d.writing
	d.keeping = number
	d.kept = begin(func() error {
		err, begun := written.wait(), time.Now()
		if err = first(err, d.Sync()); err != nil {
			return err
		}
		return save(begun)
	})
}

// Kept waits for the end of a checkpoint that is under way.
func (d *Disk) Kept() error {
	start := time.Now()
	err := d.kept.wait()
	d.took.Waited += time.Since(start)
	if err == nil && d.kept != nil {
		d.sure = d.keeping
	}
	return err
}

// Overwrites reports whether what a task makes takes the place of what the last checkpoint goes on from: of its tile, what was made before the last.
func (d *Disk) Overwrites(number int) bool {
	return slices.ContainsFunc(d.sums.of(number), func(m version) bool {
		was := d.sums.before(number, m.Box)
		return was != nil && was.task >= d.sure && d.sums.before(was.task, m.Box) != nil
	})
}

// Sync waits until all that was written is on the disk.
func (d *Disk) Sync() error { return files.Unwritten(d.file.Name(), d.file.Sync()) }
