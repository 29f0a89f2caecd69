package emulated

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
	"unsafe"

	"weft/kernels/device"
	"weft/kernels/ir"
)

// memory is a buffer in the memory of a device.
type memory struct {
	dev  *Device
	buf  *ir.Buffer
	mu   sync.RWMutex // held for writing while it is freed
	data *device.HostMemory
}

var _ device.Remote = (*memory)(nil)

// marginFill is what margins hold, so that a write beyond the buffer is noticed when the buffer is read or freed.
const marginFill = 0xA5

// Alloc gives memory on the device, or an error that matches device.ErrMemory.
func (d *Device) Alloc(buf *ir.Buffer) (device.Memory, error) {
	if _, err := d.fate.next(onAlloc); err != nil {
		return nil, fmt.Errorf("%s: allocating %s: %w", d.info.Name, buf.Name, err)
	}
	size := buf.Bytes() + 2*device.Margin*int64(buf.Type.Size())
	if err := d.meter.take(size, d.info.Limits.Memory); err != nil {
		return nil, fmt.Errorf("%s: allocating %s: %w", d.info.Name, buf.Name, err)
	}
	data, err := device.NewHostMemory(buf)
	if err != nil {
		d.meter.giveBack(size)
		return nil, err
	}
	m := &memory{dev: d, buf: buf, data: data}
	for _, margin := range m.margins() {
		for i := range margin {
			margin[i] = marginFill
		}
	}
	return m, nil
}

// margins are the readable bytes around the buffer; the host does not know where those of an empty one are.
func (m *memory) margins() (out [2][]byte) {
	if len(m.data.Host()) == 0 {
		return out
	}
	host, n := m.data.Host(), device.Margin*m.buf.Type.Size()
	first := unsafe.Pointer(unsafe.SliceData(host))
	return [2][]byte{unsafe.Slice((*byte)(unsafe.Add(first, -n)), n), unsafe.Slice((*byte)(unsafe.Add(first, len(host))), n)}
}

// intact reports a kernel that wrote beyond the buffer.
func (m *memory) intact() error {
	for _, margin := range m.margins() {
		if i := slices.IndexFunc(margin, func(b byte) bool { return b != marginFill }); i >= 0 {
			return fmt.Errorf("%s: something was written outside of buffer %s", m.dev.info.Name, m.buf.Name)
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
	if m.data == nil {
		return 0, -1
	}
	host := m.data.Host()
	return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(host)))), int64(len(host))
}

// Owner is the device.
func (m *memory) Owner() any { return m.dev }

// CopyIn copies from the host.
func (m *memory) CopyIn(ctx context.Context, offset int64, src []byte) error {
	return m.transfer(ctx, onUpload, offset, src, func(part []byte) { copy(part, src) })
}

// CopyOut copies to the host.
func (m *memory) CopyOut(ctx context.Context, dst []byte, offset int64) error {
	return m.transfer(ctx, onDownload, offset, dst, func(part []byte) { copy(dst, part) })
}

func (m *memory) transfer(ctx context.Context, on string, offset int64, host []byte, move func(part []byte)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	start := time.Now()
	if _, err := m.dev.fate.next(on); err != nil {
		return fmt.Errorf("%s: copying %s: %w", m.dev.info.Name, m.buf.Name, err)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.data == nil {
		return fmt.Errorf("%s: buffer %s has been freed", m.dev.info.Name, m.buf.Name)
	}
	if err := device.CheckRange(int64(len(m.data.Host())), offset, len(host)); err != nil {
		return fmt.Errorf("%s: buffer %s: %w", m.dev.info.Name, m.buf.Name, err)
	}
	if err := m.intact(); err != nil {
		return err
	}
	move(m.data.Host()[offset : offset+int64(len(host))])
	took := m.dev.transferTime(len(host), m.dev.pins.holds(host))
	m.dev.meter.copied(on, len(host), took)
	return m.dev.pace(ctx, start, took)
}

// Free gives the memory back; later calls do nothing.
func (m *memory) Free() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.data == nil {
		return
	}
	m.dev.meter.giveBack(m.buf.Bytes() + 2*device.Margin*int64(m.buf.Type.Size()))
	m.data.Free()
	m.data = nil
}

// pins are the page-locked memories that are lent out.
type pins struct {
	mu   sync.Mutex
	lent map[*byte]int
}

// Pin lends page-locked memory, unless the description refuses it.
func (d *Device) Pin(n int) ([]byte, func(), error) {
	if p := d.description.Link.Pinned; p != nil && !*p {
		return nil, nil, fmt.Errorf("%s: page-locked memory is refused, as described", d.info.Name)
	}
	if _, err := d.fate.next(onPin); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", d.info.Name, err)
	}
	if n < 1 {
		return nil, nil, fmt.Errorf("%s: %d bytes of page-locked memory", d.info.Name, n)
	}
	data := make([]byte, n)
	first := unsafe.SliceData(data)
	d.pins.mu.Lock()
	defer d.pins.mu.Unlock()
	if d.pins.lent == nil {
		d.pins.lent = map[*byte]int{}
	}
	d.pins.lent[first] = n
	return data, func() {
		d.pins.mu.Lock()
		defer d.pins.mu.Unlock()
		delete(d.pins.lent, first)
	}, nil
}

// holds reports memory that is part of a lent one.
func (p *pins) holds(data []byte) bool {
	if len(data) == 0 {
		return true
	}
	at := uintptr(unsafe.Pointer(unsafe.SliceData(data)))
	p.mu.Lock()
	defer p.mu.Unlock()
	for first, n := range p.lent {
		lo := uintptr(unsafe.Pointer(first))
		if at >= lo && at+uintptr(len(data)) <= lo+uintptr(n) {
			return true
		}
	}
	return false
}

// corrupt changes one element of the first buffer that a launch changed.
func corrupt(bufs []*ir.Buffer, now, before [][]byte) {
	for i, b := range bufs {
		at := 0
		if !bytes.Equal(now[i], before[i]) {
			for at < len(now[i]) && now[i][at] == before[i][at] {
				at++
			}
		} else if i < len(bufs)-1 || len(now[i]) == 0 {
			continue
		}
		cell := at / b.Type.Size()
		if b.Type.Float() {
			device.SetFloat(b.Type, now[i], cell, 1.5*device.Float(b.Type, now[i], cell)+1)
		} else {
			device.SetInt(b.Type, now[i], cell, device.Int(b.Type, now[i], cell)^1)
		}
		return
	}
}
