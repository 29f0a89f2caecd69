package runtime

import (
	"fmt"
	"os"
	"slices"
	"time"

	"weft/ops"
	"weft/runtime/journal"
	"weft/runtime/state"
)

// Room implements ops.Host.
func (d *drive) Room() ops.Room { return d.run.plan.Graph.Drives[d.step.Op].Room }

// Task implements ops.Host. How far the drive is, is noted for each task as soon as what it made is in the file, which a process that is killed loses nothing of; a
// checkpoint that waits for the disk is made as often as is cheap, and before what it would go on from is overwritten.
func (d *drive) Task(number int) error {
	d.run.opt.Progress.Tile()
	if d.calls < d.log.calls {
		return nil
	}
	disk := d.state.Disk
	err := disk.Task(number, func() (func() error, error) {
		now, err := d.before(number)
		if err != nil {
			return nil, err
		}
		return d.log.Note(now)
	})
	must := func() bool { return d.log.Path != "" && disk.Overwrites(number) } // what it makes is written with the next one under way
	if err == nil && must() {
		err = disk.Kept() // which may be enough
	}
	if err != nil || !must() && (disk.Keeping() || !d.log.due(d, false)) {
		return err
	}
	now, err := d.before(number)
	if err != nil {
		return err
	}
	now = now.Copy(d.log.copy)
	d.log.copy = now
	disk.Keep(number, func(begun time.Time) error { return d.log.Write(now, begun) })
	return nil
}

// before is how far the drive is before a task.
func (d *drive) before(number int) (now journal.Checkpoint, err error) {
	now, err = d.log.now(d)
	now.Tasks = number
	return now, err
}

// tasksDone says that all tasks were done, and waits for the disk if it is time for that.
func (d *drive) tasksDone() error {
	disk, start := d.state.Disk, time.Now()
	now, err := d.before(disk.Tasks())
	if err != nil {
		return err
	}
	if d.log.due(d, false) {
		if err := disk.Sync(); err != nil {
			return err
		}
		return d.log.Write(now, start)
	}
	note, err := d.log.Note(now)
	if err != nil || note == nil {
		return err
	}
	return note()
}

// place is where a drive leaves what does not fit the memory: beside the output that its checkpoint is beside. A checkpoint of tiles that are
// made anew goes first: what it says would be there is not.
func (d *drive) place() (p state.Place, err error) {
	if d.step.Drive.Tiles == nil {
		return p, nil
	}
	p.Tasks = d.run.plan.Graph.Drives[d.step.Op].Tasks
	if d.run.checkpoint != "" {
		checkpoint := journal.CheckpointOf(d.run.checkpoint, d.step.ID)
		p.Path = journal.TilesOf(checkpoint)
		if p.Keep = d.run.opt.Resume && journal.There(checkpoint); !p.Keep {
			err = journal.ForgetAll(checkpoint)
		}
		since := journal.SinceOf(checkpoint)
		*d.run.checkpoints = append(append(*d.run.checkpoints, p.Path), since[:]...)
	}
	return p, err
}

// onDisk ends what is done beside tasks, and tells of it.
func (d *drive) onDisk(note *ops.Note) error {
	disk := d.state.Disk
	if disk == nil {
		return nil
	}
	if err := disk.Finish(); err != nil {
		return err
	}
	took := disk.Took()
	note.Text += fmt.Sprintf("; %d tiles read, %d written, waited %s for them", took.Read, took.Written, took.Waited.Round(time.Millisecond))
	note.Moved, note.Planned = took.Bytes, 0
	for _, m := range slices.Concat(d.step.Drive.Tiles.Reads, d.step.Drive.Tiles.Writes) {
		note.Planned += m.Bytes
	}
	d.run.scratch[d.step.Writes[0]] = disk
	if d.run.plan.Stream != nil { // steps behind it read it by rows
		return nil
	}
	return disk.Bring()
}

// leave closes what is on disk. What no checkpoint tells of is of no use to a later run, and neither is a checkpoint of what has no result.
func (d *drive) leave() {
	r, tell := d.run, func(err error) {
		if err != nil {
			d.run.opt.Progress.Log(fmt.Sprintf("%s: %s", d.step.Name, err))
		}
	}
	if d.hopeless && d.log.Path != "" {
		defer func() { tell(journal.ForgetAll(d.log.Path)) }()
	}
	if d.state == nil || d.state.Disk == nil {
		return
	}
	disk := d.state.Disk
	tell(disk.Close(d.ctx))
	if r.scratch[d.step.Writes[0]] == disk {
		return
	}
	_ = disk.Release()
	if disk.Path != "" && (d.hopeless || !journal.There(journal.CheckpointOfTiles(disk.Path))) {
		_ = os.Remove(disk.Path)
	}
}
