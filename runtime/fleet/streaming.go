package fleet

import (
	"context"
	"runtime"
	"sync"
	"time"

	"weft/kernels/device"
)

// basin is page-locked memory that a part of a copy goes through.
type basin struct {
	data []byte
	part device.Lines
	copy device.Pending // that is under way; nil: none
}

// stream copies parts one after the other, of which the host fills or empties one while the next is copied; it waits for a part when it needs the memory that it went
// through, and for all of them in the end.
func (c *staging) stream(ctx context.Context, lane int, a Array, m device.Streaming, parts []device.Lines) (time.Duration, error) {
	if len(c.pins) == 1 {
		if p := c.m.borrow(false); p != nil {
			c.pins = append(c.pins, p)
		}
	}
	basins, bytes := make([]basin, len(c.pins)), 0
	for i, p := range c.pins {
		basins[i].data = p.data
	}
	for _, l := range parts {
		bytes += l.Bytes()
	}
	// land ends what a basin is part of, and for what comes from the device takes it out.
	land := func(b *basin) error {
		if b.copy == nil {
			return nil
		}
		_, err := b.copy.Wait()
		if b.copy = nil; err == nil && lane == download {
			unpack(a, b.part, b.data)
		}
		return err
	}
	took, err := c.m.lanes[lane].do(ctx, c.m.opt.Trace, c.stage, map[string]any{"array": a.Buf.Name, "bytes": bytes}, func() (err error) {
		next := 0
		for ; next < len(parts) && err == nil; next++ {
			b := &basins[next%len(basins)]
			if err = land(b); err != nil {
				break
			}
			b.part = parts[next]
			data := b.data[:b.part.Bytes()]
			if lane == upload {
				pack(a, b.part, data)
				b.copy, err = m.EnqueueIn(ctx, b.part, data)
			} else {
				b.copy, err = m.EnqueueOut(ctx, data, b.part)
			}
			if err != nil {
				b.copy = nil
			}
		}
		for i := range basins { // the oldest first
			if e := land(&basins[(next+i)%len(basins)]); err == nil {
				err = e
			}
		}
		return err
	})
	c.m.count(func(u *Usage) { u.add(lane, took, bytes, err) })
	return took, err
}

// A processor copies a tenth to a fourth of what a link does: several share what is worth it.
const (
	worthSharing = 512 << 10 // bytes each
	mostSharing  = 8
)

// shared calls f for parts of lines, and where they begin among all of them, at the same time.
func shared(l device.Lines, f func(part device.Lines, packed int)) {
	n := max(1, min(mostSharing, runtime.GOMAXPROCS(0), l.Bytes()/worthSharing))
	units := l.Count
	if l.Count == 1 {
		units = l.Width
	}
	if n = min(n, units); n <= 1 {
		f(l, 0)
		return
	}
	var group sync.WaitGroup
	for i := range n {
		from, to := units*i/n, units*(i+1)/n
		part, packed := l, from*l.Width
		if l.Count == 1 {
			part.Offset, part.Width, packed = l.Offset+int64(from), to-from, from
		} else {
			part.Offset, part.Count = l.Offset+int64(from)*l.Pitch, to-from
		}
		group.Go(func() { f(part, packed) })
	}
	group.Wait()
}

// pack takes lines out of an array of the host.
func pack(a Array, l device.Lines, data []byte) {
	shared(l, func(part device.Lines, packed int) {
		part.Each(func(at int64, i int) { copy(data[packed+i:packed+i+part.Width], a.Data[at:]) })
	})
}

// unpack puts lines into an array of the host.
func unpack(a Array, l device.Lines, data []byte) {
	shared(l, func(part device.Lines, packed int) {
		part.Each(func(at int64, i int) { copy(a.Data[at:at+int64(part.Width)], data[packed+i:]) })
	})
}
