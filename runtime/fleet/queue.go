package fleet

import (
	"fmt"
	"math"
	"slices"

	"weft/kernels/device"
	"weft/ops"
)

// piece is a range of rows with the tiles to launch for it.
type piece struct {
	rows  ops.Interval
	tiles []device.Tile
}

// queue is the rows of a job that nobody has taken yet.
type queue struct {
	job     *Job
	rest    rowSet  // that are not cut yet
	cut     []piece // ranges that were given, or came back
	total   int
	refusal Failure // of a device that could not take part
}

func newQueue(j *Job) queue {
	q := queue{job: j, total: max(1, j.Rows.Hi-j.Rows.Lo)}
	switch {
	case j.Joins:
		q.cut = []piece{j.piece(j.Rows)}
	case j.Cuts != nil:
		for _, tiles := range j.Cuts {
			q.cut = append(q.cut, piece{ops.Interval{Lo: tiles[0][0].Lo, Hi: tiles[0][0].Hi}, tiles})
		}
	default:
		q.rest = q.rest.with(j.Rows)
	}
	return q
}

// piece is a range with one tile.
func (j *Job) piece(rows ops.Interval) piece {
	t := device.Whole(j.Kernel)
	if len(t) > 0 {
		t[0] = device.Range{Lo: rows.Lo, Hi: rows.Hi}
	}
	return piece{rows, []device.Tile{t}}
}

// split cuts a range before a row.
func (p piece) split(at int) (first, second piece) {
	first.rows, second.rows = ops.Interval{Lo: p.rows.Lo, Hi: at}, ops.Interval{Lo: at, Hi: p.rows.Hi}
	for _, t := range p.tiles {
		a, b := append(device.Tile(nil), t...), append(device.Tile(nil), t...)
		a[0].Hi, b[0].Lo = at, at
		first.tiles, second.tiles = append(first.tiles, a), append(second.tiles, b)
	}
	return first, second
}

// left is the rows that nobody has taken.
func (q *queue) left() (n int) {
	for _, r := range q.rest {
		n += r.Hi - r.Lo
	}
	for _, p := range q.cut {
		n += p.rows.Hi - p.rows.Lo
	}
	return n
}

// first is a range to take, of about n rows: one of which the device has the inputs, else one that no other device has, else the end
// of what others have, who take theirs from the start.
func (q *queue) first(n int, home, others rowSet) piece {
	if len(q.cut) > 0 {
		return q.cut[q.firstCut(home, others)]
	}
	for _, r := range q.rest {
		for _, h := range home {
			if o := overlap(r, h); !empty(o) {
				return q.job.piece(ops.Interval{Lo: o.Lo, Hi: min(o.Hi, o.Lo+n)})
			}
		}
	}
	free := q.rest
	for _, o := range others {
		free = free.without(o)
	}
	if len(free) > 0 {
		return q.job.piece(ops.Interval{Lo: free[0].Lo, Hi: min(free[0].Hi, free[0].Lo+n)})
	}
	end := q.rest[len(q.rest)-1]
	return q.job.piece(ops.Interval{Lo: max(end.Lo, end.Hi-n), Hi: end.Hi})
}

// firstCut is first among ranges that are cut.
func (q *queue) firstCut(home, others rowSet) int {
	if len(home) > 0 {
		if i := slices.IndexFunc(q.cut, func(p piece) bool { return home.holds(p.rows) }); i >= 0 {
			return i
		}
	}
	return max(0, slices.IndexFunc(q.cut, func(p piece) bool { return !others.holds(p.rows) }))
}

// remove takes rows at the start of a range that first gave out of the queue.
func (q *queue) remove(from piece, rows ops.Interval) piece {
	at := slices.IndexFunc(q.cut, func(p piece) bool { return p.rows.Lo == from.rows.Lo })
	if at < 0 {
		q.rest = q.rest.without(rows)
		return q.job.piece(rows)
	}
	p := q.cut[at]
	q.cut = slices.Delete(q.cut, at, at+1)
	if rows.Hi < p.rows.Hi {
		var rest piece
		p, rest = p.split(rows.Hi)
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
	blindPart = 64     // of the rows, where no speed is known
	probes    = 64     // first ranges of a device, of which nothing is measured yet, are no more than this part of its equal share
	patience  = 1.25   // times what the other devices need for all that is left, within which a device must be done with a range
)

// rates are the rows a second of the devices that still work, in units that are seconds only where known says so.
func (s *sharing) rates() (of map[*crew]float64, sum float64, known bool) {
	scale, n := 0.0, 0
	for _, c := range s.crews {
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
		for _, c := range s.crews {
			weights += c.weight
		}
		scale = float64(s.queue.total) / s.job.Seconds / weights
	default:
		scale = 1
	}
	of = map[*crew]float64{}
	for _, c := range s.crews {
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

// size is how many rows a device takes next.
func (s *sharing) size(c *crew) int {
	rates, sum, known := s.rates()
	left, step := float64(s.queue.left()), c.store.step()
	share := left * rates[c] / sum / slots
	least := min(float64(s.queue.total)/blindPart, share)
	if known {
		r := c.m.rates
		least = rates[c] * max(shortest, overhead*(r.Launch+2*r.LinkLatency))
	}
	n := share / rounds
	if c.pace == 0 && len(rates) > 1 { // what was predicted may be far off
		if n = min(n, float64(s.queue.total)/probes/float64(len(rates))); !known {
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

// hesitates reports a device that had better leave the next rows to the others, who would be done with all that is left before it. The
// fastest never does.
func (s *sharing) hesitates(c *crew, rows int) bool {
	rates, sum, _ := s.rates()
	fastest := 0.0
	for other, r := range rates {
		if other != c {
			fastest = max(fastest, r)
		}
	}
	if fastest <= rates[c] {
		return false
	}
	return float64(rows)/rates[c] > patience*max(float64(s.queue.left())/(sum-rates[c]), float64(rows)/fastest)
}

// take gives a device its next range; ok is false when there is nothing left for it. It waits while ranges may come back.
func (s *sharing) take(c *crew) (p piece, ok bool) {
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
		want := s.peek(c)
		if s.hesitates(c, want.rows.Hi-want.rows.Lo) {
			s.change.Wait()
			continue
		}
		rows, fits := c.store.fit(want.rows)
		if !fits {
			c.out = fmt.Sprintf("%s: %d rows take %d bytes, %s has %d left", device.ErrMemory, rows.Hi-rows.Lo, c.store.bytes(rows), c.m.name, c.store.space.avail)
			s.change.Broadcast()
			return p, false
		}
		s.open++
		return s.queue.remove(want, rows), true
	}
	return p, false
}

// peek is the range a device would take next.
func (s *sharing) peek(c *crew) piece {
	var others rowSet
	for _, o := range s.crews {
		if o != c && o.out == "" && o.m.out() == "" {
			for _, h := range o.home {
				others = others.with(h)
			}
		}
	}
	p := s.queue.first(s.size(c), c.home, others)
	if n := p.rows.Hi - p.rows.Lo; c.most > 0 && n > c.most {
		p, _ = p.split(p.rows.Lo + c.most)
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
func (s *sharing) closeRange() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open--
	s.change.Broadcast()
}

// finished counts a range for a device and learns its pace.
func (s *sharing) finished(c *crew, p piece, t timings) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows := p.rows.Hi - p.rows.Lo
	c.share.Ranges++
	c.share.Rows += rows
	if pace := t.slowest() / float64(rows); pace > 0 {
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
