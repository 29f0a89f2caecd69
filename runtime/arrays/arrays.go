package arrays

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/ops/problem"
	"weft/planner/blocks"
	"weft/planner/bound"
	"weft/runtime/exec"
	"weft/runtime/fleet"
	"weft/runtime/memory"
)

// Arrays holds the memory of the buffers that are alive.
type Arrays struct {
	plan        *bound.Plan
	dev         device.Device
	ByID        map[string]*bound.Buffer
	ByStage     map[*ops.Stage]*bound.Buffer
	Memory      map[*ir.Buffer]device.Memory
	Spare       *device.Spare // what was freed
	Alive, Peak int64
	Sizes       map[string]int64 // of arrays that take less than the plan has room for
	fleet       *fleet.Fleet     // holds replicas

	Lent     map[string]bool // arrays whose memory is not its own
	Windowed map[string]bool // of runs in blocks: arrays of which only some rows are there
	mu       sync.Mutex      // guards memory, alive and peak while blocks are read and written beside the computation
}

// New is the memory of a plan whose buffers are not there yet.
func New(p *bound.Plan, dev device.Device, accelerators *fleet.Fleet) *Arrays {
	a := &Arrays{plan: p, dev: dev, fleet: accelerators, ByID: map[string]*bound.Buffer{}, ByStage: map[*ops.Stage]*bound.Buffer{}, Windowed: map[string]bool{}, Lent: map[string]bool{}, Spare: &device.Spare{}, Sizes: map[string]int64{}, Memory: map[*ir.Buffer]device.Memory{}}
	for i := range p.Buffers {
		b := &p.Buffers[i]
		a.ByID[b.ID], a.ByStage[b.Array] = b, b
	}
	return a
}

// Need makes sure a buffer has memory; a table gets its values too. What is filled before it is read may hold anything until then.
func (a *Arrays) Need(id string, filled bool) error {
	b := a.ByID[id]
	if a.There(id) {
		return nil
	}
	if !a.Windowed[id] {
		err := exec.Allocate(a.dev, a.Spare, b, a.Memory, filled)
		if err == nil && !a.Lent[id] {
			a.Count(a.size(b))
		}
		return err
	}
	for _, part := range b.Bufs {
		w, err := memory.NewWindow(part)
		if err != nil {
			return problem.Wrong(problem.OutOfMemory, "", "raise the limit of addresses (ulimit -v), or use a smaller grid", "%s", err)
		}
		a.Memory[part] = w
	}
	return nil
}

// Slide gives arrays memory for a few rows at a time, together; asked again, it is what they have.
func (a *Arrays) Slide(ids []string, rows int) (out []*memory.Sliding, err error) {
	var bufs []*ir.Buffer
	for _, id := range ids {
		for _, part := range a.ByID[id].Bufs {
			if m, ok := a.Memory[part].(*memory.Sliding); ok {
				out = append(out, m)
			}
			bufs = append(bufs, part)
		}
	}
	if len(out) > 0 {
		return out, nil
	}
	out, err = memory.Slide(bufs, rows)
	if err != nil {
		return nil, err
	}
	for i, part := range bufs {
		a.Memory[part] = out[i]
		a.Count(out[i].Bytes())
	}
	return out, nil
}

// partial is memory of which only some rows are there.
type partial interface {
	There() []byte
	Bytes() int64
}

// Few gives arrays memory for so many rows, which stand for their first ones, unless they have some.
func (a *Arrays) Few(ids []string, rows int) error {
	for _, id := range ids {
		if a.There(id) {
			continue
		}
		for _, part := range a.ByID[id].Bufs {
			m, err := memory.NewFirst(part, rows)
			if err != nil {
				return problem.Wrong(problem.OutOfMemory, "", "stop other programs, or use fewer threads", "%s", err)
			}
			a.Memory[part] = m
			a.Count(m.Bytes())
		}
	}
	return nil
}

