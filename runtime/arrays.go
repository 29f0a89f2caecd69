package runtime

import (
	"fmt"
	"math"
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

	narrow  bool                      // windows are narrower than rows
	windows map[string]*memory.Window // of runs in blocks: arrays of which only some rows are there; nil while they have no memory
	mu      sync.Mutex                // guards alive and peak while blocks are read beside the computation
}

func newArrays(p *bound.Plan, dev device.Device) *arrays {
	a := &arrays{dev: dev, byID: map[string]*bound.Buffer{}, byStage: map[*ops.Stage]*bound.Buffer{}, mem: map[*ir.Buffer]device.Memory{}}
	for i := range p.Buffers {
		b := &p.Buffers[i]
		a.byID[b.ID], a.byStage[b.Array] = b, b
	}
	return a
}

// need makes sure a buffer has memory; a table gets its values too.
func (a *arrays) need(id string) error {
	b := a.byID[id]
	if a.mem[b.IR] != nil {
		return nil
	}
	if _, ok := a.windows[id]; ok {
		w, err := memory.NewWindow(b.IR, b.Layout, a.narrow)
		if err != nil {
			return problem.Wrong(problem.OutOfMemory, "", "raise the limit of addresses (ulimit -v), or use a smaller grid", "%s", err)
		}
		a.windows[id], a.mem[b.IR] = w, w
		return nil
	}
	m, err := exec.Allocate(a.dev, b)
	if err != nil {
		return err
	}
	a.mem[b.IR] = m
	a.count(b.IR.Bytes())
	return nil
}

// holds reports whether a stage's array is in memory.
func (a *arrays) holds(s *ops.Stage) bool {
	b := a.byStage[s]
	return b != nil && a.mem[b.IR] != nil
}

// host is a buffer as an array in host memory.
func (a *arrays) host(id string) (ops.HostArray, error) {
	b := a.byID[id]
	data := a.mem[b.IR].Host()
	if data == nil {
		return ops.HostArray{}, fmt.Errorf("the memory of %s cannot be reached from the host", a.dev.Info().Name)
	}
	return ops.HostArray{Type: b.Layout, Buf: b.IR, Data: data, Out: b.Array.Out}, nil
}

func (a *arrays) free(ids []string) {
	for _, id := range ids {
		b := a.byID[id].IR
		if m := a.mem[b]; m != nil {
			a.fleet.Release(b)
			m.Free()
			delete(a.mem, b)
			a.count(-b.Bytes())
		}
	}
}

// swap exchanges the memory of two arrays that lie alike.
func (a *arrays) swap(x, y string) {
	p, q := a.byID[x].IR, a.byID[y].IR
	a.fleet.Release(p)
	a.fleet.Release(q)
	a.mem[p], a.mem[q] = a.mem[q], a.mem[p]
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
	a.windows = map[string]*memory.Window{}
	for id := range a.byID {
		if s.Windowed(id) {
			a.windows[id] = nil
		}
	}
}

func (a *arrays) windowed(id string) bool { _, ok := a.windows[id]; return ok }

// extend makes a region ready to be written; that of an array that is there as a whole is.
func (a *arrays) extend(id string, at region.Region) {
	a.resize(id, func(w *memory.Window) { w.Extend(at) })
}

// drop gives the memory of rows before lo back.
func (a *arrays) drop(id string, lo int) {
	a.fleet.Forget(a.byID[id].IR, region.Interval{Hi: lo})
	a.resize(id, func(w *memory.Window) { w.Drop(lo) })
}

func (a *arrays) resize(id string, change func(*memory.Window)) {
	w := a.windows[id]
	if w == nil {
		return
	}
	a.mu.Lock() // a window grows in front while its end is dropped: the difference must be of this change alone
	defer a.mu.Unlock()
	before := w.Bytes()
	change(w)
	a.add(w.Bytes() - before)
}

// clearWindows ends a strip: nothing is there of what has windows.
func (a *arrays) clearWindows() {
	for id := range a.windows {
		a.fleet.Release(a.byID[id].IR)
		a.resize(id, func(w *memory.Window) { w.Drop(math.MaxInt) })
	}
}

// freeWindows ends a pass: its windows have no memory until the next one.
func (a *arrays) freeWindows() {
	for id, w := range a.windows {
		if w != nil {
			a.count(-w.Bytes())
			a.fleet.Release(a.byID[id].IR)
			w.Free()
			delete(a.mem, a.byID[id].IR)
			a.windows[id] = nil
		}
	}
}

func (a *arrays) freeAll() {
	a.freeWindows()
	for id := range a.byID {
		a.free([]string{id})
	}
}
