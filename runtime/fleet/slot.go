package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"weft/kernels/device"
)

// work is one slot of a device: it takes ranges until there are none for it.
func (s *sharing) work(ctx context.Context, c *worker) {
	copies := &staging{m: c.m, stage: s.job.Stage}
	defer copies.close()
	defer s.remember(c)
	for {
		p, ok := s.take(c)
		if !ok {
			return
		}
		s.one(ctx, c, copies, p)
		s.closeRange(c, p)
	}
}

// remember keeps the pace of a kernel, in seconds a point, for the next rows of it.
func (s *sharing) remember(c *worker) {
	s.mu.Lock()
	pace := c.pace / s.cell()
	s.mu.Unlock()
	c.m.mu.Lock()
	c.m.paces[s.job.Kernel] = pace
	c.m.mu.Unlock()
}

// one computes a range, on the device or, if that fails, on the host.
func (s *sharing) one(ctx context.Context, c *worker, copies *staging, p piece) {
	start := time.Now()
	copies.borrow()
	t, err := c.store.run(ctx, copies, p)
	switch {
	case err == nil:
		s.check(ctx, c, p)
		c.m.worked(s.job.Kernel)
		s.finished(c, p, t)
		s.job.Done(p.points(), time.Since(start))
		return
	case ctx.Err() != nil:
		s.fail(ctx.Err())
		return
	case errors.Is(err, device.ErrMemory) && s.smaller(c, p, err):
		return
	}
	if errors.Is(err, device.ErrMemory) {
		s.leaves(c, err.Error())
	}
	c.m.failed(err)
	s.onHost(ctx, p, Failure{Stage: s.job.Stage, Device: c.m.name, Kind: c.m.kind, Reason: err.Error(), Ranges: 1})
	s.job.Done(p.points(), time.Since(start))
}

// smaller puts a range back after the device was out of memory: in halves or, where it has no halves, to be run with nothing beside it. False where
// that was so already.
func (s *sharing) smaller(c *worker, p piece, err error) bool {
	if s.job.Whole {
		return false
	}
	half := halve(p.rows, stepOf(c.program, 0))
	at := s.queue.grid.upTo(half.Hi)
	if at <= p.cells.Lo || at >= p.cells.Hi {
		return s.alone(c, p, err)
	}
	first, second := s.queue.grid.split(p, at)
	c.m.retries(fmt.Sprintf("%s: %s. Retrying with %d rows in place of %d.", s.job.Stage, err, first.rows.Hi-first.rows.Lo, p.rows.Hi-p.rows.Lo))
	s.mu.Lock()
	c.most = at - p.cells.Lo
	s.mu.Unlock()
	s.giveBack(second)
	s.giveBack(first)
	return true
}

// alone puts a range back and keeps a device to one at a time.
func (s *sharing) alone(c *worker, p piece, err error) bool {
	s.mu.Lock()
	already := c.alone && c.hand == p.cells.Hi-p.cells.Lo
	c.alone = true
	s.mu.Unlock()
	if already {
		return false
	}
	c.m.retries(fmt.Sprintf("%s: %s. Retrying with one range at a time.", s.job.Stage, err))
	s.giveBack(p)
	return true
}

// retries counts and tells of one more try after the device was out of memory.
func (m *Member) retries(line string) {
	m.count(func(u *Usage) { u.Retries++ })
	m.opt.Log(line)
}

// leaves ends a device's part in this job.
func (s *sharing) leaves(c *worker, why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.out = why
	s.change.Broadcast()
}

// onHost does a range on the host that a device failed to do.
func (s *sharing) onHost(ctx context.Context, p piece, f Failure) {
	s.host.Lock()
	defer s.host.Unlock()
	if ctx.Err() != nil {
		s.fail(ctx.Err())
		return
	}
	if err := s.job.Failed(f); err != nil {
		s.fail(err)
		return
	}
	for _, a := range s.job.Writes {
		s.fleet.Forget(a.Buf, p.rows)
	}
	if err := s.job.Host(ctx, p.tiles); err != nil {
		s.fail(err)
	}
}

// check looks at a range that is done.
func (s *sharing) check(ctx context.Context, c *worker, p piece) {
	if s.job.Check == nil {
		return
	}
	verdict, err := s.job.Check(ctx, p.tiles)
	if err != nil {
		s.fail(err)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c.judged = append(c.judged, judged{p, verdict})
}

// judge does ranges again that turned out wrong, and leaves devices out that are wrong again and again.
func (s *sharing) judge(ctx context.Context) {
	for _, c := range s.workers {
		inRow := 0
		for _, j := range c.judged {
			fault := j.verdict()
			if fault == "" {
				inRow = 0
				continue
			}
			inRow++
			reason := "wrong result: " + fault
			c.m.count(func(u *Usage) { u.Failures++ })
			if inRow >= quarantineAfter {
				c.m.leave(reason)
			}
			s.onHost(ctx, j.piece, Failure{Stage: s.job.Stage, Device: c.m.name, Kind: c.m.kind, Reason: reason, Ranges: 1})
			if s.err != nil {
				return
			}
		}
	}
}

// rest does on the host what no device was left to do.
func (s *sharing) rest(ctx context.Context) {
	q := &s.queue
	for q.left() > 0 && s.err == nil {
		f := Failure{Stage: s.job.Stage}
		for _, c := range s.workers {
			if why := cmp.Or(c.out, c.m.out()); why != "" {
				f = Failure{Stage: s.job.Stage, Device: c.m.name, Kind: c.m.kind, Reason: why}
			}
		}
		f.Ranges = 1
		p := q.first(q.total(), nil, nil)
		p = q.remove(p, p.cells)
		start := time.Now()
		s.onHost(ctx, p, f)
		s.job.Done(p.points(), time.Since(start))
	}
}