// Stand lets the first rows of arrays be others, from one on, until the end.
func (a *Arrays) Stand(ids []string) (from func(row int), end func()) {
	whole := map[*ir.Buffer]device.Memory{}
	from = func(row int) {
		for _, id := range ids {
			for _, part := range a.ByID[id].Bufs {
				if whole[part] == nil {
					whole[part] = a.Memory[part]
				}
				a.Memory[part] = memory.From(part, whole[part], row)
			}
		}
	}
	return from, func() { maps.Copy(a.Memory, whole) }
}

// Held is the memory of an array as far as it has any: of one that slides, of the rows that are there.
func (a *Arrays) Held(id string) (out [][]byte) {
	for _, part := range a.ByID[id].Bufs {
		switch m := a.Memory[part].(type) {
		case nil:
		case partial:
			out = append(out, m.There())
		default:
			out = append(out, m.Host())
		}
	}
	return out
}

// size is the memory of an array that is there as a whole, or of a few of its rows.
func (a *Arrays) size(b *bound.Buffer) int64 {
	var few int64 // rows
	for _, part := range b.Bufs {
		if m, ok := a.Memory[part].(partial); ok {
			few += m.Bytes()
		}
	}
	if few > 0 {
		return few
	}
	if n, ok := a.Sizes[b.ID]; ok {
		return n
	}
	return b.Bytes
}

// Allocate is new memory for a buffer, part by part, which is not its own yet.
func (a *Arrays) Allocate(b *bound.Buffer) ([]device.Memory, error) {
	mem, out := map[*ir.Buffer]device.Memory{}, make([]device.Memory, len(b.Bufs))
	err := exec.Allocate(a.dev, a.Spare, b, mem, false)
	for i, part := range b.Bufs {
		out[i] = mem[part]
	}
	return out, err
}

// Take gives a buffer other memory, part by part: what replicas held is not in it.
func (a *Arrays) Take(id string, mem []device.Memory) {
	a.Forget(id)
	for i, part := range a.ByID[id].Bufs {
		a.Memory[part] = mem[i]
	}
}

// Taken is memory that an array takes, and the buffers that had it before, as far as replicas are still of it.
type Taken struct {
	ID     string
	Memory []device.Memory // of none, where the host cannot reach it
	From   []*ir.Buffer    // part by part; nil: none had
	Blank  bool            // it is about to be stored
}

// TakeAll gives arrays other memory, all at once: replicas go along with it.
func (a *Arrays) TakeAll(list []Taken) {
	var moves []fleet.Move
	for _, l := range list {
		for i, part := range a.ByID[l.ID].Bufs {
			moves = append(moves, fleet.Move{From: l.From[i], To: part, Blank: l.Blank})
			if a.Memory[part] = l.Memory[i]; l.Memory[i].Host() == nil {
				delete(a.Memory, part)
			}
		}
	}
	a.fleet.Move(moves, a.Room(slices.Collect(maps.Keys(a.ByID))))
}

// Swap has two buffers change their memory, while others are read and written beside.
func (a *Arrays) Swap(b, c *ir.Buffer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.Memory[b], a.Memory[c] = a.Memory[c], a.Memory[b]
}

// Forget gives replicas of an array up.
func (a *Arrays) Forget(id string) { a.fleet.Release(a.ByID[id].Bufs...) }

// Outdate has nobody ask any more for what devices hold of arrays; it will be made anew.
func (a *Arrays) Outdate(ids []string) {
	for _, id := range ids {
		for _, part := range a.ByID[id].Bufs {
			a.fleet.Forget(part, region.Whole(part.Shape...))
		}
	}
}

// lent is memory that belongs to somebody else.
type lent []byte

// Host is all of it.
func (m lent) Host() []byte { return m }

// Free does nothing.
func (lent) Free() {}

// Lend gives a buffer memory that belongs to somebody else, and is read only.
func (a *Arrays) Lend(part *ir.Buffer, data []byte) { a.Memory[part] = lent(data) }

