//go:build cuda

package cuda

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"gorgonia.org/cu"

	"weft/kernels/device"
	"weft/kernels/ir"
)

// memory is a buffer on the GPU, with margins.
type memory struct {
	dev   *Device
	born  int64 // of which of its contexts
	buf   *ir.Buffer
	mu    sync.RWMutex          // held for writing while it is freed
	first cu.DevicePtr          // of the buffer
	size  int64                 // bytes that it takes of the device; of a view, none
	part  device.Span           // of the buffer, which is there
	give  func() error          // gives the memory back; nil: freed
	last  atomic.Pointer[piece] // that uses it, of those that were not waited for; nil: none does
}

var _ device.Streaming = (*memory)(nil)

// alignment of a buffer's first byte, so that neighbouring threads' accesses fall on whole lines.
const alignment = 256

func roundUp(n, to int64) int64 { return (n + to - 1) / to * to }

// margin is the bytes before and after a buffer.
func margin(buf *ir.Buffer) int64 { return roundUp(int64(device.MarginBytes(buf)), alignment) }

// Alloc gives memory on the GPU, or an error that matches device.ErrMemory. It is filled before whatever else is done with it.
func (d *Device) Alloc(buf *ir.Buffer) (device.Memory, error) { return d.alloc(buf, (*memory).clear) }

// AllocBlank gives memory whose elements may hold anything.
func (d *Device) AllocBlank(buf *ir.Buffer) (device.Memory, error) {
	return d.alloc(buf, (*memory).frame)
}

func (d *Device) alloc(buf *ir.Buffer, fill func(*memory, cu.Stream) error) (device.Memory, error) {
	size := roundUp(buf.Bytes()+2*margin(buf), alignment)
	m := &memory{dev: d, born: d.contexts.Load(), buf: buf, size: size, part: device.Span{To: buf.Bytes()}}
	err := d.with(func() error {
		base, last, err := d.take(size)
		if err != nil {
			return err
		}
		m.last.Store(last)
		m.first = base + cu.DevicePtr(margin(buf))
		m.give = func() error {
			if d.pool.give(base, size, m.last.Load()) {
				return nil
			}
			return errors.Join(m.last.Load().rest(), cu.MemFree(base))
		}
		return nil
	})
	if err == nil {
		if err = m.fill(func(s cu.Stream) error { return fill(m, s) }); err != nil {
			err = errors.Join(err, d.with(m.give))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %d bytes for buffer %s: %w", d.info.Name, size, buf.Name, err)
	}
	d.hold(size)
	return m, nil
}

// rest waits until a piece is over; called in the device's context.
func (p *piece) rest() error {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return nil
	}
	return p.at.stop.Synchronize()
}

// base is where the margin before a buffer starts.
func base(m *memory) cu.DevicePtr { return m.first - cu.DevicePtr(margin(m.buf)) }

// fill fills memory before whatever else is done with it.
func (m *memory) fill(fill func(cu.Stream) error) error {
	p, err := m.dev.begin(context.Background(), m.dev.upload, []*piece{m.last.Load()}, fill)
	if err == nil {
		m.last.Store(p)
		m.dev.leave(p)
	}
	return err
}

// hold counts bytes that are taken, or given back.
func (d *Device) hold(bytes int64) {
	d.account(func(u *device.Usage) {
		u.Allocated += bytes
		u.Peak = max(u.Peak, u.Allocated)
	})
}

// clear sets elements and margins to zero and padding to its value.
func (m *memory) clear(s cu.Stream) error {
	if err := cu.MemsetD8Async(base(m), 0, m.size, s); err != nil {
		return err
	}
	if m.buf.Pad.Value == 0 {
		return nil
	}
	return m.pad(s)
}

// frame sets margins to zero and padding to its value.
func (m *memory) frame(s cu.Stream) error {
	behind := margin(m.buf) + m.buf.Bytes()
	err := m.pad(s)
	for _, at := range []device.Span{{From: 0, To: margin(m.buf)}, {From: behind, To: m.size}} {
		if err == nil && at.To > at.From {
			err = cu.MemsetD8Async(base(m)+cu.DevicePtr(at.From), 0, at.To-at.From, s)
		}
	}
	return err
}

