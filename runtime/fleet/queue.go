package fleet

import (
	"fmt"
	"math"
	"slices"

	"weft/kernels/device"
	"weft/kernels/region"
)

// queue is the cells of a job that nobody has taken yet.
type queue struct {
	grid grid
	rest rowSet  // cells that are not cut yet
	cut  []piece // ranges that were given, or came back
}

func newQueue(g grid) queue {
	q := queue{grid: g}
	all := region.Interval{Hi: g.total()}
	switch {
	case g.job.Whole:
		q.cut = []piece{g.piece(all)}
	case g.job.Cuts != nil:
		for _, tiles := range g.job.Cuts {
			q.cut = append(q.cut, g.given(tiles))
		}
	default:
		q.rest = q.rest.with(all)
	}
	return q
}

// total is the cells of the job, at least one.
func (q *queue) total() int { return max(1, q.grid.total()) }

// left is the cells that nobody has taken.
func (q *queue) left() (n int) {
	for _, r := range q.rest {
		n += r.Hi - r.Lo
	}
	for _, p := range q.cut {
		n += p.cells.Hi - p.cells.Lo
	}
	return n
}

// first is a range to take, of about n cells: one of which the device has the inputs, else one that no other device has, else the end
// of what others have, who take theirs from the start.
func (q *queue) first(n int, home, others rowSet) piece {
	if len(q.cut) > 0 {
		return q.cut[q.firstCut(home, others)]
	}
	for _, r := range q.rest {
		for _, h := range home {
			if o := r.Intersect(h); !o.Empty() {
				return q.grid.piece(region.Interval{Lo: o.Lo, Hi: min(o.Hi, o.Lo+n)})
			}
		}
	}
	free := q.rest
	for _, o := range others {
		free = free.without(o)
	}
	if len(free) > 0 {
		return q.grid.piece(region.Interval{Lo: free[0].Lo, Hi: min(free[0].Hi, free[0].Lo+n)})
	}
	end := q.rest[len(q.rest)-1]
	return q.grid.piece(region.Interval{Lo: max(end.Lo, end.Hi-n), Hi: end.Hi})
}

// firstCut is first among ranges that are cut.
func (q *queue) firstCut(home, others rowSet) int {
	if len(home) > 0 {
		if i := slices.IndexFunc(q.cut, func(p piece) bool { return home.holds(p.cells) }); i >= 0 {
			return i
		}
	}
	return max(0, slices.IndexFunc(q.cut, func(p piece) bool { return !others.holds(p.cells) }))
}

// remove takes cells at the start of a range that first gave out of the queue.
func (q *queue) remove(from piece, cells region.Interval) piece {
	at := slices.IndexFunc(q.cut, func(p piece) bool { return p.cells.Lo == from.cells.Lo })
	if at < 0 {
		q.rest = q.rest.without(cells)
		return q.grid.piece(cells)
	}
	p := q.cut[at]
	q.cut = slices.Delete(q.cut, at, at+1)
	if cells.Hi < p.cells.Hi {
		var rest piece
		p, rest = q.grid.split(p, cells.Hi)
		q.cut = slices.Insert(q.cut, at, rest)
	}
	return p
}

// Ranges are a part of what is left, smaller and smaller, so that devices end together: the share of the device, over slots and
// this many rounds. None is so short that starting it shows.
const (
	rounds    = 3
	overhead  = 8.0    // times the latencies of the device that a range takes at least
	shortest  = 300e-6 // seconds that it takes at least
	blindPart = 64     // of the cells, where no speed is known
	probes    = 64     // first ranges of a device, of which nothing is measured yet, are no more than this part of its equal share
	patience  = 1.25   // times what the other devices need for all that is left, within which a device must be done with a range
)

// rates are the cells a second of the devices that still work, in units that are seconds only where known says so.
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
		scale = float64(s.queue.total()) / s.job.Seconds / weights
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