// Counted is what those take of which it was found in the run how many elements they have.
func (a *Arrays) Counted() (n int64) {
	for _, bytes := range a.Sizes {
		n += bytes
	}
	return n
}

// there reports whether an array is in memory.
func (a *Arrays) There(id string) bool { return a.Memory[a.ByID[id].Bufs[0]] != nil }

// Whole reports whether all of an array is in memory, rather than some rows that move.
func (a *Arrays) Whole(id string) bool {
	return a.There(id) && !slices.ContainsFunc(a.ByID[id].Bufs, func(part *ir.Buffer) bool { _, few := a.Memory[part].(partial); return few })
}

// host is a buffer as an array in host memory.
func (a *Arrays) Host(id string) (ops.HostArray, error) {
	a.mu.Lock()
	h := a.ByID[id].In(a.Memory)
	a.mu.Unlock()
	if slices.ContainsFunc(h.Parts, func(p ops.HostPart) bool { return p.Data == nil }) {
		return h, fmt.Errorf("the memory of %s cannot be reached from the host", a.dev.Info().Name)
	}
	return h, nil
}

func (a *Arrays) Free(ids []string) {
	for _, id := range ids {
		if b := a.ByID[id]; a.There(id) && !a.Lent[id] {
			a.clear(b)
			if !a.Windowed[id] {
				a.Count(-a.size(b))
			}
			exec.Free(b, a.Spare, a.Memory)
		}
	}
}

// count keeps the bytes that are alive and the most there were.
func (a *Arrays) Count(bytes int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.add(bytes)
}

// add is count for a caller that holds the lock.
func (a *Arrays) add(bytes int64) {
	a.Alive += bytes
	a.Peak = max(a.Peak, a.Alive)
}

// block makes the arrays that a run in blocks does not keep as a whole windows.
func (a *Arrays) Block(s *blocks.Stream) {
	for id := range a.ByID {
		a.Windowed[id] = s.Windowed(id)
	}
}

// extend makes a region ready to be written; that of an array that is there as a whole is.
func (a *Arrays) Extend(id string, at region.Region) {
	b := a.ByID[id]
	for i, part := range b.Bufs {
		a.resize(part, func(w *memory.Window) { w.Extend(b.Layout.In(i, part.Shape, at)) })
	}
}

// drop gives the memory of rows before lo back.
func (a *Arrays) Drop(id string, lo int) {
	b := a.ByID[id]
	for i, part := range b.Bufs {
		gone := b.Layout.In(i, part.Shape, b.Layout.Rows(region.Interval{Hi: lo}))
		a.fleet.Forget(part, gone)
		a.resize(part, func(w *memory.Window) { w.Drop(gone[0].Hi) })
	}
}

func (a *Arrays) resize(part *ir.Buffer, change func(*memory.Window)) {
	a.mu.Lock() // a window grows in front while its end is dropped: the difference must be of this change alone
	defer a.mu.Unlock()
	w, ok := a.Memory[part].(*memory.Window)
	if !ok {
		return
	}
	before := w.Bytes()
	change(w)
	a.add(w.Bytes() - before)
}

// clear gives up what is there of windows, and replicas.
func (a *Arrays) clear(b *bound.Buffer) {
	a.fleet.Release(b.Bufs...)
	for _, part := range b.Bufs {
		a.resize(part, func(w *memory.Window) { w.Drop(math.MaxInt) })
	}
}

// clearWindows ends a strip: nothing is there of what has windows.
func (a *Arrays) ClearWindows() {
	for id, windowed := range a.Windowed {
		if windowed {
			a.clear(a.ByID[id])
		}
	}
}

// freeWindows ends a pass: its windows have no memory until the next one.
func (a *Arrays) FreeWindows() {
	for id, windowed := range a.Windowed {
		if windowed {
			a.Free([]string{id})
		}
	}
}

func (a *Arrays) FreeAll() { a.Free(slices.Collect(maps.Keys(a.ByID))) }