// pad sets padding to its value, a column at a time.
func (m *memory) pad(s cu.Stream) error {
	b := m.buf
	if b.Pad.Before+b.Pad.After == 0 || len(b.Shape) == 0 || b.Cells() == 0 {
		return nil
	}
	size := b.Type.Size()
	cell := make([]byte, 8)
	device.SetFloat(b.Type, cell[:size], 0, b.Pad.Value)
	rows, pitch := int64(b.Cells()/b.Row()), int64(b.Row()*size)
	for i := range b.Row() {
		if i >= b.Pad.Before && i < b.Row()-b.Pad.After {
			continue
		}
		if err := fillColumn(m.first+cu.DevicePtr(i*size), pitch, cell[:size], rows, s); err != nil {
			return err
		}
	}
	return nil
}

// fillColumn sets one element of every row.
func fillColumn(at cu.DevicePtr, pitch int64, cell []byte, rows int64, s cu.Stream) error {
	switch len(cell) {
	case 1:
		return cu.MemsetD2D8Async(at, pitch, cell[0], 1, rows, s)
	case 2:
		return cu.MemsetD2D16Async(at, pitch, *(*uint16)(unsafe.Pointer(&cell[0])), 1, rows, s)
	}
	for word := 0; word < len(cell); word += 4 {
		if err := cu.MemsetD2D32Async(at+cu.DevicePtr(word), pitch, uint(*(*uint32)(unsafe.Pointer(&cell[word]))), 1, rows, s); err != nil {
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
	if !m.there() {
		return 0, -1
	}
	return uint64(m.first), m.buf.Bytes()
}

// There is the part of the buffer that is there.
func (m *memory) There() device.Span { return m.part }

// Owner is the device.
func (m *memory) Owner() any { return m.dev }

// CopyIn copies from the host.
func (m *memory) CopyIn(ctx context.Context, offset int64, src []byte) error {
	return m.CopyLinesIn(ctx, device.Lines{Offset: offset, Width: len(src), Count: 1}, src)
}

// CopyOut copies to the host.
func (m *memory) CopyOut(ctx context.Context, dst []byte, offset int64) error {
	return m.CopyLinesOut(ctx, dst, device.Lines{Offset: offset, Width: len(dst), Count: 1})
}

// CopyLinesIn copies from the host.
func (m *memory) CopyLinesIn(ctx context.Context, to device.Lines, src []byte) error {
	return over(m.EnqueueIn(ctx, to, src))
}

// CopyLinesOut copies to the host.
func (m *memory) CopyLinesOut(ctx context.Context, dst []byte, from device.Lines) error {
	return over(m.EnqueueOut(ctx, dst, from))
}

// over waits for a copy.
func over(p device.Pending, err error) error {
	if err == nil {
		_, err = p.Wait()
	}
	return err
}

// EnqueueIn copies from the host, and does not wait for it.
func (m *memory) EnqueueIn(ctx context.Context, to device.Lines, src []byte) (device.Pending, error) {
	return m.enqueue(ctx, m.dev.upload, to, src, func(at cu.DevicePtr, host unsafe.Pointer, s cu.Stream) error {
		if to.Count == 1 {
			return cu.MemcpyHtoDAsync(at, host, int64(to.Width), s)
		}
		return m.dev.extra.copyLines(rectangle{from: hostSide(host, to.Width), to: deviceSide(at, to.Pitch), width: uintptr(to.Width), height: uintptr(to.Count)}, s)
	}, func(u *device.Usage, took time.Duration) { u.BytesIn += int64(len(src)); u.Upload += took })
}

// EnqueueOut copies to the host, and does not wait for it.
func (m *memory) EnqueueOut(ctx context.Context, dst []byte, from device.Lines) (device.Pending, error) {
	return m.enqueue(ctx, m.dev.download, from, dst, func(at cu.DevicePtr, host unsafe.Pointer, s cu.Stream) error {
		if from.Count == 1 {
			return cu.MemcpyDtoHAsync(host, at, int64(from.Width), s)
		}
		return m.dev.extra.copyLines(rectangle{from: deviceSide(at, from.Pitch), to: hostSide(host, from.Width), width: uintptr(from.Width), height: uintptr(from.Count)}, s)
	}, func(u *device.Usage, took time.Duration) { u.BytesOut += int64(len(dst)); u.Download += took })
}

// transfer is a copy in line. The memory cannot be freed, nor the host's moved, until it is over.
type transfer struct {
	m    *memory
	of   *piece // nil: nothing is copied
	pin  runtime.Pinner
	once sync.Once
}

func (m *memory) enqueue(ctx context.Context, e *engine, lines device.Lines, host []byte, move func(cu.DevicePtr, unsafe.Pointer, cu.Stream) error, done func(*device.Usage, time.Duration)) (device.Pending, error) {
	m.mu.RLock()
	c, err := m.begin(ctx, e, lines, host, move)
	if err != nil || c.of == nil {
		c.let()
		return c, err
	}
	c.of.done = done
	return c, nil
}

func (m *memory) begin(ctx context.Context, e *engine, lines device.Lines, host []byte, move func(cu.DevicePtr, unsafe.Pointer, cu.Stream) error) (c *transfer, err error) {
	c = &transfer{m: m}
	if !m.there() {
		return c, fmt.Errorf("%s: buffer %s has been freed", m.dev.info.Name, m.buf.Name)
	}
	all := lines.Span()
	if err := errors.Join(device.CheckLines(lines, len(host)), m.holds(all.From, int(all.To-all.From))); err != nil {
		return c, fmt.Errorf("%s: buffer %s: %w", m.dev.info.Name, m.buf.Name, err)
	}
	if len(host) == 0 {
		return c, ctx.Err()
	}
	c.pin.Pin(unsafe.SliceData(host)) // the copy goes on after the call that starts it
	c.of, err = m.dev.begin(ctx, e, []*piece{m.last.Load()}, func(s cu.Stream) error {
		return move(m.first+cu.DevicePtr(lines.Offset), unsafe.Pointer(unsafe.SliceData(host)), s)
	})
	return c, c.told(err)
}

// told says of an error what it happened to.
func (c *transfer) told(err error) error {
	if err != nil {
		err = fmt.Errorf("%s: copying buffer %s: %w", c.m.dev.info.Name, c.m.buf.Name, err)
	}
	return err
}

// let lets go of both sides.
func (c *transfer) let() {
	c.once.Do(func() {
		c.pin.Unpin()
		c.m.mu.RUnlock()
	})
}

// Wait returns when the copy is over.
func (c *transfer) Wait() (took time.Duration, err error) {
	if c.of != nil {
		took, err = c.of.Wait()
	}
	c.let()
	return took, c.told(err)
}

// holds reports a copy of bytes that are not there.
func (m *memory) holds(offset int64, n int) error {
	if err := device.CheckRange(m.buf.Bytes(), offset, n); err != nil || n == 0 {
		return err
	}
	if offset < m.part.From || offset+int64(n) > m.part.To {
		return fmt.Errorf("a copy of %d bytes from byte %d on is not within the part %v", n, offset, m.part)
	}
	return nil
}

// Free gives the memory back; later calls do nothing. That of a lost device is gone already.
func (m *memory) Free() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.give == nil {
		return
	}
	give := m.give
	m.give = nil
	m.dev.hold(-m.size)
	if m.born == m.dev.contexts.Load() { // that of another went with it
		// The only errors are those of earlier work, which showed there, or a lost device's.
		_ = m.dev.with(give)
	}
}

// there reports whether the memory was not freed, and did not go with its context; of who has its lock.
func (m *memory) there() bool { return m.give != nil && m.born == m.dev.contexts.Load() }
