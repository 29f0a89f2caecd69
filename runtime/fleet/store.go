package fleet

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/runtime/fleet/ranges"
	"weft/runtime/fleet/space"
)

// store is how the arrays of a job lie on a device: those that fit as replicas, the others in parts, range by range.
type store struct {
	fleet    *Fleet
	m        *Member
	job      *Job
	program  device.Program
	replicas map[*ir.Buffer]*replica
	parts    []Array      // in parts; nil: none
	space    *space.Space // for parts; nil: there are none
	launch   func(region.Region) error
	enqueue  func(region.Region) (device.Pending, error) // nil: launches are waited for
}

// errTooLarge is device.ErrMemory that was known beforehand.
var errTooLarge = fmt.Errorf("%w", device.ErrMemory)

// prepare makes room for a job: as replicas if they fit, else in parts as far as that is possible, for ranges such as are given. The error matches device.ErrMemory
// where it is not.
func (f *Fleet) prepare(ctx context.Context, m *Member, j *Job, within ranges.Extremes) (*store, error) {
	arrays := slices.Concat(j.Reads, j.Writes)
	s := &store{fleet: f, m: m, job: j, program: m.programs[j.Kernel]}
	err := f.hold(ctx, m, j, arrays, arrays)
	if errors.Is(err, device.ErrMemory) {
		if !errors.Is(err, errTooLarge) { // it should have had room
			m.retries(fmt.Sprintf("%s: %s. Retrying with parts of its arrays.", j.Stage, err))
		}
		err = s.divide(ctx, arrays, within, err)
	}
	if err != nil {
		return nil, err
	}
	s.replicas = m.replicasOf(j)
	maps.DeleteFunc(s.replicas, func(b *ir.Buffer, _ *replica) bool { return s.inParts(b) })
	if s.parts == nil {
		s.launch, err = s.program.Bind(device.Bindings{Mem: s.memories()})
		if queued, ok := s.program.(device.Queued); ok && err == nil {
			s.enqueue, err = queued.Enqueue(device.Bindings{Mem: s.memories()})
		}
	}
	return s, err
}

// replicasOf are what a device has of the arrays of a job.
func (m *Member) replicasOf(j *Job) map[*ir.Buffer]*replica {
	out := map[*ir.Buffer]*replica{}
	for _, a := range slices.Concat(j.Reads, j.Writes) {
		if r := m.replica(a.Buf); r != nil {
			out[a.Buf] = r
		}
	}
	return out
}

// divide keeps only those arrays as replicas of which every range uses most.
func (s *store) divide(ctx context.Context, arrays []Array, within ranges.Extremes, whole error) (err error) {
	m := s.m
	dev, ok := m.dev.(device.Roomy)
	if !ok || s.job.Whole {
		return whole
	}
	row := middle(s.job.Over)
	need, reach := s.job.Need(row), s.job.reach(row)
	var wide []Array
	for _, a := range arrays {
		if at := s.job.rowsOf(a, row, need, reach); !s.job.writes(a.Buf) && 2*at.Points() > a.whole().Points() {
			wide = append(wide, a)
			continue
		}
		s.parts = append(s.parts, a)
	}
	if s.parts == nil {
		return whole
	}
	if err := s.fleet.evict(ctx, m, wide); err != nil {
		return err
	}
	if err := s.fleet.hold(ctx, m, s.job, wide, wide); err != nil {
		return err
	}
	avail := m.limit - m.held()
	if m.limit == 0 {
		avail = 0
		for _, a := range s.parts {
			avail += a.size() / 2
		}
	}
	var largest int64
	for _, at := range within.Large {
		largest = max(largest, s.bytes(at))
	}
	least := s.bytes(within.Small)
	if least > avail {
		return fmt.Errorf("%w: %v takes %d bytes, %s has %d left", errTooLarge, within.Small, least, m.name, avail)
	}
	told := false
	s.space, err = space.New(dev, avail, largest, least, func(err error) {
		m.count(func(u *Usage) { u.Retries++ })
		if !told {
			m.opt.Log(fmt.Sprintf("%s: %s. Retrying with less room for parts of its arrays.", s.job.Stage, err))
		}
		told = true
	})
	return err
}

// close gives back what the job alone needed.
func (s *store) close() {
	if s.space != nil {
		s.space.Close()
	}
}

// middle is a row in the middle of a region.
func middle(at region.Region) region.Region {
	if at.Empty() || len(at) == 0 {
		return at
	}
	row := (at[0].Lo + at[0].Hi) / 2
	return at.Along(0, region.Interval{Lo: row, Hi: row + 1})
}

func (s *store) inParts(b *ir.Buffer) bool {
	return slices.ContainsFunc(s.parts, func(a Array) bool { return a.Buf == b })
}

