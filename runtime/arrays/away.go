package arrays

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/planner/bound"
	"weft/planner/bounds"
	"weft/runtime/audit"
	"weft/runtime/exec"
	"weft/runtime/fleet"
)

// fewBytes are those of arrays that are brought together: numbers, of which a device packs as many as there are.
const fewBytes = 256

// bringFew brings small arrays together, if there are several.
func (a *Arrays) bringFew(ctx context.Context, ids []string) error {
	few := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return a.ByID[id].Bytes > fewBytes || !a.Away(id) })
	if len(few) < 2 {
		return nil
	}
	var of []fleet.Glimpse
	room := a.Room(few)
	for _, id := range few {
		for _, part := range a.ByID[id].Bufs {
			on, err := room(part)
			if err != nil {
				return err
			}
			of = append(of, fleet.Glimpse{Array: on, At: []region.Region{region.Whole(part.Shape...)}})
		}
	}
	return a.fleet.FetchTogether(ctx, a.ByID[few[0]].Stage, of)
}

// Bring has the host have arrays: memory for them, and what devices alone hold.
func (a *Arrays) Bring(ctx context.Context, ids []string) error {
	if err := a.bringFew(ctx, ids); err != nil {
		return err
	}
	for _, id := range ids {
		if err := a.Need(id, false); err != nil {
			return err
		}
		for _, part := range a.ByID[id].Bufs {
			if err := a.fleet.Fetch(ctx, part, region.Whole(part.Shape...)); err != nil {
				return err
			}
		}
	}
	return nil
}

// BringAll has the host have everything that devices alone hold and a step may still read.
func (a *Arrays) BringAll(ctx context.Context) error { return a.fleet.FetchAll(ctx) }

// Away reports whether devices alone hold a part of an array.
func (a *Arrays) Away(id string) bool {
	return slices.ContainsFunc(a.ByID[id].Bufs, a.fleet.Lacks)
}

// Lying is an array without data where the host has no memory for it yet.
func (a *Arrays) Lying(id string) (ops.HostArray, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.ByID[id].In(a.Memory), nil
}

// Stored are the arrays that a kernel stores; those that devices hold alone may be without data.
func (a *Arrays) Stored(step *bound.Step) ([]audit.Array, error) {
	out := make([]audit.Array, len(step.Kernel.Roots))
	for i, s := range step.Kernel.Roots {
		b := a.ByStage[s]
		h, err := a.Lying(b.ID)
		if err != nil {
			return nil, err
		}
		out[i] = audit.Array{Of: b, HostArray: h}
	}
	return out, nil
}

// Peaks are the largest magnitudes of what a kernel stored in a region.
func (a *Arrays) Peaks(step *bound.Step, at region.Region, threads int) ([]float64, error) {
	stored, err := a.Stored(step)
	out := make([]float64, len(stored))
	for i, s := range stored {
		out[i] = s.Of.Peak(audit.Peak(s.HostArray, at, threads))
	}
	return out, err
}

// Room gives parts of some arrays memory on the host once a fleet asks for it.
func (a *Arrays) Room(ids []string) func(*ir.Buffer) (fleet.Array, error) {
	return func(part *ir.Buffer) (fleet.Array, error) {
		at := slices.IndexFunc(ids, func(id string) bool { return slices.Contains(a.ByID[id].Bufs, part) })
		if at < 0 {
			return fleet.Array{}, fmt.Errorf("%s is no array of the kernel that asks for it", part.Name)
		}
		b := a.ByID[ids[at]]
		a.mu.Lock()
		there := a.Memory[part] != nil
		a.mu.Unlock()
		if !there {
			mem, err := a.Allocate(b)
			if err != nil {
				return fleet.Array{}, err
			}
			a.mu.Lock()
			for i, p := range b.Bufs {
				a.Memory[p] = mem[i]
			}
			if !a.Lent[b.ID] {
				a.add(a.size(b))
			}
			a.mu.Unlock()
		}
		h, err := a.Host(b.ID)
		if err != nil {
			return fleet.Array{}, err
		}
		return fleet.Array(h.Parts[slices.Index(b.Bufs, part)]), nil
	}
}

