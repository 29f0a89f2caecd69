//go:build cuda

package cuda

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorgonia.org/cu"

	"weft/kernels/device"
)

var _ device.Peer = (*memory)(nil)

// peering is a context of a GPU that may read one of another.
type peering struct {
	own   int64
	other *Device
	its   int64
}

// reaches reports whether a GPU can read another's memory, and asks the driver to let it, once.
func (d *Device) reaches(o *Device) bool {
	d.reaching.Lock()
	defer d.reaching.Unlock()
	as := peering{d.contexts.Load(), o, o.contexts.Load()}
	if yes, known := d.peers[as]; known {
		return yes
	}
	can, err := d.gpu.CanAccessPeer(o.gpu)
	yes := err == nil && can != 0
	if yes {
		err := d.with(func() error { return o.context.EnablePeerAccess(0) })
		yes = err == nil || errors.Is(err, cu.PeerAccessAlreadyEnabled)
	}
	if d.peers == nil {
		d.peers = map[peering]bool{}
	}
	d.peers[as] = yes
	return yes
}

// Reaches reports whether memory of another GPU can be copied here without the host.
func (m *memory) Reaches(from device.Memory) bool {
	o, ok := from.(*memory)
	return ok && o.dev != m.dev && m.whole() && o.whole() && m.dev.reaches(o.dev)
}

func (m *memory) whole() bool { return m.part == device.Span{To: m.buf.Bytes()} }

// CopyAcross copies from another GPU, on the stream of copies in.
func (m *memory) CopyAcross(ctx context.Context, from device.Memory, spans []device.Span) error {
	o := from.(*memory)
	m.mu.RLock()
	defer m.mu.RUnlock()
	o.mu.RLock()
	defer o.mu.RUnlock()
	if !m.there() || !o.there() {
		return fmt.Errorf("%s: copying from %s: buffer %s has been freed", m.dev.info.Name, o.dev.info.Name, m.buf.Name)
	}
	var n int64
	for _, s := range spans {
		n += s.To - s.From
		if err := errors.Join(device.CheckRange(m.buf.Bytes(), s.From, int(s.To-s.From)), device.CheckRange(o.buf.Bytes(), s.From, int(s.To-s.From))); err != nil {
			return err
		}
	}
	p, err := m.dev.begin(ctx, m.dev.upload, []*piece{m.last.Load(), o.last.Load()}, func(stream cu.Stream) error {
		for _, s := range spans {
			if err := cu.MemcpyPeerAsync(m.first+cu.DevicePtr(s.From), m.dev.context, o.first+cu.DevicePtr(s.From), o.dev.context, s.To-s.From, stream); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		p.done = func(u *device.Usage, took time.Duration) { u.BytesAcross += n; u.Upload += took }
		_, err = p.Wait()
	}
	if err != nil {
		return fmt.Errorf("%s: copying buffer %s from %s: %w", m.dev.info.Name, m.buf.Name, o.dev.info.Name, err)
	}
	return nil
}