func (s *store) memories() map[*ir.Buffer]device.Memory {
	out := map[*ir.Buffer]device.Memory{}
	for b, r := range s.replicas {
		out[b] = r.mem
	}
	return out
}

// fit shortens a range until what it needs fits beside those of the other slots or, where less than a row would, alone; ok is false where
// not even the smallest does.
func (s *store) fit(at region.Region, q *ranges.Queue) (region.Region, bool) {
	if s.space == nil {
		return at, true
	}
	place, avail := s.space.Each()
	for {
		n, half := s.bytes(at), q.Half(at)
		switch {
		case n <= place:
			return at, true
		case half.Equal(at), n <= avail && half[0] == at[0]:
			return at, n <= avail
		}
		at = half
	}
}

// bytes are what the parts for a range take.
func (s *store) bytes(at region.Region) (n int64) {
	for i, span := range s.partsFor(at) {
		n += device.ViewBytes(s.parts[i].Buf, span.To-span.From)
	}
	return n
}

// partsFor is the memory of each array in parts that a range uses: whole rows, which lie together.
func (s *store) partsFor(at region.Region) []device.Span {
	need, reach := s.job.Need(at), s.job.reach(at)
	out := make([]device.Span, len(s.parts))
	for i, a := range s.parts {
		if spans := a.spans(s.job.rowsOf(a, at, need, reach)); len(spans) > 0 {
			out[i] = device.Span{From: spans[0].From, To: spans[len(spans)-1].To}
		}
	}
	return out
}

// views give the parts for a range memory, in which are zeros only where they may be read before they are stored.
func (s *store) views(at region.Region) (map[*ir.Buffer]device.Memory, func(), error) {
	room, from, give, err := s.space.Take(s.bytes(at))
	if err != nil {
		return nil, nil, err
	}
	mem := map[*ir.Buffer]device.Memory{}
	free := func() {
		for _, m := range mem {
			m.Free()
		}
		give()
	}
	for i, span := range s.partsFor(at) {
		buf := s.parts[i].Buf
		m, err := room.View(buf, span, from, s.job.writes(buf) && !s.job.Kernel.Fills(buf))
		if err != nil {
			free()
			return nil, nil, err
		}
		mem[buf] = m
		from += device.ViewBytes(buf, span.To-span.From)
	}
	return mem, free, nil
}

// hold gives arrays of a job replicas; others that are not kept go when there is no room.
func (f *Fleet) hold(ctx context.Context, m *Member, j *Job, arrays, keep []Array) error {
	var need int64
	for _, a := range arrays {
		if r := m.replica(a.Buf); r != nil && r.stale && j.writes(a.Buf) && !j.Kernel.Fills(a.Buf) {
			m.drop(a.Buf)
		}
		if m.replica(a.Buf) == nil {
			need += a.size()
		}
	}
	for m.limit > 0 && m.held()+need > m.limit {
		some, err := f.evictOldest(ctx, m, keep)
		if err != nil {
			return err
		}
		if !some {
			return fmt.Errorf("%w: its arrays take %d bytes, %s has %d", errTooLarge, m.held()+need, m.name, m.limit)
		}
	}
	for _, a := range arrays {
		r := m.replica(a.Buf)
		if r == nil {
			f.otherwise()
			mem, err := m.alloc(j, a)
			for errors.Is(err, device.ErrMemory) {
				some, fault := f.evictOldest(ctx, m, keep)
				if fault != nil {
					return fault
				}
				if !some {
					break
				}
				m.count(func(u *Usage) { u.Retries++ })
				mem, err = m.alloc(j, a)
			}
			if err != nil {
				return err
			}
			r = &replica{mem: mem, size: a.size()}
			m.mu.Lock()
			m.replicas[a.Buf] = r
			m.mu.Unlock()
		}
		r.used = f.jobs
	}
	return nil
}

// alloc gives memory for an array of a job, which is not cleared where the job's kernel stores all of it.
func (m *Member) alloc(j *Job, a Array) (device.Memory, error) {
	blank, ok := m.dev.(device.Blank)
	if ok && j.writes(a.Buf) && j.Kernel.Fills(a.Buf) {
		return blank.AllocBlank(a.Buf)
	}
	return m.dev.Alloc(a.Buf)
}

// held is the bytes of all replicas.
func (m *Member) held() (n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.replicas {
		n += r.size
	}
	return n
}

