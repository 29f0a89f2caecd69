package state

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/ops/aside"
	"weft/ops/files"
	"weft/ops/problem"
	"weft/planner/bound"
	"weft/planner/tasks"
	"weft/runtime/arrays"
	"weft/runtime/exec"
	"weft/runtime/memory"
)

// Disk is what of a drive is on disk: its output in a file beside that of the program, or in one without a name, and arrays that sources read. Tiles of them are in
// memory while tasks need them. What a task makes is written, and what the next one needs is read, while a task is under way.
type Disk struct {
	Path  string // empty: the file has no name
	file  *os.File
	sums  *sums
	list  ops.Tasks
	first int // the task that this run began with
	next  int // the task that begins next

	around *arrays.Arrays
	arrays map[*ops.Stage]*onDisk
	out    *onDisk

	mu   sync.Mutex
	held []ops.Tile // in memory, or under way there

	reading, writing *errand
	kept             *errand // a checkpoint
	keeping          int     // how many tasks it says were done
	sure             int     // how many the last one says that is on the disk
	took             Took
}

// Took is what a drive moved, and how long its tasks waited for that.
type Took struct {
	Read, Written int   // tiles
	Bytes         int64 // of both
	Waited        time.Duration
}

// onDisk is an array.
type onDisk struct {
	buffer *bound.Buffer
	mem    *memory.Patches
	source ops.TileSource // nil: it is in the file
	rows   bool           // whole rows are in memory
}

// openDisk makes a drive's arrays ready that are on disk. With keep, what an earlier run left in the file is in it.
func openDisk(s *State, list ops.Tasks, path string, keep bool) (d *Disk, err error) {
	d = &Disk{Path: path, list: list, first: -1, around: s.around, arrays: map[*ops.Stage]*onDisk{}}
	s.around.Count(s.step.Drive.Tiles.Peak)
	for _, id := range s.step.Drive.Tiles.Arrays {
		a := &onDisk{buffer: s.around.ByID[id]}
		a.rows = s.step.Drive.Tiles.Rows && slices.Contains(s.step.Writes, id)
		rows := 0
		if a.rows {
			rows = list.At(0).Makes[0].Box[0].Len()
		}
		if a.mem, err = memory.NewPatches(a.buffer.Bufs[0], rows); err != nil {
			return d, err
		}
		if slices.Contains(s.step.Writes, id) {
			d.out = a
			d.sums = newSums(list, int64(a.buffer.Layout.Len())*int64(a.elem()))
			d.file, err = openTiles(path, keep, d.sums.size)
			d.sums.file = d.file
		} else {
			planned := int64(0)
			for _, m := range s.step.Drive.Tiles.Reads {
				if m.Buffer == id {
					planned = m.Bytes
				}
			}
			a.source, err = exec.Reader{TileReader: a.buffer.Array.Op.Bound.(ops.TileReader), Planned: planned}.OpenSource()
			s.around.Free([]string{id})
			s.around.Take(id, []device.Memory{a.mem})
			s.around.Lent[id] = true
		}
		if err != nil {
			return d, err
		}
		d.arrays[a.buffer.Array] = a
	}
	return d, nil
}

// openTiles is a file of so many bytes for tiles, without a name where path is empty. With keep it is the one that an earlier run left: another one, or
// none, holds nothing of what the checkpoint says was made.
func openTiles(path string, keep bool, bytes int64) (f *os.File, err error) {
	if keep {
		info, err := os.Stat(path)
		if err != nil || info.Size() != bytes {
			return nil, problem.Wrong(problem.JournalForeign, "", "run without --resume to start afresh", "the checkpoint goes with tiles in %s, and that file is gone or another", path)
		}
		f, err = os.OpenFile(path, os.O_RDWR, 0)
		return f, err
	}
	if path == "" {
		if f, err = os.CreateTemp("", "weft-*"); err == nil {
			err = os.Remove(f.Name())
		}
	} else {
		f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	}
	if err == nil {
		err = f.Truncate(bytes)
	}
	return f, files.Unwritten(cmp.Or(path, os.TempDir()), err)
}

// of is the array of a tile: one of the state is the output.
func (d *Disk) of(s *ops.Stage) *onDisk {
	if a := d.arrays[s]; a != nil {
		return a
	}
	return d.out
}

// start begins with a task, for which nothing is in memory.
func (d *Disk) start(number int) {
	d.first, d.next = number, number
	d.reading = begin(func() error { return d.ready(number, nil) })
}

// ready has the tiles of a task in memory, beside those that are there.
func (d *Disk) ready(number int, there []ops.Tile) error {
	t := d.list.At(number)
	if err := d.blank(without(t.Makes, slices.Concat(t.Reads, there))); err != nil {
		return err
	}
	return d.read(without(t.Reads, there), number)
}

