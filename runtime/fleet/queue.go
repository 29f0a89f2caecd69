package fleet

import (
	"fmt"
	"math"
	"slices"

	"weft/kernels/device"
	"weft/kernels/region"
)

// queue is what nobody has taken yet of a job, in the order in which it is taken.
type queue struct {
	left  []region.Region
	given bool  // ranges are those that are left, and not cut
	steps []int // of the axes along which ranges may be cut: multiples of them cost the devices' programs least
	least float64
}

// evenly is how many ranges a device should be able to have, to be done when the others are.
const evenly = 64

// newQueue cuts along as few axes as give some devices enough ranges, in steps of each.
func newQueue(j *Job, devices int, steps []int) queue {
	q := queue{left: []region.Region{j.Over}, given: j.Whole || j.Tiles != nil, steps: steps[:j.cuttable()]}
	if j.Tiles != nil && !j.Whole {
		q.left = nil
		for _, t := range j.Tiles {
			if at := j.rows(t); len(q.left) == 0 || !q.left[len(q.left)-1].Equal(at) {
				q.left = append(q.left, at)
			}
		}
	}
	ranges, want := 1, evenly*max(1, devices)
	for d, step := range q.steps {
		if ranges *= (j.Over[d].Len() + step - 1) / step; ranges >= want && !q.given {
			q.steps = q.steps[:d+1]
			break
		}
	}
	if q.least = 1; len(q.steps) > 1 {
		q.least = j.points() / float64(want)
	}
	return q
}

// points that nobody has taken.
func (q *queue) points() (n float64) {
	for _, r := range q.left {
		n += float64(r.Points())
	}
	return n
}

// cut is about n points at an end of a box: whole steps along the first axis of which one is no more than that.
func (q *queue) cut(r region.Region, n float64, last bool) region.Region {
	for d, step := range q.steps {
		slice := float64(r.Points()) / float64(max(1, r[d].Len())) * float64(step)
		at := r[d]
		if k := step * int(math.Ceil(max(1, n/slice))); k >= at.Len() {
		} else if last {
			at.Lo = at.Hi - k
		} else {
			at.Hi = at.Lo + k
		}
		if r = r.Along(d, at); n >= slice {
			break
		}
	}
	return r
}

// first is a range to take, of about n points: one of which the device has the inputs, else one that no other device has, else the end
// of what others have, who take theirs from the start.
func (q *queue) first(n float64, home, others region.Set) region.Region {
	if q.given {
		if i := slices.IndexFunc(q.left, home.Holds); i >= 0 {
			return q.left[i]
		}
		return q.left[max(0, slices.IndexFunc(q.left, func(r region.Region) bool { return !others.Holds(r) }))]
	}
	for _, r := range q.left {
		for _, h := range home {
			if o := r.Intersect(h); !o.Empty() {
				return q.cut(o, n, false)
			}
		}
	}
	free := region.Set(q.left)
	for _, o := range others {
		free = free.Without(o)
	}
	if len(free) > 0 {
		return q.cut(free[0], n, false)
	}
	return q.cut(q.left[len(q.left)-1], n, true)
}

// remove takes a range that first gave out of the queue.
func (q *queue) remove(at region.Region) {
	i := slices.IndexFunc(q.left, at.Within)
	rest := region.Set{q.left[i]}.Without(at)
	slices.Reverse(rest) // what is beside it comes before what is behind
	q.left = slices.Replace(q.left, i, i+1, rest...)
}

// Ranges are a part of what is left, smaller and smaller, so that devices end together: the share of the device, over slots and
// this many rounds. None is so short that starting it shows.
const (
	rounds    = 3
	overhead  = 8.0    // times the latencies of the device that a range takes at least
	shortest  = 300e-6 // seconds that it takes at least
	blindPart = 64     // of the points, where no speed is known
	probes    = 64     // first ranges of a device, of which nothing is measured yet, are no more than this part of its equal share
	patience  = 1.25   // times what the other devices need for all that is left, within which a device must be done with a range
)

