package exec

import (
	"fmt"
	"slices"
	"sync"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/ops/amount"
	"weft/ops/problem"
	"weft/planner/bound"
	"weft/planner/bounds"
	"weft/planner/plan"
	"weft/runtime/fleet"
)

// Allocate gives the parts of an array memory on a device, first what is spare of it; a table gets its values too. What is filled may hold anything
// before.
func Allocate(dev device.Device, spare *device.Spare, b *bound.Buffer, mem map[*ir.Buffer]device.Memory, filled bool) (err error) {
	defer func() {
		if err != nil {
			Free(b, spare, mem)
		}
	}()
	values := b.Array.Data
	for _, part := range b.Bufs {
		m, err := alloc(dev, spare, part, filled)
		if err != nil {
			return problem.Wrong(problem.OutOfMemory, "", "stop other programs, or use a smaller grid", "no memory for %s (%s, %s): %s",
				b.Stage, b.Type, amount.Bytes(b.Bytes), err)
		}
		if mem[part] = m; b.Role != plan.FromPlan {
			continue
		}
		host, n := m.Host(), part.Len()
		if host == nil || len(values) < n {
			return fmt.Errorf("table %s has %d values for %s, to go to %s", b.Stage, len(b.Array.Data), b.Type, dev.Info().Name)
		}
		device.SetFloats(part, host, values[:n])
		values = values[n:]
	}
	return nil
}

// alloc gives a buffer memory. What is spare came from the same device.
func alloc(dev device.Device, spare *device.Spare, b *ir.Buffer, filled bool) (device.Memory, error) {
	if m, err := spare.Take(b, !filled); m != nil || err != nil {
		return m, err
	}
	return dev.Alloc(b)
}

// Free gives the memory of an array back, or makes it spare.
func Free(b *bound.Buffer, spare *device.Spare, mem map[*ir.Buffer]device.Memory) {
	for _, part := range b.Bufs {
		if m := mem[part]; m != nil {
			spare.Keep(m)
			delete(mem, part)
		}
	}
}

// Needs are what regions of a kernel's axes need of its inputs. That of all of it is found once: drives ask for it in each call.
type Needs struct {
	loads  *bounds.Loads
	domain region.Region
	all    func() map[*ir.Buffer]region.Region
}

// NeedsOf are those of a kernel.
func NeedsOf(k *ir.Kernel) *Needs {
	loads, domain := bounds.Needed(k), k.Domain()
	return &Needs{loads, domain, sync.OnceValue(func() map[*ir.Buffer]region.Region { return loads.Of(domain) })}
}

// Of is bounds.Loads.Of. Nobody may change it.
func (n *Needs) Of(over region.Region) map[*ir.Buffer]region.Region {
	if over.Equal(n.domain) {
		return n.all()
	}
	return n.loads.Of(over)
}

// Part describes a part of a kernel's domain to devices with memory of their own; array finds those that it reads and stores.
func Part(step *bound.Step, over region.Region, needs *Needs, array func(id string) (ops.HostArray, error)) (*fleet.Job, error) {
	k := step.Kernel
	inputs := k.IR.Inputs()
	j := &fleet.Job{Stage: step.Name, Kernel: k.IR, Over: over, Whole: !k.IR.Rowwise(), Need: needs.Of, Devices: k.Place.Devices, Weights: k.Place.Weights}
	executed := sync.OnceValue(func() *bounds.Loads { return bounds.Executed(k.IR, nil) })
	j.Reach = func(over region.Region) map[*ir.Buffer]region.Region { return executed().Of(over) }
	for i, id := range slices.Concat(step.Reads, step.Writes) {
		a, err := array(id)
		if err != nil {
			return nil, err
		}
		to := &j.Reads
		if i >= len(step.Reads) {
			to = &j.Writes
		}
		for _, p := range a.Parts {
			if i >= len(step.Reads) || len(a.Parts) == 1 || slices.Contains(inputs, p.Buf) {
				*to = append(*to, fleet.Array(p))
			}
		}
	}
	return j, nil
}