// Task has the tiles of a task in memory, begins to write those of the one before, and to read those of the one behind. What note gives, if any, is called once all
// that was made before the task is in the file.
func (d *Disk) Task(number int, note func() (func() error, error)) error {
	if d.first < 0 {
		d.start(number)
	}
	if number != d.next {
		return fmt.Errorf("task %d begins, and task %d was next", number, d.next)
	}
	d.next++
	start := time.Now()
	err := first(d.writing.wait(), d.reading.wait()) // reading begins behind writing, and fails with it
	d.took.Waited += time.Since(start)
	if d.kept.ended() {
		err = first(err, d.Kept())
	}
	if err != nil {
		return err
	}
	noted, err := note()
	if err != nil {
		return err
	}
	needs := tasks.Needs(d.list.At(number))
	d.writing = nil
	dropped := begin(func() error { return nil })
	if number > d.first {
		was := d.list.At(number - 1)
		dropped = begin(func() error { d.drop(without(was.Reads, slices.Concat(needs, was.Makes))); return nil })
		d.writing = d.leave(number-1, needs, dropped, noted)
		if makes := d.list.At(number).Makes; slices.ContainsFunc(was.Makes, func(t ops.Tile) bool { return tasks.Holds(makes, t) }) {
			start := time.Now()
			_ = d.writing.wait() // what the task begins with is what is written; the next one is told if it is not
			d.took.Waited += time.Since(start)
		}
	}
	d.reading = nil
	if number+1 < d.list.Count {
		behind := d.writing
		d.reading = begin(func() error {
			if err := first(dropped.wait(), behind.wait()); err != nil {
				return err
			}
			return d.ready(number+1, needs)
		})
	}
	return nil
}

// leave writes what a task made, once no checkpoint goes on from what it takes the place of, and calls what notes that.
func (d *Disk) leave(task int, needs []ops.Tile, dropped *errand, noted func() error) *errand {
	var kept *errand
	if d.Overwrites(task) {
		kept = d.kept
	}
	return begin(func() error {
		err := kept.wait()
		if err == nil {
			err = d.write(task)
		}
		if err == nil && noted != nil {
			err = noted()
		}
		_ = dropped.wait()
		d.drop(without(d.list.At(task).Makes, needs))
		return err
	})
}

// Finish writes what is left, and gives the memory up. The file stays.
func (d *Disk) Finish() error {
	err := first(d.writing.wait(), d.reading.wait(), d.kept.wait())
	if err == nil && d.first >= 0 {
		err = d.write(d.next - 1)
	}
	d.drop(slices.Clone(d.held))
	return err
}

// Tasks is how many there are.
func (d *Disk) Tasks() int { return d.list.Count }

// Took is what was moved so far, when nothing is under way.
func (d *Disk) Took() Took { return d.took }

// Close gives all up but the file.
func (d *Disk) Close(ctx context.Context) (err error) {
	_ = errors.Join(d.reading.wait(), d.writing.wait(), d.kept.wait()) // whoever needed it was told
	for _, a := range d.arrays {
		if a.source != nil {
			_, fault := a.source.Close(ctx)
			err = errors.Join(err, fault)
			d.around.Forget(a.buffer.ID) // others read it anew
			d.around.Lent[a.buffer.ID] = false
			delete(d.around.Memory, a.buffer.Bufs[0])
		}
		a.mem.Free()
	}
	return err
}

// read brings tiles as they are before a task.
func (d *Disk) read(list []ops.Tile, task int) error {
	d.hold(list)
	d.mu.Lock()
	d.took.Read += len(list)
	d.took.Bytes += d.bytes(list)
	d.mu.Unlock()
	places := map[int64][]ops.Tile{}
	for _, t := range list {
		place := int64(0)
		if m := d.sums.before(task, t.Box); d.of(t.Of) == d.out && m != nil {
			place = m.place
		}
		places[place] = append(places[place], t)
	}
	for place, tiles := range places {
		for of, boxes := range tasks.Merged(tiles) {
			a := d.of(of)
			for _, at := range boxes {
				h := a.array()
				var err error
				if a.source != nil {
					for piece := range ops.Pieces(at, h.Type.Shape()) {
						err = errors.Join(err, a.source.Read(aside.Context(context.Background()), piece, h.Sub(piece)))
					}
				} else {
					err = d.fetch(at, place, task)
				}
				if err != nil {
					return fmt.Errorf("reading %v of %s: %w", at, a.buffer.Stage, err)
				}
				ops.FillPadding(a.buffer.Bufs[0], at, a.mem.Host())
			}
		}
	}
	return nil
}

