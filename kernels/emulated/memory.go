package emulated

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"weft/kernels/device"
	"weft/kernels/ir"
)

// memory is a buffer, or a part of one, in the memory of a device.
type memory struct {
	dev    *Device
	buf    *ir.Buffer
	first  uint64                 // address of the buffer's first byte
	part   device.Span            // of the buffer, which is there
	data   []byte                 // that
	guards [][]byte               // the readable bytes around it
	mu     sync.RWMutex           // held for writing while it is freed
	give   func()                 // gives it back; nil: it has been freed
	last   atomic.Pointer[queued] // launch in line that uses it; nil: none did
}

var (
	_ device.Streaming = (*memory)(nil)
	_ device.Peer      = (*memory)(nil)
	_ device.Gathering = (*memory)(nil)
)

// marginFill is what margins hold, so that a write beyond the buffer is noticed when the buffer is read or freed.
const marginFill = 0xA5

// Alloc gives memory on the device, or an error that matches device.ErrMemory.
func (d *Device) Alloc(buf *ir.Buffer) (device.Memory, error) {
	m, err := d.allocate(buf)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// AllocBlank gives memory whose elements hold what no kernel computes, so that it shows where one is read before it is stored.
func (d *Device) AllocBlank(buf *ir.Buffer) (device.Memory, error) {
	m, err := d.allocate(buf)
	if err != nil {
		return nil, err
	}
	size := buf.Type.Size()
	row, before, after := buf.Row()*size, buf.Pad.Before*size, buf.Pad.After*size
	for data := m.data; row > 0 && len(data) >= row; data = data[row:] {
		fill(data[before : row-after])
	}
	return m, nil
}

func (d *Device) allocate(buf *ir.Buffer) (*memory, error) {
	margin := int64(device.MarginBytes(buf))
	data, give, err := d.take(buf.Name, buf.Bytes()+2*margin, func() (*device.HostMemory, error) { return device.NewHostMemory(buf) })
	if err != nil {
		return nil, err
	}
	return &memory{dev: d, buf: buf, first: address(data), part: device.Span{To: buf.Bytes()}, data: data, guards: guards(data, margin), give: give}, nil
}

// take counts bytes against the device's memory and takes host memory for them.
func (d *Device) take(name string, bytes int64, get func() (*device.HostMemory, error)) (data []byte, give func(), err error) {
	if _, err := d.fate.next(onAlloc); err != nil {
		return nil, nil, fmt.Errorf("%s: allocating %s: %w", d.info.Name, name, err)
	}
	if err := d.meter.take(bytes, d.info.Limits.Memory); err != nil {
		return nil, nil, fmt.Errorf("%s: allocating %s: %w", d.info.Name, name, err)
	}
	m, err := get()
	if err != nil {
		d.meter.giveBack(bytes)
		return nil, nil, err
	}
	return m.Host(), func() { d.meter.giveBack(bytes); m.Free() }, nil
}

func address(data []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(data)))) }

func fill(data []byte) {
	for i := range data {
		data[i] = marginFill
	}
}

// guards are the margins of memory, filled; the host does not know where those of an empty one are.
func guards(data []byte, margin int64) (out [][]byte) {
	if len(data) == 0 {
		return nil
	}
	first := unsafe.Pointer(unsafe.SliceData(data))
	for _, from := range []int64{-margin, int64(len(data))} {
		out = append(out, unsafe.Slice((*byte)(unsafe.Add(first, from)), margin))
		fill(out[len(out)-1])
	}
	return out
}

// intact reports a kernel that wrote beyond the buffer.
func (m *memory) intact() error {
	for _, g := range m.guards {
		if i := slices.IndexFunc(g, func(b byte) bool { return b != marginFill }); i >= 0 {
			return fmt.Errorf("%s: something was written outside of buffer %s", m.dev.info.Name, m.buf.Name)
		}
	}
	return nil
}

// holds reports bytes that are there.
func (m *memory) holds(offset int64, n int) error {
	if err := device.CheckRange(m.buf.Bytes(), offset, n); err != nil || n == 0 {
		return err
	}
	if offset < m.part.From || offset+int64(n) > m.part.To {
		return fmt.Errorf("a copy of %d bytes from byte %d on is not within the part %v", n, offset, m.part)
	}
	return nil
}

// bytes are some that are there.
func (m *memory) bytes(from, to int64) []byte { return m.data[from-m.part.From : to-m.part.From] }

// Host is nil: the host cannot address the memory.
func (m *memory) Host() []byte { return nil }

// Address is that of the buffer's first byte; freed memory has no bytes.
func (m *memory) Address() (uint64, int64) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.give == nil {
		return 0, -1
	}
	return m.first, m.buf.Bytes()
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
	return m.transfer(ctx, onUpload, to, src)
}

// CopyLinesOut copies to the host.
func (m *memory) CopyLinesOut(ctx context.Context, dst []byte, from device.Lines) error {
	return m.transfer(ctx, onDownload, from, dst)
}

