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

// memory is a buffer in the memory of a device.
type memory struct {
	dev    *Device
	buf    *ir.Buffer
	parts  []device.Span // that are backed; nil: all of it
	guards [][]byte      // the readable bytes around what is backed
	size   int64         // that it counts for
	mu     sync.RWMutex  // held for writing while it is freed
	data   *device.HostMemory
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
	return asMemory(d.allocate(buf, nil, device.NewHostMemory))
}

// asMemory is what allocate gives, without a memory where that is none.
func asMemory(m *memory, err error) (device.Memory, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}

// AllocBlank gives memory whose elements hold what no kernel computes, so that it shows where one is read before it is stored.
func (d *Device) AllocBlank(buf *ir.Buffer) (device.Memory, error) {
	m, err := d.allocate(buf, nil, device.NewHostMemory)
	if err != nil {
		return nil, err
	}
	size := buf.Type.Size()
	row, before, after := buf.Row()*size, buf.Pad.Before*size, buf.Pad.After*size
	for data := m.data.Host(); row > 0 && len(data) >= row; data = data[row:] {
		for i := range data[before : row-after] {
			data[before+i] = marginFill
		}
	}
	return m, nil
}

// AllocParts gives memory for parts of a buffer; see device.Partial.
func (d *Device) AllocParts(buf *ir.Buffer, parts []device.Span) (device.Memory, error) {
	parts = device.JoinSpans(parts)
	if n := len(parts); n > 0 && (parts[0].From < 0 || parts[n-1].To > buf.Bytes()) {
		return nil, fmt.Errorf("%s: allocating %s: parts %v are not within its %d bytes", d.info.Name, buf.Name, parts, buf.Bytes())
	}
	if parts == nil {
		parts = []device.Span{}
	}
	return asMemory(d.allocate(buf, parts, device.Reserve))
}

// allocate counts the parts (nil: all) against the device's memory and takes host memory for them.
func (d *Device) allocate(buf *ir.Buffer, parts []device.Span, take func(*ir.Buffer) (*device.HostMemory, error)) (*memory, error) {
	if _, err := d.fate.next(onAlloc); err != nil {
		return nil, fmt.Errorf("%s: allocating %s: %w", d.info.Name, buf.Name, err)
	}
	backed := parts
	if parts == nil {
		backed = []device.Span{{From: 0, To: buf.Bytes()}}
	}
	margin := int64(device.MarginBytes(buf))
	m := &memory{dev: d, buf: buf, parts: parts}
	for _, p := range backed {
		m.size += p.To - p.From + 2*margin
	}
	if err := d.meter.take(m.size, d.info.Limits.Memory); err != nil {
		return nil, fmt.Errorf("%s: allocating %s: %w", d.info.Name, buf.Name, err)
	}
	data, err := take(buf)
	if err != nil {
		d.meter.giveBack(m.size)
		return nil, err
	}
	m.data = data
	m.guards = guards(data.Host(), backed, margin)
	for _, g := range m.guards {
		for i := range g {
			g[i] = marginFill
		}
	}
	return m, nil
}

// guards are the margins of the parts of a buffer at data, as far as other parts leave them room; the host does not know where those of an
// empty buffer are.
func guards(data []byte, parts []device.Span, margin int64) (out [][]byte) {
	if len(data) == 0 {
		return nil
	}
	first := unsafe.Pointer(unsafe.SliceData(data))
	add := func(from, to int64) {
		if from < to {
			out = append(out, unsafe.Slice((*byte)(unsafe.Add(first, from)), to-from))
		}
	}
	for i, p := range parts {
		from, to := p.From-margin, p.To+margin
		if i > 0 {
			from = max(from, parts[i-1].To)
		}
		if i+1 < len(parts) {
			to = min(to, parts[i+1].From)
		}
		add(from, p.From)
		add(p.To, to)
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
	if err := device.CheckRange(int64(len(m.data.Host())), offset, n); err != nil || m.parts == nil || n == 0 {
		return err
	}
	if !slices.ContainsFunc(m.parts, func(p device.Span) bool { return p.From <= offset && offset+int64(n) <= p.To }) {
		return fmt.Errorf("a copy of %d bytes from byte %d on is not within the parts %v", n, offset, m.parts)
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
	return ok && o.dev != m.dev && o.dev.bus == m.dev.bus && m.dev.description.Link.Peer > 0 && m.parts == nil && o.parts == nil
}

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
		if m.data == nil || o.data == nil {
			return 0, fmt.Errorf("%s: copying from %s: buffer %s has been freed", d.info.Name, o.dev.info.Name, m.buf.Name)
		}
		n := 0
		for _, s := range spans {
			n += copy(m.data.Host()[s.From:s.To], o.data.Host()[s.From:s.To])
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
	if m.data == nil {
		return 0, fmt.Errorf("%s: buffer %s has been freed", m.dev.info.Name, m.buf.Name)
	}
	all := lines.Span()
	if err := errors.Join(device.CheckLines(lines, len(host)), m.holds(all.From, int(all.To-all.From))); err != nil {
		return 0, fmt.Errorf("%s: buffer %s: %w", m.dev.info.Name, m.buf.Name, err)
	}
	if err := m.intact(); err != nil {
		return 0, err
	}
	data := m.data.Host()
	lines.Each(func(at int64, packed int) {
		if line, own := data[at:at+int64(lines.Width)], host[packed:packed+lines.Width]; on == onUpload {
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
	if m.data == nil {
		return
	}
	m.dev.meter.giveBack(m.size)
	m.data.Free()
	m.data, m.guards = nil, nil
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
