package fleet

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"weft/kernels/device"
	"weft/kernels/region"
	"weft/runtime/fleet/space"
)

// work is one slot of a device: it takes ranges until there are none for it.
func (s *sharing) work(ctx context.Context, c *worker) {
	copies := &staging{m: c.m, stage: s.job.Stage}
	defer copies.close()
	defer s.remember(c)
	for {
		at, ok := s.take(ctx, c)
		if !ok {
			return
		}
		s.one(ctx, c, copies, at)
		s.closeRange(c, at)
	}
}

// remember keeps the pace of a kernel for the next part of it.
func (s *sharing) remember(c *worker) {
	s.mu.Lock()
	pace := c.pace
	s.mu.Unlock()
	c.m.mu.Lock()
	c.m.paces[s.job.Kernel] = pace
	c.m.mu.Unlock()
}

// one computes a range, on the device or, if that fails, on the host.
func (s *sharing) one(ctx context.Context, c *worker, copies *staging, at region.Region) {
	start := time.Now()
	copies.borrow()
	t, err := c.store.run(ctx, copies, at)
	var fault hostFault
	switch {
	case err == nil:
		s.mu.Lock()
		c.done = append(c.done, at)
		s.mu.Unlock()
		c.m.worked(s.job.Kernel)
		s.finished(c, at, t)
		s.job.Done(at.Points(), time.Since(start))
		return
	case ctx.Err() != nil:
		s.fail(ctx.Err())
		return
	case errors.As(err, &fault):
		s.fail(fault.error)
		return
	case errors.Is(err, space.ErrCut), errors.Is(err, device.ErrMemory) && c.store.space != nil && c.store.space.Halve(err):
		s.giveBack(at)
		return
	}
	if errors.Is(err, device.ErrMemory) {
		s.leaves(c, err.Error())
	}
	c.m.failed(err)
	s.onHost(ctx, at, c.m.failure(s.job, err.Error()))
	s.job.Done(at.Points(), time.Since(start))
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
func (s *sharing) onHost(ctx context.Context, at region.Region, f Failure) {
	if err := s.fleet.instead(ctx, s.job, at, f); err != nil {
		s.fail(err)
	}
}

// judge looks at what was done, does ranges again that turn out wrong, and leaves devices out that are wrong again and again.
func (s *sharing) judge(ctx context.Context) {
	if s.job.Check == nil || !slices.ContainsFunc(s.workers, func(c *worker) bool { return len(c.done) > 0 }) {
		return
	}
	var done []region.Region
	for _, c := range s.workers {
		done = append(done, c.done...)
	}
	faults, err := s.job.Check(ctx, done)
	if err != nil {
		s.fail(err)
		return
	}
	for _, c := range s.workers {
		inRow := 0
		for _, at := range c.done {
			fault := faults[0]
			if faults = faults[1:]; fault == "" {
				inRow = 0
				continue
			}
			inRow++
			reason := "wrong result: " + fault
			c.m.count(func(u *Usage) { u.Failures++ })
			if inRow >= quarantineAfter {
				c.m.leave(reason)
			}
			s.onHost(ctx, at, Failure{Stage: s.job.Stage, Device: c.m.name, Kind: c.m.kind, Reason: reason, Ranges: 1})
			if s.err != nil {
				return
			}
		}
	}
}

// rest does on the host what no device was left to do.
func (s *sharing) rest(ctx context.Context) {
	q := &s.queue
	for len(q.Left) > 0 && s.err == nil {
		f := Failure{Stage: s.job.Stage}
		for _, name := range s.job.Devices { // which may be left out since it was asked, for what it had in line
			if m := s.fleet.member(name); m != nil && m.out() != "" {
				f = m.failure(s.job, m.out())
			}
		}
		for _, c := range s.workers {
			if why := cmp.Or(c.out, c.m.out()); why != "" {
				f = c.m.failure(s.job, why)
			}
		}
		at := q.Left[0]
		q.Remove(at)
		start := time.Now()
		s.onHost(ctx, at, f)
		s.job.Done(at.Points(), time.Since(start))
	}
}
