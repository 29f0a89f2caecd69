package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
)

// store is how the arrays of a job lie on a device: those that fit as replicas, the others in parts, range by range.
type store struct {
	m        *Member
	job      *Job
	program  device.Program
	replicas map[*ir.Buffer]*replica
	parts    []Array // in parts; nil: none
	space    *space  // for parts
	launch   func(region.Region) error
}

// errTooLarge is device.ErrMemory that was known beforehand.
var errTooLarge = fmt.Errorf("%w", device.ErrMemory)

// prepare makes room for a job: as replicas if they fit, else in parts as far as that is possible. The error matches device.ErrMemory
// where it is not.
func (m *Member) prepare(j *Job, number int) (*store, error) {
	arrays := slices.Concat(j.Reads, j.Writes)
	s := &store{m: m, job: j, program: m.programs[j.Kernel], replicas: map[*ir.Buffer]*replica{}}
	err := m.hold(arrays, arrays, number)
	if errors.Is(err, device.ErrMemory) {
		if !errors.Is(err, errTooLarge) { // it should have had room
			m.retries(fmt.Sprintf("%s: %s. Retrying with parts of its arrays.", j.Stage, err))
		}
		err = s.divide(arrays, number, err)
	}
	if err != nil {
		return nil, err
	}
	for _, a := range arrays {
		if r := m.replica(a.Buf); r != nil && !s.inParts(a.Buf) {
			s.replicas[a.Buf] = r
		}
	}
	if s.parts == nil {
		s.launch, err = s.program.Bind(device.Bindings{Mem: s.memories()})
	}
	return s, err
}

// divide keeps only those arrays as replicas that every range needs most of.
func (s *store) divide(arrays []Array, number int, whole error) error {
	m := s.m
	if _, ok := m.dev.(device.Partial); !ok || s.job.Whole {
		return whole
	}
	middle := (s.job.rows().Lo + s.job.rows().Hi) / 2
	need := s.job.need(region.Interval{Lo: middle, Hi: min(s.job.rows().Hi, middle+s.step())})
	var wide []Array
	for _, a := range arrays {
		rows, ok := need[a.Buf]
		written := slices.ContainsFunc(s.job.Writes, func(w Array) bool { return w.Buf == a.Buf })
		if !written && (!ok || 2*(rows.Hi-rows.Lo) > a.rows().Hi) {
			wide = append(wide, a)
			continue
		}
		s.parts = append(s.parts, a)
	}
	if s.parts == nil {
		return whole
	}
	m.evict(wide)
	if err := m.hold(wide, wide, number); err != nil {
		return err
	}
	avail := m.limit - m.held()
	if m.limit == 0 {
		avail = 0
		for _, a := range s.parts {
			avail += a.size() / 2
		}
	}
	s.space = newSpace(avail)
	return nil
}

