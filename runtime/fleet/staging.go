package fleet

import (
	"context"
	"errors"
	"time"

	"weft/kernels/device"
	"weft/kernels/region"
	"weft/ops"
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

// staging copies rows between host arrays and a device for one slot: by way of page-locked memory where it was lent some,
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
	lent := &pin{}
	if g := m.opt.Memory; g != nil {
		if lent.ticket = g.TryPinned(m.name, chunk); lent.ticket == nil {
			m.usage.PinsRefused++
			return nil
		}
	}
	var err error
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

// in copies rows of an array to memory on the device, where their padding has its value already or is copied along.
func (c *staging) in(ctx context.Context, a Array, to device.Memory, rows region.Interval, padded bool) (took time.Duration, err error) {
	for _, s := range a.spans(ops.RowsOf(a.Buf, rows)) {
		if l, ok := c.lines(a, to, s); ok && padded {
			t, err := c.linesIn(ctx, a, to.(device.Pitched), l)
			if took += t; err != nil {
				return took, err
			}
			continue
		}
		t, err := c.parts(s, func(part device.Span) (time.Duration, error) {
			from := a.Data[part.From:part.To]
			if c.pinned != nil {
				from = c.pinned[:copy(c.pinned, from)]
			}
			return c.move(ctx, upload, a, from, func() error { return device.Write(ctx, to, part.From, from) })
		})
		if took += t; err != nil {
			return took, err
		}
	}
	return took, nil
}

// out copies a region of an array back.
func (c *staging) out(ctx context.Context, a Array, from device.Memory, made region.Region) (took time.Duration, err error) {
	for _, s := range a.spans(made) {
		if l, ok := c.lines(a, from, s); ok {
			t, err := c.linesOut(ctx, a, from.(device.Pitched), l)
			if took += t; err != nil {
				return took, err
			}
			continue
		}
		t, err := c.parts(s, func(part device.Span) (time.Duration, error) {
			host := a.Data[part.From:part.To]
			to := host
			if c.pinned != nil {
				to = c.pinned[:len(host)]
			}
			t, err := c.move(ctx, download, a, to, func() error { return device.Read(ctx, from, to, part.From) })
			if err == nil && c.pinned != nil {
				copy(host, to)
			}
			return t, err
		})
		if took += t; err != nil {
			return took, err
		}
	}
	return took, nil
}

// lines are the innermost rows in a span without their padding, where leaving it out is possible and worth it.
func (c *staging) lines(a Array, m device.Memory, s device.Span) (device.Lines, bool) {
	l, ok := a.lines(s)
	_, pitched := m.(device.Pitched)
	return l, ok && pitched && l.Width > 0 && l.Width <= len(c.pinned)
}

// linesIn packs lines in page-locked memory and copies them to the device.
func (c *staging) linesIn(ctx context.Context, a Array, to device.Pitched, all device.Lines) (time.Duration, error) {
	return c.few(all, func(l device.Lines) (time.Duration, error) {
		packed := c.pinned[:l.Bytes()]
		l.Each(func(at int64, i int) { copy(packed[i:i+l.Width], a.Data[at:]) })
		return c.move(ctx, upload, a, packed, func() error { return to.CopyLinesIn(ctx, l, packed) })
	})
}

// linesOut is the inverse of linesIn.
func (c *staging) linesOut(ctx context.Context, a Array, from device.Pitched, all device.Lines) (time.Duration, error) {
	return c.few(all, func(l device.Lines) (time.Duration, error) {
		packed := c.pinned[:l.Bytes()]
		t, err := c.move(ctx, download, a, packed, func() error { return from.CopyLinesOut(ctx, packed, l) })
		if err == nil {
			l.Each(func(at int64, i int) { copy(a.Data[at:at+int64(l.Width)], packed[i:]) })
		}
		return t, err
	})
}

// few cuts lines into as many at a time as fit the page-locked memory.
func (c *staging) few(all device.Lines, move func(device.Lines) (time.Duration, error)) (took time.Duration, err error) {
	most := len(c.pinned) / all.Width
	for done := 0; done < all.Count; done += most {
		l := all
		l.Offset, l.Count = all.Offset+int64(done)*all.Pitch, min(most, all.Count-done)
		t, err := move(l)
		if took += t; err != nil {
			return took, err
		}
	}
	return took, nil
}

func (c *staging) move(ctx context.Context, lane int, a Array, data []byte, work func() error) (time.Duration, error) {
	t, err := c.m.lanes[lane].do(ctx, c.m.opt.Trace, c.stage, map[string]any{"array": a.Buf.Name, "bytes": len(data)}, work)
	c.m.count(func(u *Usage) { u.add(lane, t, len(data), err) })
	return t, err
}

// parts cuts a span into what fits the page-locked memory.
func (c *staging) parts(s device.Span, move func(device.Span) (time.Duration, error)) (took time.Duration, err error) {
	step := s.To - s.From
	if c.pinned != nil {
		step = int64(len(c.pinned))
	}
	for at := s.From; at < s.To; at += step {
		t, err := move(device.Span{From: at, To: min(s.To, at+step)})
		if took += t; err != nil {
			return took, err
		}
	}
	return took, nil
}
