package runtime

import (
	"fmt"
	"slices"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/ops"
	"weft/planner/bound"
	"weft/runtime/exec"
)

// state are the parts of an array before and after a call.
type state struct{ now, next []device.Memory }

// after is where a call stores what comes next.
func (s *state) after(boxed bool) []device.Memory {
	if boxed {
		return s.now
	}
	return s.next
}

// takes is the memory of an array of the state.
func (d *drive) takes(i int) int64 {
	if slices.Contains(d.step.Drive.Single, d.step.Drive.Start[i]) {
		return d.buffer(i).Bytes
	}
	return 2 * d.buffer(i).Bytes
}

// begin gives the state its memory and what it holds at first: the memory of that, where nobody needs it afterwards, or a copy.
func (d *drive) begin() error {
	r := d.run
	for i, id := range d.step.Drive.Start {
		b := d.buffer(i)
		d.state = append(d.state, state{})
		s := &d.state[i]
		r.arrays.Count(d.takes(i))
		if !slices.Contains(d.step.Drive.Single, id) {
			s.next = make([]device.Memory, len(b.Bufs))
			if err := d.allocate(b, s.next); err != nil {
				return err
			}
		}
		if slices.Contains(d.step.Drive.Moves, id) && (r.plan.Stream != nil || slices.Contains(d.step.Frees, id)) {
			for _, part := range b.Bufs {
				s.now = append(s.now, r.arrays.Memory[part])
			}
			r.fleet.Release(b.Bufs...)
			r.arrays.Lent[id] = true
			r.arrays.Count(-b.Bytes)
			continue
		}
		s.now = make([]device.Memory, len(b.Bufs))
		if err := d.allocate(b, s.now); err != nil {
			return err
		}
		from, err := r.arrays.Host(id)
		if err != nil {
			return err
		}
		d.host(i).CopyFrom(from)
	}
	return nil
}

// allocate makes room for an array of the state.
func (d *drive) allocate(b *bound.Buffer, to []device.Memory) error {
	mem := map[*ir.Buffer]device.Memory{}
	err := exec.Allocate(d.run.opt.Devices[0], d.run.arrays.Spare, b, mem, false)
	for k, part := range b.Bufs {
		to[k] = mem[part]
	}
	return err
}

// buffer is how a state lies in memory: the same in all programs, and as what it is at first.
func (d *drive) buffer(i int) *bound.Buffer { return d.run.arrays.ByID[d.step.Drive.Start[i]] }

// host is what a state holds after the last call.
func (d *drive) host(i int) ops.HostArray {
	b, mem := d.buffer(i), d.state[i].now
	switch {
	case d.last == nil || d.last.Next[i] == "":
	case d.last.moved[i] >= 0:
		mem = d.state[d.last.moved[i]].now
	default:
		mem = d.state[i].next
	}
	parts := map[*ir.Buffer]device.Memory{}
	for k, part := range b.Bufs {
		parts[part] = mem[k]
	}
	return b.In(parts)
}

// settle makes what the last call stored what the next one reads. An array whose memory moved gets that of the one it moved to.
func (d *drive) settle() {
	if d.last == nil {
		return
	}
	was := slices.Clone(d.state)
	for i, from := range d.last.moved {
		switch {
		case d.last.Next[i] == "":
		case from >= 0:
			d.state[i].now = was[from].now
		default:
			end := i
			for to := i; to >= 0; to = slices.Index(d.last.moved, to) {
				end = to
			}
			d.state[i] = state{now: was[i].next, next: was[end].now}
		}
	}
	d.last = nil
}

// Scalar implements ops.Host.
func (d *drive) Scalar(i int) (float64, error) {
	v, err := d.Values(i)
	if err == nil && len(v) != 1 {
		err = fmt.Errorf("%s is no single number", d.buffer(i).Stage)
	}
	if err != nil {
		return 0, err
	}
	return v[0], nil
}

// Values implements ops.Host.
func (d *drive) Values(i int) ([]float64, error) {
	h := d.host(i)
	if len(h.Parts) > 1 || h.Parts[0].Data == nil {
		return nil, fmt.Errorf("%s is no array of numbers that the host can read", d.buffer(i).Stage)
	}
	out := make([]float64, h.Type.Len())
	h.Parts[0].Load(out, 0)
	for k := range out {
		if v, known := d.log.told.Again(); known {
			out[k] = v
		} else {
			d.log.told.Tell(out[k])
		}
	}
	return out, nil
}

// Set implements ops.Host: what was set before an earlier run's last call is in the state already.
func (d *drive) Set(i, at int, v ...float64) error {
	if d.calls < d.log.calls {
		return nil
	}
	part := d.host(i).Parts[0]
	if part.Data == nil {
		return fmt.Errorf("the host cannot write to %s", d.buffer(i).Stage)
	}
	part.Store(at, v)
	return nil
}

// handOut gives an output the memory of the state that holds it, or a copy where that lies otherwise.
func (d *drive) handOut(id string) error {
	to, err := d.run.arrays.Host(id)
	if err != nil {
		return err
	}
	if d.objects(to.Out) > 0 {
		return nil
	}
	if out := d.run.arrays.ByID[id]; d.run.plan.Stream == nil && d.run.program == nil && slices.EqualFunc(out.Bufs, d.buffer(to.Out).Bufs, bound.Alike) {
		d.settle()
		for k, part := range out.Bufs {
			held := &d.state[to.Out].now[k]
			*held, d.run.arrays.Memory[part] = d.run.arrays.Memory[part], *held
		}
		return nil
	}
	to.CopyFrom(d.host(to.Out))
	return nil
}
