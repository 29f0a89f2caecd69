package arrays

import (
	"context"
	"fmt"
	"slices"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/planner/bounds"
	"weft/runtime/exec"
	"weft/runtime/fleet"
)

// Bring has the host have arrays: memory for them, and what devices alone hold.
func (a *Arrays) Bring(ctx context.Context, ids []string) error {
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
			a.add(a.size(b))
			a.mu.Unlock()
		}
		h, err := a.Host(b.ID)
		if err != nil {
			return fleet.Array{}, err
		}
		return fleet.Array(h.Parts[slices.Index(b.Bufs, part)]), nil
	}
}

// Peek has the host see some arrays at some points, and what is loaded there; nil: nothing is.
func (a *Arrays) Peek(ctx context.Context, ids []string, loads *bounds.Loads, points [][]int) error {
	at := map[*ir.Buffer][]region.Region{}
	var order []*ir.Buffer
	add := func(part *ir.Buffer, box region.Region) {
		if len(box) == 0 {
			box = region.Whole(part.Shape...)
		}
		if box.Empty() || !a.fleet.Lacks(part) || slices.ContainsFunc(at[part], box.Within) {
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
				add(part, b.Layout.In(i, part.Shape, at))
			}
		}
		if loads != nil {
			for part, box := range loads.Of(region.Point(p)) {
				add(part, box)
			}
		}
	}
	for _, part := range order {
		all, look := region.Whole(part.Shape...), a.fleet.Peek
		var n int64
		for _, box := range at[part] {
			n += box.Points()
		}
		if 2*n > all.Points() { // most of it is all of it
			at[part], look = []region.Region{all}, a.fleet.Fetch
		}
		for _, box := range at[part] {
			if err := look(ctx, part, box); err != nil {
				return err
			}
		}
	}
	return nil
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