func (m *memory) transfer(ctx context.Context, on string, lines device.Lines, host []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	last := m.last.Load()
	err := m.dev.engines[on].run(ctx, m.dev.description.Pace, last.ends(), func() (time.Duration, error) {
		took, err := m.move(on, lines, host)
		if err != nil {
			return 0, err
		}
		m.dev.meter.copied(on, len(host), took)
		return m.dev.crowded(took, len(host)) + time.Duration(m.dev.description.Sync), nil
	})
	if err == nil {
		m.dev.meter.waited()
		last.knows()
	}
	return err
}

// EnqueueIn copies from the host, and does not hold the call.
func (m *memory) EnqueueIn(ctx context.Context, to device.Lines, src []byte) (device.Pending, error) {
	return m.enqueue(ctx, onUpload, to, src)
}

// EnqueueOut copies to the host, and does not hold the call.
func (m *memory) EnqueueOut(ctx context.Context, dst []byte, from device.Lines) (device.Pending, error) {
	return m.enqueue(ctx, onDownload, from, dst)
}

func (m *memory) enqueue(ctx context.Context, on string, lines device.Lines, host []byte) (device.Pending, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var took time.Duration // without that for others
	return m.dev.put(on, m.last.Load().ends(), func(time.Duration) { m.dev.meter.copied(on, len(host), took) }, func() (_ time.Duration, err error) {
		took, err = m.move(on, lines, host)
		return m.dev.crowded(took, len(host)), err
	}), nil
}

// Reaches reports whether devices of one description have links between them.
func (m *memory) Reaches(from device.Memory) bool {
	o, ok := from.(*memory)
	return ok && o.dev != m.dev && o.dev.bus == m.dev.bus && m.dev.description.Link.Peer > 0 && m.whole() && o.whole()
}

func (m *memory) whole() bool { return m.part == device.Span{To: m.buf.Bytes()} }

// CopyAcross copies from another device, as a copy in.
func (m *memory) CopyAcross(ctx context.Context, from device.Memory, spans []device.Span) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	d, o := m.dev, from.(*memory)
	last, other := m.last.Load(), o.last.Load()
	then := last.ends()
	if other.ends().After(then) {
		then = other.ends()
	}
	err := d.engines[onUpload].run(ctx, d.description.Pace, then, func() (time.Duration, error) {
		if _, err := d.fate.next(onUpload); err != nil {
			return 0, fmt.Errorf("%s: copying %s from %s: %w", d.info.Name, m.buf.Name, o.dev.info.Name, err)
		}
		o.mu.RLock()
		defer o.mu.RUnlock()
		m.mu.RLock()
		defer m.mu.RUnlock()
		if m.give == nil || o.give == nil {
			return 0, fmt.Errorf("%s: copying from %s: buffer %s has been freed", d.info.Name, o.dev.info.Name, m.buf.Name)
		}
		n := 0
		for _, s := range spans {
			n += copy(m.bytes(s.From, s.To), o.bytes(s.From, s.To))
		}
		if err := errors.Join(m.intact(), o.intact()); err != nil {
			return 0, err
		}
		took := time.Duration(d.description.Link.Latency) + seconds(float64(n)/d.description.Link.Peer)
		d.meter.across(n, took)
		return took + time.Duration(d.description.Sync), nil
	})
	if err == nil {
		d.meter.waited()
		last.knows()
		other.knows()
	}
	return err
}

// move copies, and says how long the described device takes for it.
func (m *memory) move(on string, lines device.Lines, host []byte) (time.Duration, error) {
	if _, err := m.dev.fate.next(on); err != nil {
		return 0, fmt.Errorf("%s: copying %s: %w", m.dev.info.Name, m.buf.Name, err)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.give == nil {
		return 0, fmt.Errorf("%s: buffer %s has been freed", m.dev.info.Name, m.buf.Name)
	}
	all := lines.Span()
	if err := errors.Join(device.CheckLines(lines, len(host)), m.holds(all.From, int(all.To-all.From))); err != nil {
		return 0, fmt.Errorf("%s: buffer %s: %w", m.dev.info.Name, m.buf.Name, err)
	}
	if err := m.intact(); err != nil {
		return 0, err
	}
	lines.Each(func(at int64, packed int) {
		if line, own := m.bytes(at, at+int64(lines.Width)), host[packed:packed+lines.Width]; on == onUpload {
			copy(line, own)
		} else {
			copy(own, line)
		}
	})
	return m.dev.transferTime(len(host), m.dev.pins.holds(host)), nil
}

// crowded is how long a copy takes beside those of other devices.
func (d *Device) crowded(took time.Duration, bytes int) time.Duration {
	return max(took, d.bus.reserve(bytes, d.description.Pace))
}

// Free gives the memory back; later calls do nothing.
func (m *memory) Free() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.give == nil {
		return
	}
	m.give()
	m.give, m.data, m.guards = nil, nil, nil
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
