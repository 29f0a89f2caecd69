package runtime

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

// arrays holds the memory of the buffers that are alive.
type arrays struct {
	dev         device.Device
	byID        map[string]*bound.Buffer
	byStage     map[*ops.Stage]*bound.Buffer
	mem         map[*ir.Buffer]device.Memory
	alive, peak int64
	fleet       *fleet.Fleet // holds replicas

	lent     map[string]bool // arrays whose memory is not its own
	narrow   bool            // windows are narrower than rows
	windowed map[string]bool // of runs in blocks: arrays of which only some rows are there
	mu       sync.Mutex      // guards alive and peak while blocks are read beside the computation
}

func newArrays(p *bound.Plan, dev device.Device, accelerators *fleet.Fleet) *arrays {
	a := &arrays{dev: dev, fleet: accelerators, byID: map[string]*bound.Buffer{}, byStage: map[*ops.Stage]*bound.Buffer{}, windowed: map[string]bool{}, lent: map[string]bool{}, mem: map[*ir.Buffer]device.Memory{}}
	for i := range p.Buffers {
		b := &p.Buffers[i]
		a.byID[b.ID], a.byStage[b.Array] = b, b
	}
	return a
}

// need makes sure a buffer has memory; a table gets its values too.
func (a *arrays) need(id string) error {
	b := a.byID[id]
	if a.there(id) {
		return nil
	}
	if !a.windowed[id] {
		err := exec.Allocate(a.dev, b, a.mem)
		if err == nil {
			a.count(b.Bytes)
		}
		return err
	}
	for _, part := range b.Bufs {
		w, err := memory.NewWindow(part, a.narrow)
		if err != nil {
			return problem.Wrong(problem.OutOfMemory, "", "raise the limit of addresses (ulimit -v), or use a smaller grid", "%s", err)
		}
		a.mem[part] = w
	}
	return nil
}

// there reports whether an array is in memory.
func (a *arrays) there(id string) bool { return a.mem[a.byID[id].Bufs[0]] != nil }

// host is a buffer as an array in host memory.
func (a *arrays) host(id string) (ops.HostArray, error) {
	h := a.byID[id].In(a.mem)
	if slices.ContainsFunc(h.Parts, func(p ops.HostPart) bool { return p.Data == nil }) {
		return h, fmt.Errorf("the memory of %s cannot be reached from the host", a.dev.Info().Name)
	}
	return h, nil
}

func (a *arrays) free(ids []string) {
	for _, id := range ids {
		if b := a.byID[id]; a.there(id) && !a.lent[id] {
			a.clear(b)
			exec.Free(b, a.mem)
			if !a.windowed[id] {
				a.count(-b.Bytes)
			}
		}
	}
}

// count keeps the bytes that are alive and the most there were.
func (a *arrays) count(bytes int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.add(bytes)
}

// add is count for a caller that holds the lock.
func (a *arrays) add(bytes int64) {
	a.alive += bytes
	a.peak = max(a.peak, a.alive)
}

// block makes the arrays that a run in blocks does not keep as a whole windows.
func (a *arrays) block(s *blocks.Stream) {
	for id := range a.byID {
		a.windowed[id] = s.Windowed(id)
	}
}

// extend makes a region ready to be written; that of an array that is there as a whole is.
func (a *arrays) extend(id string, at region.Region) {
	b := a.byID[id]
	for i, part := range b.Bufs {
		a.resize(part, func(w *memory.Window) { w.Extend(b.Layout.In(i, part.Shape, at)) })
	}
}

// drop gives the memory of rows before lo back.
func (a *arrays) drop(id string, lo int) {
	b := a.byID[id]
	for i, part := range b.Bufs {
		gone := b.Layout.In(i, part.Shape, b.Layout.Rows(region.Interval{Hi: lo}))
		a.fleet.Forget(part, gone)
		a.resize(part, func(w *memory.Window) { w.Drop(gone[0].Hi) })
	}
}

func (a *arrays) resize(part *ir.Buffer, change func(*memory.Window)) {
	w, ok := a.mem[part].(*memory.Window)
	if !ok {
		return
	}
	a.mu.Lock() // a window grows in front while its end is dropped: the difference must be of this change alone
	defer a.mu.Unlock()
	before := w.Bytes()
	change(w)
	a.add(w.Bytes() - before)
}

// clear gives up what is there of windows, and replicas.
func (a *arrays) clear(b *bound.Buffer) {
	a.fleet.Release(b.Bufs...)
	for _, part := range b.Bufs {
		a.resize(part, func(w *memory.Window) { w.Drop(math.MaxInt) })
	}
}

// clearWindows ends a strip: nothing is there of what has windows.
func (a *arrays) clearWindows() {
	for id, windowed := range a.windowed {
		if windowed {
			a.clear(a.byID[id])
		}
	}
}

// freeWindows ends a pass: its windows have no memory until the next one.
func (a *arrays) freeWindows() {
	for id, windowed := range a.windowed {
		if windowed {
			a.free([]string{id})
		}
	}
}

func (a *arrays) freeAll() { a.free(slices.Collect(maps.Keys(a.byID))) }
