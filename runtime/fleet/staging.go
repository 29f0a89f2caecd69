package fleet

import (
	"context"
	"errors"
	"time"

	"weft/kernels/device"
	"weft/kernels/region"
	"weft/runtime/memory"
)

// chunk is the page-locked memory of a slot, in bytes: what it copies at a time.
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
	asked  bool // for page-locked memory
	pin    *pin // nil: none
	pinned []byte
}

// borrow asks for page-locked memory, once.
func (c *staging) borrow() {
	if c.asked {
		return
	}
	c.asked = true
	if c.pin = c.m.borrow(); c.pin != nil {
		c.pinned = c.pin.data
	}
}

// close keeps what was lent for the next slot.
func (c *staging) close() {
	if c.pin == nil {
		return
	}
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	c.m.pins = append(c.m.pins, c.pin)
}

// borrow gives page-locked memory, nil where it is refused.
func (m *Member) borrow() *pin {
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
			m.usage.PinsRefused++
			return nil
		}
	}
	if lent.data, lent.free, err = p.Pin(chunk); err != nil {
		lent.ticket.Release()
		if !errors.Is(err, device.ErrLost) { // which whoever uses the device next will tell
			m.usage.PinsRefused++
		}
		return nil
	}
	return lent
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
	for _, l := range a.lines(at, bare && c.pinned != nil, pitched) {
		for _, part := range c.parts(l) {
			t, err := c.move(ctx, lane, a, m, part)
			if took += t; err != nil {
				return took, err
			}
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
		l.Each(func(at int64, i int) { copy(data[i:i+l.Width], a.Data[at:]) })
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
		l.Each(func(at int64, i int) { copy(a.Data[at:at+int64(l.Width)], data[i:]) })
	}
	return took, err
}
