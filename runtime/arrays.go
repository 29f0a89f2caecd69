package runtime

import (
	"fmt"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/ops"
	"weft/planner"
)

// arrays holds the memory of the buffers that are alive.
type arrays struct {
	dev         device.Device
	byID        map[string]*planner.Buffer
	byStage     map[*ops.Stage]*planner.Buffer
	mem         map[*ir.Buffer]device.Memory
	alive, peak int64
}

func newArrays(p *planner.Plan, dev device.Device) *arrays {
	a := &arrays{dev: dev, byID: map[string]*planner.Buffer{}, byStage: map[*ops.Stage]*planner.Buffer{}, mem: map[*ir.Buffer]device.Memory{}}
	for i := range p.Buffers {
		b := &p.Buffers[i]
		a.byID[b.ID], a.byStage[b.Array] = b, b
	}
	return a
}

// need makes sure a buffer has memory; a table gets its values too.
func (a *arrays) need(id string) error {
	b := a.byID[id]
	if a.mem[b.Ir] != nil {
		return nil
	}
	m, err := a.dev.Alloc(b.Ir)
	if err != nil {
		return ops.Wrong("E0708", "", "stop other programs, or use a smaller grid", "no memory for %s (%s, %s): %s",
			b.Stage, b.Type, planner.FormatBytes(b.Bytes), err)
	}
	a.mem[b.Ir] = m
	a.alive += b.Ir.Bytes()
	a.peak = max(a.peak, a.alive)
	if b.Role != planner.FromPlan {
		return nil
	}
	h, err := a.host(id)
	if err != nil {
		return err
	}
	if len(b.Array.Data) != b.Ir.Len() {
		return fmt.Errorf("table %s holds %d values for %s", b.Stage, len(b.Array.Data), b.Type)
	}
	device.SetFloats(b.Ir, h.Data, b.Array.Data)
	return nil
}

// holds reports a stage whose array is in memory.
func (a *arrays) holds(s *ops.Stage) bool {
	b := a.byStage[s]
	return b != nil && a.mem[b.Ir] != nil
}

// host is a buffer as an array in host memory.
func (a *arrays) host(id string) (ops.HostArray, error) {
	b := a.byID[id]
	data := a.mem[b.Ir].Host()
	if data == nil {
		return ops.HostArray{}, fmt.Errorf("the memory of %s cannot be reached from the host", a.dev.Info().Name)
	}
	return ops.HostArray{Type: b.Array.Type, Buf: b.Ir, Data: data, Out: b.Array.Out}, nil
}

// refresh gives a kernel's output new memory, as before anything was stored to it.
func (a *arrays) refresh(id string) error {
	a.free([]string{id})
	return a.need(id)
}

func (a *arrays) free(ids []string) {
	for _, id := range ids {
		b := a.byID[id].Ir
		if m := a.mem[b]; m != nil {
			m.Free()
			delete(a.mem, b)
			a.alive -= b.Bytes()
		}
	}
}

func (a *arrays) freeAll() {
	for id := range a.byID {
		a.free([]string{id})
	}
}
