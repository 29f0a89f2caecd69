package fleet

import (
	"context"
	"fmt"
	"slices"
	"time"

	"weft/kernels/device"
	"weft/kernels/region"
)

// mostSpans is how many pieces are copied from one device to another: what lies in more goes by way of the host, in lines.
const mostSpans = 64

// across copies what other devices hold of a region straight from them, as far as devices can, and gives what is left of it.
func (f *Fleet) across(ctx context.Context, c *staging, a Array, to device.Memory, at region.Region) (rest region.Set, took time.Duration, err error) {
	rest = region.Set{at}
	peer, ok := to.(device.Peer)
	if !ok {
		return rest, 0, nil
	}
	if f.Lacks(a.Buf) { // what made it may be in line, and may have failed
		if err := f.settle(ctx); err != nil {
			return rest, 0, hostFault{err}
		}
	}
	for _, m := range f.members {
		r := m.replica(a.Buf)
		if m == c.m || r == nil || m.isLost() || !peer.Reaches(r.mem) {
			continue
		}
		r.mu.Lock()
		valid := slices.Clone(r.valid)
		r.mu.Unlock()
		for _, box := range slices.Clone(rest) {
			for _, v := range valid {
				both := box.Intersect(v)
				spans := a.spans(both)
				if both.Empty() || len(spans) > mostSpans {
					continue
				}
				t, err := c.m.lanes[upload].do(ctx, c.m.opt.Trace, c.stage, map[string]any{"array": a.Buf.Name, "from": m.name}, func() error {
					return peer.CopyAcross(ctx, r.mem, spans)
				})
				took += t
				c.m.count(func(u *Usage) { u.add(upload, t, 0, err) })
				switch {
				case err == nil:
					rest = rest.Without(both)
				case ctx.Err() != nil:
					return rest, took, ctx.Err()
				default: // whose fault it is shows in what comes next
					c.m.retries(fmt.Sprintf("%s: %s. Copying by way of the host.", c.stage, err))
					return rest, took, nil
				}
			}
		}
	}
	return rest, took, nil
}
