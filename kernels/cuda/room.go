//go:build cuda

package cuda

import (
	"errors"
	"fmt"
	"sync"

	"gorgonia.org/cu"

	"weft/kernels/device"
	"weft/kernels/ir"
)

var _ device.Roomy = (*Device)(nil)

// room is memory of which views are given.
type room struct {
	dev   *Device
	born  int64 // of which of its contexts
	base  cu.DevicePtr
	size  int64
	last  *piece // that may still use it from before
	freed sync.Once
}

// AllocRoom gives memory for views.
func (d *Device) AllocRoom(bytes int64) (device.Room, error) {
	r := &room{dev: d, born: d.contexts.Load(), size: roundUp(max(1, bytes), alignment)}
	err := d.with(func() (err error) {
		r.base, r.last, err = d.take(r.size)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: a room of %d bytes: %w", d.info.Name, bytes, err)
	}
	d.hold(r.size)
	return r, nil
}

// View gives a part of a buffer a place, by arithmetic alone where nothing is to be cleared.
func (r *room) View(buf *ir.Buffer, part device.Span, at int64, cleared bool) (device.Memory, error) {
	if err := device.CheckView(buf, part, at, r.size); err != nil {
		return nil, fmt.Errorf("%s: %w", r.dev.info.Name, err)
	}
	m := &memory{
		dev: r.dev, born: r.born, buf: buf, part: part, give: func() error { return nil },
		first: r.base + cu.DevicePtr(at) + cu.DevicePtr(device.ViewFirst(buf, part)), // which may come before the room: what is there does not
	}
	m.last.Store(r.last)
	if !cleared || part.To == part.From {
		return m, nil
	}
	return m, m.fill(func(s cu.Stream) error {
		return cu.MemsetD8Async(m.first+cu.DevicePtr(part.From), 0, part.To-part.From, s)
	})
}

// Free gives the room back; later calls do nothing. That of a lost device is gone already.
func (r *room) Free() {
	r.freed.Do(func() {
		r.dev.hold(-r.size)
		if r.born != r.dev.contexts.Load() {
			return
		}
		_ = r.dev.with(func() error { // as for memory
			if r.dev.pool.give(r.base, r.size, r.last) {
				return nil
			}
			return errors.Join(r.last.rest(), cu.MemFree(r.base))
		})
	})
}
