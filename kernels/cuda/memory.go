//go:build cuda

package cuda

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"gorgonia.org/cu"

	"weft/kernels/device"
	"weft/kernels/ir"
)

// memory is a buffer on the GPU, with margins.
type memory struct {
	dev  *Device
	buf  *ir.Buffer
	mu   sync.RWMutex // held for writing while it is freed
	base cu.DevicePtr // of the margin before the buffer
	size int64        // with margins; 0: freed
}

var _ device.Remote = (*memory)(nil)

// alignment of a buffer's first byte, so that neighbouring threads' accesses fall on whole lines.
const alignment = 256

// margin is the bytes before and after a buffer.
func margin(buf *ir.Buffer) int64 {
	return (device.Margin*int64(buf.Type.Size()) + alignment - 1) / alignment * alignment
}

// Alloc gives memory on the GPU, or an error that matches device.ErrMemory.
func (d *Device) Alloc(buf *ir.Buffer) (device.Memory, error) {
	m := &memory{dev: d, buf: buf, size: buf.Bytes() + 2*margin(buf)}
	err := d.with(func() error {
		base, err := cu.MemAlloc(m.size)
		if err != nil {
			return err
		}
		m.base = base
		if err := m.clear(); err != nil {
			if e := cu.MemFree(base); e != nil {
				return fmt.Errorf("%w (and freeing it: %w)", err, e)
			}
			return err
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %d bytes for buffer %s: %w", d.info.Name, m.size, buf.Name, err)
	}
	d.account(func(u *device.Usage) {
		u.Allocated += m.size
		u.Peak = max(u.Peak, u.Allocated)
	})
	return m, nil
}

// first is the address of the buffer's first byte.
func (m *memory) first() cu.DevicePtr { return m.base + cu.DevicePtr(margin(m.buf)) }

// clear sets elements and margins to zero and padding to its value.
func (m *memory) clear() error {
	if err := cu.MemsetD8(m.base, 0, m.size); err != nil {
		return err
	}
	b := m.buf
	if b.Pad.Value == 0 || b.Pad.Before+b.Pad.After == 0 || len(b.Shape) == 0 || b.Cells() == 0 {
		return cu.Synchronize()
	}
	size := b.Type.Size()
	cell := make([]byte, 8)
	device.SetFloat(b.Type, cell[:size], 0, b.Pad.Value)
	rows, pitch := int64(b.Cells()/b.Row()), int64(b.Row()*size)
	for i := range b.Row() {
		if i >= b.Pad.Before && i < b.Row()-b.Pad.After {
			continue
		}
		if err := fillColumn(m.first()+cu.DevicePtr(i*size), pitch, cell[:size], rows); err != nil {
			return err
		}
	}
	return cu.Synchronize()
}

// fillColumn sets one element of every row.
func fillColumn(at cu.DevicePtr, pitch int64, cell []byte, rows int64) error {
	switch len(cell) {
	case 1:
		return cu.MemsetD2D8(at, pitch, cell[0], 1, rows)
	case 2:
		return cu.MemsetD2D16(at, pitch, *(*uint16)(unsafe.Pointer(&cell[0])), 1, rows)
	}
	for word := 0; word < len(cell); word += 4 {
		if err := cu.MemsetD2D32(at+cu.DevicePtr(word), pitch, uint(*(*uint32)(unsafe.Pointer(&cell[word]))), 1, rows); err != nil {
			return err
		}
	}
	return nil
}

// Host is nil: the host cannot address the memory.
func (m *memory) Host() []byte { return nil }

// Address is that of the buffer's first byte; freed memory has no bytes.
func (m *memory) Address() (uint64, int64) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.size == 0 {
		return 0, -1
	}
	return uint64(m.first()), m.buf.Bytes()
}

// Owner is the device.
func (m *memory) Owner() any { return m.dev }

// CopyIn copies from the host.
func (m *memory) CopyIn(ctx context.Context, offset int64, src []byte) error {
	return m.transfer(ctx, offset, src, func(at cu.DevicePtr, host unsafe.Pointer, n int64, s cu.Stream) error {
		return cu.MemcpyHtoDAsync(at, host, n, s)
	}, func(u *device.Usage) copied { return copied{&u.BytesIn, &u.Upload} })
}

// CopyOut copies to the host.
func (m *memory) CopyOut(ctx context.Context, dst []byte, offset int64) error {
	return m.transfer(ctx, offset, dst, func(at cu.DevicePtr, host unsafe.Pointer, n int64, s cu.Stream) error {
		return cu.MemcpyDtoHAsync(host, at, n, s)
	}, func(u *device.Usage) copied { return copied{&u.BytesOut, &u.Download} })
}

func (m *memory) transfer(ctx context.Context, offset int64, host []byte, move func(cu.DevicePtr, unsafe.Pointer, int64, cu.Stream) error, to func(*device.Usage) copied) error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.size == 0 {
		return fmt.Errorf("%s: buffer %s has been freed", m.dev.info.Name, m.buf.Name)
	}
	if err := device.CheckRange(m.buf.Bytes(), offset, len(host)); err != nil {
		return fmt.Errorf("%s: buffer %s: %w", m.dev.info.Name, m.buf.Name, err)
	}
	if len(host) == 0 {
		return ctx.Err()
	}
	var pin runtime.Pinner // the copy goes on after the call that starts it
	pin.Pin(unsafe.SliceData(host))
	defer pin.Unpin()
	took, err := m.dev.timed(ctx, func(s cu.Stream) error {
		return move(m.first()+cu.DevicePtr(offset), unsafe.Pointer(unsafe.SliceData(host)), int64(len(host)), s)
	})
	if err != nil {
		return fmt.Errorf("%s: copying buffer %s: %w", m.dev.info.Name, m.buf.Name, err)
	}
	m.dev.account(func(u *device.Usage) { to(u).add(len(host), took) })
	return nil
}

// Free gives the memory back; later calls do nothing. That of a lost device is gone already.
func (m *memory) Free() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.size == 0 {
		return
	}
	size := m.size
	m.size = 0
	m.dev.account(func(u *device.Usage) { u.Allocated -= size })
	// The only errors are those of earlier work, which showed there, or a lost device's.
	_ = m.dev.with(func() error { return cu.MemFree(m.base) })
}
