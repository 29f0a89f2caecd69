package fleet

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/runtime/fleet/ranges"
)

// newQueue is what is left of a job at first.
func newQueue(j *Job, devices int, steps []int) ranges.Queue {
	var given []region.Region
	if j.Tiles != nil && !j.Whole {
		given = []region.Region{}
		for _, t := range j.Tiles {
			given = append(given, j.rows(t))
		}
	}
	return ranges.New(j.Over, given, j.Whole || j.Tiles != nil, steps[:j.cuttable()], devices)
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
	share, all := s.queue.Points()*rates[c]/sum/slots, s.job.points()
	least := min(all/blindPart, share)
	if known {
		r := c.m.rates
		least = rates[c] * max(shortest, overhead*(r.Launch+r.Wait+2*r.LinkLatency))
	}
	if len(s.workers) == 1 && !s.overlaps(c, known) {
		return all
	}
	n := share / rounds
	if c.pace == 0 && len(rates) > 1 { // what was predicted may be far off
		if n = min(n, all/probes/float64(len(rates))); !known {
			least = n
		}
	}
	n = max(n, least, s.queue.Least)
	if c.wave > 0 { // what is left of a wave takes as long as all of it; what is less than a wave for each is divided for the sake of its copies
		n = min(math.Ceil(n/c.wave)*c.wave, max(n, s.part(c)))
	}
	return n
}

// most is about how many points a device takes at a time at most, whatever speed it turns out to have.
func (s *sharing) most(c *worker) float64 {
	n := s.job.points() / slots / rounds
	if c.wave > 0 {
		n = math.Ceil(n/c.wave) * c.wave
	}
	return max(n, s.size(c))
}

// worthOverlapping is the part of a job's time that copies must take, so that it is cut into ranges to have them beside the computing.
const worthOverlapping = 0.1

// overlaps reports whether copies of a device that has a job for itself take long enough to be had beside the computing. What every range needs comes
// before the first.
func (s *sharing) overlaps(c *worker, known bool) bool {
	j, r := s.job, c.m.rates
	all, some := j.Need(j.Over), sync.OnceValue(func() map[*ir.Buffer]region.Region { return j.Need(middle(j.Over)) })
	seconds := 0.0
	for _, a := range j.Reads {
		missing := region.Set{j.need(a, all)}
		if held := c.m.replica(a.Buf); held != nil {
			held.mu.Lock()
			missing = held.valid.Missing(missing[0])
			held.mu.Unlock()
		}
		if len(missing) == 0 || 2*j.need(a, some()).Points() > a.whole().Points() {
			continue
		}
		for _, at := range missing {
			seconds += device.Quotient(float64(ops.Copied(a.Buf, at)), r.LinkIn)
		}
	}
	for _, a := range j.Writes {
		if !j.stays(a) {
			seconds += device.Quotient(float64(ops.Copied(a.Buf, j.made(a, j.Over))), r.LinkOut)
		}
	}
	if rate, _, _ := s.rates(); known && rate[c] > 0 {
		return seconds > max(shortest, worthOverlapping*j.points()/rate[c])
	}
	return seconds > shortest
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
			hands += other.undone(r)
		}
	}
	if fastest <= rates[c] {
		return false
	}
	return (c.undone(rates[c])+points)/rates[c] > patience*max((s.queue.Points()+hands)/(sum-rates[c]), points/fastest)
}

// littleMore is the part of a wave that predictions of shares are off by: it is no reason to take one more.
const littleMore = 0.25

// hoards reports whether a device that has ranges in hand should leave the next to others: it would have more than its part of all that is not done, to
// whole waves. Who has none takes one.
func (s *sharing) hoards(c *worker, points float64) bool {
	rates, _, _ := s.rates()
	if len(rates) < 2 || c.hand == 0 {
		return false
	}
	part := s.part(c)
	if c.wave > 0 {
		part = math.Ceil(part/c.wave-littleMore) * c.wave
	}
	return c.undone(rates[c])+points > part
}

// part is a device's part of all that is not done.
func (s *sharing) part(c *worker) float64 {
	rates, sum, _ := s.rates()
	open := s.queue.Points()
	for o, rate := range rates {
		open += o.undone(rate)
	}
	return open * rates[c] / sum
}

// undone is how many points in hand are not computed yet, at a rate: of devices that end together the first would take what the others are about to.
func (c *worker) undone(rate float64) float64 {
	return max(0, c.hand-rate*time.Since(c.began).Seconds())
}

// take gives a device its next range; ok is false when there is nothing left for it. It waits while ranges may come back.
func (s *sharing) take(ctx context.Context, c *worker) (at region.Region, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.err == nil && c.out == "" && c.m.out() == "" {
		if s.queue.Points() == 0 {
			if s.open == 0 {
				return nil, false
			}
			s.change.Wait()
			continue
		}
		want := s.peek(c)
		if s.hesitates(c, float64(want.Points())) || s.hoards(c, float64(want.Points())) {
			s.change.Wait()
			continue
		}
		if c.store == nil {
			s.equip(ctx, c)
			continue
		}
		at, fits := c.store.fit(want, &s.queue)
		if !fits {
			_, avail := c.store.space.Each()
			c.out = fmt.Sprintf("%s: %v takes %d bytes, %s has %d left", device.ErrMemory, at, c.store.bytes(at), c.m.name, avail)
			s.change.Broadcast()
			return nil, false
		}
		s.open++
		s.queue.Remove(at)
		if c.hand == 0 {
			c.began = time.Now()
		}
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
	return s.queue.First(s.size(c), c.home, others)
}

// giveBack puts ranges back, in front.
func (s *sharing) giveBack(ranges ...region.Region) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue.Left = append(ranges, s.queue.Left...)
	s.change.Broadcast()
}

// closeRange ends the work on a range.
func (s *sharing) closeRange(c *worker, at region.Region) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open--
	c.hand -= float64(at.Points())
	c.began = time.Now()
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
	s.failed(err)
}

// failed is fail for who holds the lock.
func (s *sharing) failed(err error) {
	if s.err == nil {
		s.err = err
	}
	s.stop()
	s.change.Broadcast()
}