// home is the rows of which the device holds the largest input that has a row for each of the kernel's.
func (m *Member) home(j *Job) (rows rowSet) {
	var largest int64
	for _, a := range j.Reads {
		r := m.replica(a.Buf)
		if r == nil || len(j.Kernel.Axes) == 0 || a.rows().Hi != j.Kernel.Axes[0].Extent || a.size() <= largest {
			continue
		}
		largest = a.size()
		r.mu.Lock()
		rows = slices.Clone(r.valid)
		r.mu.Unlock()
	}
	return rows
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

// step is the granularity of rows.
func (s *store) step() int { return stepOf(s.program, 0) }

// fit shortens a range until what it needs fits beside those of the other slots; ok is false where even one step does not fit
// alone.
func (s *store) fit(rows region.Interval) (region.Interval, bool) {
	if s.space == nil {
		return rows, true
	}
	for {
		n := s.bytes(rows)
		switch {
		case n <= s.space.avail/slots:
			return rows, true
		case rows.Hi-rows.Lo <= s.step():
			return rows, n <= s.space.avail
		}
		rows = halve(rows, s.step())
	}
}

// halve is the first half of a range, of whole steps.
func halve(rows region.Interval, step int) region.Interval {
	return region.Interval{Lo: rows.Lo, Hi: rows.Lo + max(step, (rows.Hi-rows.Lo)/2/step*step)}
}

// bytes are what the parts for a range take.
func (s *store) bytes(rows region.Interval) (n int64) {
	for a, need := range s.partsFor(rows) {
		for _, span := range s.parts[a].spans(ops.RowsOf(s.parts[a].Buf, need)) {
			n += span.To - span.From + margins(s.parts[a].Buf)
		}
	}
	return n
}

// partsFor are the rows of each array in parts that a range needs.
func (s *store) partsFor(rows region.Interval) []region.Interval {
	need := s.job.need(rows)
	out := make([]region.Interval, len(s.parts))
	for i, a := range s.parts {
		out[i] = rows
		if n, ok := need[a.Buf]; ok {
			out[i] = n
		}
	}
	return out
}

// allocate takes memory for the parts of a range.
func (s *store) allocate(rows region.Interval) (map[*ir.Buffer]device.Memory, func(), error) {
	n := s.bytes(rows)
	s.space.take(n)
	mem := map[*ir.Buffer]device.Memory{}
	free := func() {
		for _, m := range mem {
			m.Free()
		}
		s.space.give(n)
	}
	for i, need := range s.partsFor(rows) {
		a := s.parts[i]
		m, err := s.m.dev.(device.Partial).AllocParts(a.Buf, a.spans(ops.RowsOf(a.Buf, need)))
		if err != nil {
			free()
			return nil, nil, err
		}
		mem[a.Buf] = m
	}
	return mem, free, nil
}

// hold gives arrays replicas; others that are not kept go when there is no room.
func (m *Member) hold(arrays, keep []Array, number int) error {
	var need int64
	for _, a := range arrays {
		if m.replica(a.Buf) == nil {
			need += a.size()
		}
	}
	for m.limit > 0 && m.held()+need > m.limit {
		if !m.evictOldest(keep) {
			return fmt.Errorf("%w: its arrays take %d bytes, %s has %d", errTooLarge, m.held()+need, m.name, m.limit)
		}
	}
	for _, a := range arrays {
		r := m.replica(a.Buf)
		if r == nil {
			mem, err := m.dev.Alloc(a.Buf)
			for errors.Is(err, device.ErrMemory) && m.evictOldest(keep) {
				m.count(func(u *Usage) { u.Retries++ })
				mem, err = m.dev.Alloc(a.Buf)
			}
			if err != nil {
				return err
			}
			r = &replica{mem: mem, size: a.size()}
			m.mu.Lock()
			m.replicas[a.Buf] = r
			m.mu.Unlock()
		}
		r.used = number
	}
	return nil
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

// evictOldest drops the replica that was not used for longest, of those that are not kept.
func (m *Member) evictOldest(keep []Array) bool {
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
		return false
	}
	m.drop(oldest)
	return true
}

// evict drops all replicas that are not kept.
func (m *Member) evict(keep []Array) {
	for m.evictOldest(keep) {
	}
}

// space hands out device memory for ranges in parts.
type space struct {
	mu          sync.Mutex
	given       sync.Cond
	avail, used int64
}

func newSpace(avail int64) *space {
	s := &space{avail: avail}
	s.given.L = &s.mu
	return s
}

// take waits until so many bytes are free, no more than there are in all.
func (s *space) take(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.used > 0 && s.used+n > s.avail {
		s.given.Wait()
	}
	s.used += n
}

func (s *space) give(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used -= n
	s.given.Broadcast()
}

// timings are what a range took on each lane, what is brought once for all ranges apart.
type timings [lanes]float64

// slowest is the lane that sets the pace when ranges follow each other.
func (t timings) slowest() float64 { return max(t[upload], t[compute], t[download]) }

// run computes a range on the device: its inputs are brought, its outputs copied to the host's arrays.
func (s *store) run(ctx context.Context, c *staging, p piece) (t timings, err error) {
	mem, launch := s.memories(), s.launch
	if s.parts != nil {
		parts, free, err := s.allocate(p.rows)
		if err != nil {
			return t, err
		}
		defer free()
		for b, m := range parts {
			mem[b] = m
		}
		if launch, err = s.program.Bind(device.Bindings{Mem: mem}); err != nil {
			return t, err
		}
	}
	if err := s.bring(ctx, c, p, mem, &t); err != nil {
		return t, err
	}
	for _, tile := range p.tiles {
		took, err := s.m.lanes[compute].do(ctx, s.m.opt.Trace, c.stage, map[string]any{"tile": tile}, func() error { return launch(tile) })
		s.m.count(func(u *Usage) { u.add(compute, took, 0, err) })
		if t[compute] += took.Seconds(); err != nil {
			return t, err
		}
	}
	for _, a := range s.job.Writes {
		for _, made := range s.made(a, p) {
			took, err := c.out(ctx, a, mem[a.Buf], made)
			if t[download] += took.Seconds(); err != nil {
				return t, err
			}
			if r := s.replicas[a.Buf]; r != nil {
				r.computed(a, made)
			} else {
				ops.FillPadding(a.Buf, made, a.Data)
			}
		}
	}
	return t, nil
}

// bring copies what a range needs.
func (s *store) bring(ctx context.Context, c *staging, p piece, mem map[*ir.Buffer]device.Memory, t *timings) error {
	need := s.job.need(p.rows)
	for _, a := range s.job.Reads {
		rows, ok := need[a.Buf]
		if !ok {
			rows = a.rows()
		}
		copyIn := func(rows region.Interval) error {
			took, err := c.in(ctx, a, mem[a.Buf], rows, s.replicas[a.Buf] != nil)
			if rows != a.rows() {
				t[upload] += took.Seconds()
			}
			return err
		}
		r := s.replicas[a.Buf]
		err := error(nil)
		if r != nil {
			err = r.bring(rows, copyIn)
		} else {
			err = copyIn(rows)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// made are the parts of an output that a range makes.
func (s *store) made(a Array, p piece) []region.Region {
	if s.job.Whole {
		return []region.Region{region.Whole(a.Buf.Shape...)}
	}
	return p.regions(a)
}