// size is how many cells a device takes next.
func (s *sharing) size(c *worker) int {
	rates, sum, known := s.rates()
	left, step := float64(s.queue.left()), s.step(c)
	share := left * rates[c] / sum / slots
	least := min(float64(s.queue.total())/blindPart, share)
	if known {
		r := c.m.rates
		least = rates[c] * max(shortest, overhead*(r.Launch+2*r.LinkLatency))
	}
	n := share / rounds
	if c.pace == 0 && len(rates) > 1 { // what was predicted may be far off
		if n = min(n, float64(s.queue.total())/probes/float64(len(rates))); !known {
			least = n
		}
	}
	n = max(n, least, 1)
	n = math.Ceil(n/float64(step)) * float64(step)
	if c.most > 0 {
		n = min(n, float64(c.most))
	}
	return int(min(n, left))
}

// step is the granularity of ranges, in cells.
func (s *sharing) step(c *worker) int {
	if s.queue.grid.across > 1 {
		return 1
	}
	return stepOf(c.program, 0)
}

// stepOf is the granularity of a program along an axis.
func stepOf(p device.Program, axis int) int {
	if steps := p.Step(); axis < len(steps) {
		return max(1, steps[axis])
	}
	return 1
}

// hesitates reports whether a device should leave the next cells to the others, who would be done with all that is left before it, what
// each has in hand counted in. The fastest never does.
func (s *sharing) hesitates(c *worker, cells int) bool {
	rates, sum, _ := s.rates()
	fastest, hands := 0.0, 0
	for other, r := range rates {
		if other != c {
			fastest = max(fastest, r)
			hands += other.hand
		}
	}
	if fastest <= rates[c] {
		return false
	}
	alone := float64(c.hand+cells) / rates[c]
	return alone > patience*max(float64(s.queue.left()+hands)/(sum-rates[c]), float64(cells)/fastest)
}

// take gives a device its next range; ok is false when there is nothing left for it. It waits while ranges may come back.
func (s *sharing) take(c *worker) (p piece, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.err == nil && c.out == "" && c.m.out() == "" {
		if s.queue.left() == 0 {
			if s.open == 0 {
				return p, false
			}
			s.change.Wait()
			continue
		}
		if c.alone && c.hand > 0 {
			s.change.Wait()
			continue
		}
		want := s.peek(c)
		if s.hesitates(c, want.cells.Hi-want.cells.Lo) {
			s.change.Wait()
			continue
		}
		if c.store == nil {
			s.equip(c)
			continue
		}
		cells, err := s.fit(c, want)
		if err != nil {
			c.out = err.Error()
			s.change.Broadcast()
			return p, false
		}
		s.open++
		p = s.queue.remove(want, cells)
		c.hand += p.cells.Hi - p.cells.Lo
		return p, true
	}
	return p, false
}

// fit shortens a range until what it needs fits beside those of the other slots. The error matches device.ErrMemory where even
// one step of rows does not fit alone.
func (s *sharing) fit(c *worker, p piece) (region.Interval, error) {
	rows, fits := c.store.fit(p.rows)
	if !fits {
		return p.cells, fmt.Errorf("%w: %d rows take %d bytes, %s has %d left", device.ErrMemory, rows.Hi-rows.Lo, c.store.bytes(rows), c.m.name, c.store.space.avail)
	}
	if rows == p.rows {
		return p.cells, nil
	}
	return region.Interval{Lo: p.cells.Lo, Hi: min(p.cells.Hi, s.queue.grid.upTo(rows.Hi))}, nil
}

// peek is the range a device would take next.
func (s *sharing) peek(c *worker) piece {
	var others rowSet
	for _, o := range s.workers {
		if o != c && o.out == "" && o.m.out() == "" {
			for _, h := range o.home {
				others = others.with(h)
			}
		}
	}
	p := s.queue.first(s.size(c), c.home, others)
	if n := p.cells.Hi - p.cells.Lo; c.most > 0 && n > c.most {
		p, _ = s.queue.grid.split(p, p.cells.Lo+c.most)
	}
	return p
}

// giveBack puts a range back.
func (s *sharing) giveBack(p piece) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue.cut = append(s.queue.cut, p)
	s.change.Broadcast()
}

// closeRange ends the work on a range.
func (s *sharing) closeRange(c *worker, p piece) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open--
	c.hand -= p.cells.Hi - p.cells.Lo
	s.change.Broadcast()
}

// finished counts a range for a device and learns its pace.
func (s *sharing) finished(c *worker, p piece, t timings) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.share.Ranges++
	c.points += p.points()
	if pace := t.slowest() / float64(p.cells.Hi-p.cells.Lo); pace > 0 {
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