// write puts what a task made into the file.
func (d *Disk) write(task int) error {
	list := d.sums.of(task)
	for _, m := range list {
		err := d.rows(m.Box, d.out.array(), beyond(m.place, d.file.WriteAt))
		if err == nil {
			err = d.sums.sign(m, d.out.row(m.Box))
		}
		if err != nil {
			return files.Unwritten(d.file.Name(), err)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.took.Written += len(list)
	d.took.Bytes += d.bytes(d.list.At(task).Makes)
	return nil
}

// beyond moves what is counted from a place on.
func beyond(place int64, move func([]byte, int64) (int, error)) func([]byte, int64) (int, error) {
	return func(b []byte, at int64) (int, error) { return move(b, place+at) }
}

// bytes are those of tiles.
func (d *Disk) bytes(list []ops.Tile) (sum int64) {
	for _, t := range list {
		sum += t.Box.Points() * int64(d.of(t.Of).buffer.Bufs[0].Type.Size())
	}
	return sum
}

// elem is the bytes of an element.
func (a *onDisk) elem() int { return a.buffer.Bufs[0].Type.Size() }

// row gives the rows of a box that is in memory.
func (a *onDisk) row(at region.Region) func(index []int) []byte {
	buf, last := a.buffer.Bufs[0], len(at)-1
	return func(index []int) []byte {
		from := 0
		for d, x := range index {
			from = from*buf.Shape[d] + x
		}
		from = from*buf.Row() + buf.Pad.Before + at[last].Lo
		return a.mem.Host()[from*a.elem() : (from+at[last].Len())*a.elem()]
	}
}

// array is all of an array, of which some is there.
func (a *onDisk) array() ops.HostArray {
	return a.buffer.In(map[*ir.Buffer]device.Memory{a.buffer.Bufs[0]: a.mem})
}

// rows moves the rows of a box from or to the file, which holds them one after the other.
func (d *Disk) rows(at region.Region, h ops.HostArray, move func([]byte, int64) (int, error)) error {
	for piece := range ops.Pieces(at, h.Type.Shape()) {
		if err := d.move(piece, h.Type.Shape(), h.Sub(piece).Parts[0], move); err != nil {
			return err
		}
	}
	return nil
}

// move moves a piece of an array of a shape.
func (d *Disk) move(piece region.Region, shape []int, part ops.HostPart, move func([]byte, int64) (int, error)) error {
	last, row := len(piece)-1, 0
	for index := range piece[:last].Indices() {
		if _, err := move(part.Row(row), offset(shape, index, piece[last].Lo)*int64(part.Buf.Type.Size())); err != nil {
			return err
		}
		row++
	}
	return nil
}

// offset is where the file has an element of an array of a shape, the last index of which is apart.
func offset(shape, index []int, last int) (at int64) {
	for i, x := range append(index[:len(index):len(index)], last) {
		at = at*int64(shape[i]) + int64(x)
	}
	return at
}

// Read gives what the file holds of a piece of the output: zeros where no task makes any.
func (d *Disk) Read(at region.Region, to ops.HostArray) error {
	part, shape := to.Parts[0], d.out.buffer.Layout.Shape()
	var made []ops.Tile
	for box := range d.sums.boxes {
		m := d.sums.last(box, d.list.Count)
		if both := m.Box.Intersect(at); !both.Empty() {
			made = append(made, ops.Tile{Of: m.Of, Box: both})
		}
	}
	for row := range part.Rows() {
		clear(part.Row(row))
	}
	for _, boxes := range tasks.Merged(made) {
		for _, box := range boxes {
			for piece := range ops.Pieces(box, shape) {
				if err := d.move(piece, shape, to.Sub(piece.From(at)).Parts[0], d.file.ReadAt); err != nil {
					return err
				}
			}
		}
	}
	written, err := d.sums.in(at, d.list.Count)
	if err != nil {
		return err
	}
	return d.sums.prove(written, at, d.out.elem(), func(index []int) []byte {
		row := 0
		for i, x := range index {
			row = row*at[i].Len() + x - at[i].Lo
		}
		return part.Row(row)
	})
}

// Bring has all of the output in the memory that it has around the drive.
func (d *Disk) Bring() error {
	h, err := d.around.Host(d.out.buffer.ID)
	if err != nil {
		return err
	}
	at := h.Type.Whole()
	for piece := range ops.Pieces(at, at.Shape()) {
		if err := d.Read(piece, h.Sub(piece)); err != nil {
			return err
		}
	}
	return nil
}

// Release closes the file.
func (d *Disk) Release() error { return d.file.Close() }