// rates are the points a second of the devices that still work, in units that are seconds only where known says so.
func (s *sharing) rates() (of map[*worker]float64, sum float64, known bool) {
	scale, n := 0.0, 0
	for _, c := range s.workers {
		if c.pace > 0 {
			scale += 1 / c.pace / c.weight
			n++
		}
	}
	switch {
	case n > 0:
		scale /= float64(n)
	case s.job.Seconds > 0:
		weights := 0.0
		for _, c := range s.workers {
			weights += c.weight
		}
		scale = s.job.points() / s.job.Seconds / weights
	default:
		scale = 1
	}
	of = map[*worker]float64{}
	for _, c := range s.workers {
		if c.out != "" || c.m.out() != "" {
			continue
		}
		of[c] = scale * c.weight
		if c.pace > 0 {
			of[c] = 1 / c.pace
		}
		sum += of[c]
	}
	return of, sum, n > 0 || s.job.Seconds > 0
}

// size is how many points a device takes next, about.
func (s *sharing) size(c *worker) float64 {
	rates, sum, known := s.rates()
	share, all := s.queue.points()*rates[c]/sum/slots, s.job.points()
	least := min(all/blindPart, share)
	if known {
		r := c.m.rates
		least = rates[c] * max(shortest, overhead*(r.Launch+2*r.LinkLatency))
	}
	n := share / rounds
	if c.pace == 0 && len(rates) > 1 { // what was predicted may be far off
		if n = min(n, all/probes/float64(len(rates))); !known {
			least = n
		}
	}
	n = max(n, least, s.queue.least)
	if c.most > 0 {
		n = min(n, c.most)
	}
	return n
}

// stepOf is the granularity of a program along an axis.
func stepOf(p device.Program, axis int) int {
	if steps := p.Step(); axis < len(steps) {
		return max(1, steps[axis])
	}
	return 1
}

// hesitates reports whether a device should leave the next range to the others, who would be done with all that is left before it, what
// each has in hand counted in. The fastest never does.
func (s *sharing) hesitates(c *worker, points float64) bool {
	rates, sum, _ := s.rates()
	fastest, hands := 0.0, 0.0
	for other, r := range rates {
		if other != c {
			fastest = max(fastest, r)
			hands += other.hand
		}
	}
	if fastest <= rates[c] {
		return false
	}
	alone := (c.hand + points) / rates[c]
	return alone > patience*max((s.queue.points()+hands)/(sum-rates[c]), points/fastest)
}

// take gives a device its next range; ok is false when there is nothing left for it. It waits while ranges may come back.
func (s *sharing) take(c *worker) (at region.Region, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.err == nil && c.out == "" && c.m.out() == "" {
		if s.queue.points() == 0 {
			if s.open == 0 {
				return nil, false
			}
			s.change.Wait()
			continue
		}
		if c.alone && c.hand > 0 {
			s.change.Wait()
			continue
		}
		want := s.peek(c)
		if s.hesitates(c, float64(want.Points())) {
			s.change.Wait()
			continue
		}
		if c.store == nil {
			s.equip(c)
			continue
		}
		at, fits := c.store.fit(want, &s.queue)
		if !fits {
			c.out = fmt.Sprintf("%s: %v takes %d bytes, %s has %d left", device.ErrMemory, at, c.store.bytes(at), c.m.name, c.store.space.avail)
			s.change.Broadcast()
			return nil, false
		}
		s.open++
		s.queue.remove(at)
		c.hand += float64(at.Points())
		return at, true
	}
	return nil, false
}

// peek is the range a device would take next.
func (s *sharing) peek(c *worker) region.Region {
	var others region.Set
	for _, o := range s.workers {
		if o != c && o.out == "" && o.m.out() == "" {
			for _, h := range o.home {
				others = others.With(h)
			}
		}
	}
	at := s.queue.first(s.size(c), c.home, others)
	if c.most > 0 && float64(at.Points()) > c.most {
		return s.queue.cut(at, c.most, false)
	}
	return at
}

// giveBack puts ranges back, in front.
func (s *sharing) giveBack(ranges ...region.Region) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue.left = append(ranges, s.queue.left...)
	s.change.Broadcast()
}

// closeRange ends the work on a range.
func (s *sharing) closeRange(c *worker, at region.Region) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open--
	c.hand -= float64(at.Points())
	s.change.Broadcast()
}

// finished counts a range for a device and learns its pace.
func (s *sharing) finished(c *worker, at region.Region, t timings) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.share.Ranges++
	c.points += at.Points()
	if pace := t.slowest() / float64(at.Points()); pace > 0 {
		if c.pace > 0 {
			pace = (pace + c.pace) / 2
		}
		c.pace = pace
	}
}

// fail ends the job; the first error counts.
func (s *sharing) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
	s.stop()
	s.change.Broadcast()
}
