package fleet

import (
	"context"
	"errors"
	"time"

	"weft/kernels/device"
	"weft/kernels/region"
	"weft/runtime/memory"
)

// chunk is what is copied at a time, in bytes, by way of page-locked memory of that size. A slot has two: one is filled or emptied while the other is copied.
const chunk = 4 << 20

// pin is page-locked memory that a device lent.
type pin struct {
	data   []byte
	free   func()
	ticket *memory.Ticket
}

func (p *pin) release() {
	p.free()
	p.ticket.Release()
}

// staging copies between host arrays and a device for one slot: by way of page-locked memory where it was lent some,
// straight from and to the arrays otherwise, which is slower and never wrong.
type staging struct {
	m      *Member
	stage  string
	asked  bool   // for page-locked memory
	pins   []*pin // that were lent
	pinned []byte // nil: none
}

// borrow asks for page-locked memory, once.
func (c *staging) borrow() {
	if c.asked {
		return
	}
	c.asked = true
	if p := c.m.borrow(true); p != nil {
		c.pins, c.pinned = append(c.pins, p), p.data
	}
}

// close keeps what was lent for the next slot.
func (c *staging) close() {
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	c.m.pins = append(c.m.pins, c.pins...)
}

// borrow gives page-locked memory, nil where it is refused, which counts where there is no other.
func (m *Member) borrow(only bool) *pin {
	p, ok := m.dev.(device.Pinner)
	if !ok {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := len(m.pins); n > 0 {
		lent := m.pins[n-1]
		m.pins = m.pins[:n-1]
		return lent
	}
	lent, err := &pin{}, error(nil)
	if g := m.opt.Memory; g != nil {
		if lent.ticket, err = g.Acquire(m.name, chunk); err != nil {
			m.refuse(only)
			return nil
		}
	}
	if lent.data, lent.free, err = p.Pin(chunk); err != nil {
		lent.ticket.Release()
		if !errors.Is(err, device.ErrLost) { // which whoever uses the device next will tell
			m.refuse(only)
		}
		return nil
	}
	return lent
}

// refuse counts that no page-locked memory was had; of who has the lock.
func (m *Member) refuse(only bool) {
	if only {
		m.usage.PinsRefused++
	}
}

// unpin gives back what was lent.
func (m *Member) unpin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.pins {
		p.release()
	}
	m.pins = nil
}

// copy copies a region of an array to or from memory on the device, by the lane; without its padding where that is worth it and may be.
func (c *staging) copy(
	ctx context.Context, lane int, a Array, m device.Memory, at region.Region, bare bool,
) (took time.Duration, err error) {
	_, pitched := m.(device.Pitched)
	var parts []device.Lines
	for _, l := range a.lines(at, bare && c.pinned != nil, pitched) {
		parts = append(parts, c.parts(l)...)
	}
	if to, ok := m.(device.Streaming); ok && c.pinned != nil && len(parts) > 1 {
		return c.stream(ctx, lane, a, to, parts)
	}
	for _, part := range parts {
		t, err := c.move(ctx, lane, a, m, part)
		if took += t; err != nil {
			return took, err
		}
	}
	return took, nil
}

// parts cuts lines into what is copied at a time.
func (c *staging) parts(l device.Lines) (out []device.Lines) {
	most := max(1, chunk/l.Width)
	for ; l.Count > most; l.Count -= most {
		part := l
		part.Count = most
		out = append(out, part)
		l.Offset += int64(most) * l.Pitch
	}
	for ; l.Count == 1 && c.pinned != nil && l.Width > chunk; l.Width -= chunk {
		out = append(out, device.Lines{Offset: l.Offset, Pitch: chunk, Width: chunk, Count: 1})
		l.Offset += chunk
	}
	return append(out, l)
}

// move copies lines that fit, packed; a single one that needs no page-locked memory, straight.
func (c *staging) move(ctx context.Context, lane int, a Array, m device.Memory, l device.Lines) (time.Duration, error) {
	data, packed := c.pinned, c.pinned != nil || l.Count > 1
	if !packed {
		data = a.Data[l.Offset:]
	} else if data == nil {
		data = make([]byte, l.Bytes())
	}
	data = data[:l.Bytes()]
	if packed && lane == upload {
		pack(a, l, data)
	}
	took, err := c.m.lanes[lane].do(ctx, c.m.opt.Trace, c.stage, map[string]any{"array": a.Buf.Name, "bytes": len(data)}, func() error {
		switch {
		case l.Count > 1 && lane == upload:
			return m.(device.Pitched).CopyLinesIn(ctx, l, data)
		case l.Count > 1:
			return m.(device.Pitched).CopyLinesOut(ctx, data, l)
		case lane == upload:
			return device.Write(ctx, m, l.Offset, data)
		}
		return device.Read(ctx, m, data, l.Offset)
	})
	c.m.count(func(u *Usage) { u.add(lane, took, len(data), err) })
	if err == nil && packed && lane == download {
		unpack(a, l, data)
	}
	return took, err
}