// wanted are the parts of some arrays at some points, and of what is loaded there, that devices alone hold; nil: nothing is loaded.
func (a *Arrays) wanted(ids []string, loads *bounds.Loads, points [][]int) (order []*ir.Buffer, at map[*ir.Buffer][]region.Region) {
	at = map[*ir.Buffer][]region.Region{}
	lacks := map[*ir.Buffer]bool{}
	add := func(part *ir.Buffer, box region.Region, alone bool) {
		if len(box) == 0 {
			box = region.Whole(part.Shape...)
		}
		lack, known := lacks[part]
		if !known {
			lack = a.fleet.Lacks(part)
			lacks[part] = lack
		}
		if box.Empty() || !lack || !alone && slices.ContainsFunc(at[part], box.Within) {
			return
		}
		if at[part] == nil {
			order = append(order, part)
		}
		at[part] = append(at[part], box)
	}
	for _, p := range points {
		for _, id := range ids {
			b := a.ByID[id]
			at := b.Layout.Whole() // which may have the parts of an element as its last dim
			copy(at, region.Point(p[:len(b.Array.Type.Dims)]))
			for i, part := range b.Bufs {
				add(part, b.Layout.In(i, part.Shape, at), true)
			}
		}
		if loads != nil {
			for part, box := range loads.Of(region.Point(p)) {
				add(part, box, false)
			}
		}
	}
	for part, boxes := range at {
		var n int64
		for _, box := range boxes {
			n += box.Points()
		}
		if all := region.Whole(part.Shape...); 2*n > all.Points() { // most of it is all of it
			at[part] = []region.Region{all}
		}
	}
	return order, at
}

// Peek has the host see some arrays at some points, and what is loaded there; nil: nothing is.
func (a *Arrays) Peek(ctx context.Context, stage string, ids []string, loads *bounds.Loads, points [][]int) error {
	wants, err := a.Glimpses(ids, loads, points)
	for i := 0; i < len(wants) && err == nil; i++ {
		if part := wants[i].Array.Buf; wants[i].At[0].Equal(region.Whole(part.Shape...)) {
			err = a.fleet.Fetch(ctx, part, wants[i].At[0])
			wants = slices.Delete(wants, i, i+1)
			i--
		}
	}
	if err != nil || len(wants) == 0 {
		return err
	}
	return a.fleet.PeekAll(ctx, stage, wants)
}

// Glimpses are what Peek would have the host see, with memory for it.
func (a *Arrays) Glimpses(ids []string, loads *bounds.Loads, points [][]int) (out []fleet.Glimpse, err error) {
	order, at := a.wanted(ids, loads, points)
	room := a.Room(slices.Collect(maps.Keys(a.ByID)))
	for _, part := range order {
		on, err := room(part)
		if err != nil {
			return nil, err
		}
		out = append(out, fleet.Glimpse{Array: on, At: at[part]})
	}
	return out, nil
}

// Ready gives what is loaded for a region memory on the host, as far as devices alone hold it: it may be seen there then whatever steps go on.
func (a *Arrays) Ready(loads *bounds.Loads, over region.Region) error {
	room := a.Room(slices.Collect(maps.Keys(a.ByID)))
	for part := range loads.Of(over) {
		if a.fleet.Lacks(part) {
			if _, err := room(part); err != nil {
				return err
			}
		}
	}
	return nil
}

// GlimpsesIn is Glimpses of what is loaded, in memory that there was; false where some of it has none.
func (a *Arrays) GlimpsesIn(mem map[*ir.Buffer]device.Memory, loads *bounds.Loads, points [][]int) (out []fleet.Glimpse, ok bool) {
	order, at := a.wanted(nil, loads, points)
	for _, part := range order {
		if mem[part] == nil {
			return nil, false
		}
		for _, b := range a.ByID {
			if i := slices.Index(b.Bufs, part); i >= 0 {
				out = append(out, fleet.Glimpse{Array: fleet.Array(b.In(mem).Parts[i]), At: at[part]})
			}
		}
	}
	return out, true
}

// Snapshot is the memory that there is now.
func (a *Arrays) Snapshot() map[*ir.Buffer]device.Memory {
	a.mu.Lock()
	defer a.mu.Unlock()
	return maps.Clone(a.Memory)
}

// Taken is the memory of some arrays.
func (a *Arrays) Taken(ids []string) (n int64) {
	for _, id := range ids {
		if a.There(id) && !a.Lent[id] {
			n += a.size(a.ByID[id])
		}
	}
	return n
}

// Let gives arrays up that no step needs any more, but for those from which the fleet could make again what the host lacks, which are returned.
func (a *Arrays) Let(ids []string) (kept []string) {
	kept = ids
	for again := true; again; {
		again = false
		for _, id := range slices.Backward(slices.Clone(kept)) {
			b := a.ByID[id]
			if slices.ContainsFunc(b.Bufs, a.fleet.Source) {
				a.fleet.Unload(b.Bufs...)
				if a.There(id) && !slices.ContainsFunc(b.Bufs, a.fleet.Has) { // but the little that was looked at
					a.Count(-a.size(b))
					exec.Free(b, a.Spare, a.Memory)
				}
				continue
			}
			a.fleet.Release(b.Bufs...)
			a.Free([]string{id})
			kept = slices.DeleteFunc(slices.Clone(kept), func(k string) bool { return k == id })
			again = true
		}
	}
	return kept
}
