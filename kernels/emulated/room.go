package emulated

import (
	"fmt"
	"sync"

	"weft/kernels/device"
	"weft/kernels/ir"
)

var _ device.Roomy = (*Device)(nil)

// room is memory of which views are given.
type room struct {
	dev   *Device
	data  []byte
	freed sync.Once
	give  func()
}

// AllocRoom gives memory for views.
func (d *Device) AllocRoom(bytes int64) (device.Room, error) {
	data, give, err := d.take("a room", bytes, func() (*device.HostMemory, error) {
		return device.Reserve(&ir.Buffer{Name: "a room", Type: ir.U8, Shape: []int{int(bytes)}})
	})
	if err != nil {
		return nil, err
	}
	return &room{dev: d, data: data, give: give}, nil
}

// View gives a part of a buffer a place; what is not cleared holds what no kernel computes, so that it shows where that is read.
func (r *room) View(buf *ir.Buffer, part device.Span, at int64, cleared bool) (device.Memory, error) {
	if err := device.CheckView(buf, part, at, int64(len(r.data))); err != nil {
		return nil, fmt.Errorf("%s: %w", r.dev.info.Name, err)
	}
	first := at + device.ViewFirst(buf, part)
	data := r.data[first+part.From : first+part.To]
	if fill(data); cleared {
		clear(data)
	}
	return &memory{
		dev: r.dev, buf: buf, first: address(r.data) + uint64(first), part: part, data: data, guards: guards(data, int64(device.MarginBytes(buf))), give: func() {},
	}, nil
}

// Free gives the room back; later calls do nothing.
func (r *room) Free() { r.freed.Do(r.give) }