// evictOldest drops the replica that was not used for longest, of those that are not kept; what is nowhere else goes to the host.
func (f *Fleet) evictOldest(ctx context.Context, m *Member, keep []Array) (some bool, err error) {
	var oldest *ir.Buffer
	for _, b := range m.resident() {
		if slices.ContainsFunc(keep, func(a Array) bool { return a.Buf == b }) {
			continue
		}
		if oldest == nil || m.replica(b).used < m.replica(oldest).used {
			oldest = b
		}
	}
	if oldest == nil {
		return false, nil
	}
	if len(f.alone(m, oldest)) > 0 {
		if err := f.settle(ctx); err != nil {
			return false, hostFault{err}
		}
	}
	f.moving.Lock()
	defer f.moving.Unlock()
	for _, at := range f.alone(m, oldest) {
		if err := f.fetch(ctx, oldest, at, false); err != nil {
			return false, hostFault{err}
		}
	}
	m.drop(oldest)
	return true, nil
}

// evict drops all replicas that are not kept.
func (f *Fleet) evict(ctx context.Context, m *Member, keep []Array) error {
	for {
		if some, err := f.evictOldest(ctx, m, keep); !some || err != nil {
			return err
		}
	}
}

// timings are what a range took on each lane, what is brought once for all ranges apart.
type timings [lanes]float64

// slowest is the lane that sets the pace when ranges follow each other.
func (t timings) slowest() float64 { return max(t[upload], t[compute], t[download]) }

// run computes a range on the device: its inputs are brought, its outputs copied to the host's arrays, or left where they are.
func (s *store) run(ctx context.Context, c *staging, at region.Region) (t timings, err error) {
	mem, launch := s.memories(), s.launch
	if s.parts != nil {
		parts, free, err := s.views(at)
		if err != nil {
			return t, err
		}
		defer free()
		maps.Copy(mem, parts)
		if launch, err = s.program.Bind(device.Bindings{Mem: mem}); err != nil {
			return t, err
		}
	}
	if err := s.bring(ctx, c, at, mem, &t); err != nil {
		return t, err
	}
	if s.enqueue == nil || !at.Equal(s.job.Over) {
		took, err := s.m.lanes[compute].do(ctx, s.m.opt.Trace, c.stage, map[string]any{"tile": at}, func() error { return launch(at) })
		s.m.count(func(u *Usage) { u.add(compute, took, 0, err) })
		if t[compute] = took.Seconds(); err != nil {
			return t, err
		}
		return t, s.hand(ctx, c, at, mem, &t)
	}
	begun := time.Now()
	launched, err := s.enqueue(at)
	if err != nil {
		return t, err
	}
	err = s.hand(ctx, c, at, mem, &t)
	took, failed := launched.Wait() // what is copied is behind it
	s.m.count(func(u *Usage) { u.add(compute, took, 0, failed) })
	s.m.opt.Trace.Took(s.m.lanes[compute].number, laneNames[compute], c.stage, begun, took, map[string]any{"tile": at})
	if t[compute] = took.Seconds(); failed != nil {
		err = failed
	}
	return t, err
}

// hand copies what a range made to the host's arrays, or leaves it where it is.
func (s *store) hand(ctx context.Context, c *staging, at region.Region, mem map[*ir.Buffer]device.Memory, t *timings) (err error) {
	for _, a := range s.job.Writes {
		made, r := s.job.made(a, at), s.replicas[a.Buf]
		if r != nil && s.job.stays(a) {
			r.computed(made)
			s.fleet.leave(s.job, a, at, made)
			continue
		}
		if a, err = s.fleet.there(s.job, a); err != nil {
			return hostFault{err}
		}
		took, err := c.copy(ctx, download, a, mem[a.Buf], made, true)
		if t[download] += took.Seconds(); err != nil {
			return err
		}
		if r != nil {
			r.computed(made)
		} else {
			ops.FillPadding(a.Buf, made, a.Data)
		}
	}
	return nil
}

// bring copies what a range needs. Padding has its value already in replicas, and is copied along in parts.
func (s *store) bring(ctx context.Context, c *staging, at region.Region, mem map[*ir.Buffer]device.Memory, t *timings) error {
	need := s.job.Need(at)
	for _, a := range s.job.Reads {
		r := s.replicas[a.Buf]
		copyHost := func(part region.Region) error {
			if err := s.fleet.Fetch(ctx, a.Buf, part); err != nil {
				return hostFault{err}
			}
			a, err := s.fleet.there(s.job, a)
			if err != nil {
				return hostFault{err}
			}
			took, err := c.copy(ctx, upload, a, mem[a.Buf], part, r != nil)
			if !part.Equal(a.whole()) {
				t[upload] += took.Seconds()
			}
			return err
		}
		copyIn := func(part region.Region) error {
			s.fleet.otherwise()
			rest, took, err := s.fleet.across(ctx, c, a, mem[a.Buf], part)
			t[upload] += took.Seconds()
			for _, part := range rest {
				if err == nil {
					err = copyHost(part)
				}
			}
			return err
		}
		err, part := error(nil), s.job.need(a, need)
		if r != nil {
			err = r.bring(part, copyIn)
		} else {
			err = copyHost(part)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
