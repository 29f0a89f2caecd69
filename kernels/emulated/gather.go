package emulated

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weft/kernels/device"
)

// EnqueueGather copies pieces to the host, as a launch that packs them and a copy behind it would, beside other launches.
func (m *memory) EnqueueGather(ctx context.Context, dst []byte, pieces []device.Span) (device.Pending, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d := m.dev
	took := time.Duration(d.description.Launch) + time.Duration(d.description.Shortest) + d.transferTime(len(dst), d.pins.holds(dst))
	return d.put(onDownload, m.last.Load().ends(), func(time.Duration) { d.meter.copied(onDownload, len(dst), took) }, func() (time.Duration, error) {
		return d.crowded(took, len(dst)), m.gather(dst, pieces)
	}), nil
}

func (m *memory) gather(dst []byte, pieces []device.Span) error {
	_, err := m.dev.fate.next(onDownload)
	m.mu.RLock()
	defer m.mu.RUnlock()
	switch {
	case err != nil:
	case m.give == nil:
		err = errors.New("it has been freed")
	default:
		err = errors.Join(device.CheckPieces(pieces, len(dst)), m.intact())
	}
	for _, p := range pieces {
		if err == nil {
			err = m.holds(p.From, int(p.To-p.From))
		}
		if err == nil {
			dst = dst[copy(dst, m.bytes(p.From, p.To)):]
		}
	}
	if err != nil {
		return fmt.Errorf("%s: copying %s: %w", m.dev.info.Name, m.buf.Name, err)
	}
	return nil
}
