package emulated

import (
	"context"
	"sync"
	"time"

	"weft/kernels/cuda/launch"
	"weft/kernels/device"
	"weft/kernels/region"
)

// queued is a launch or a copy in line. It has run by the time it is there; what became of it, and that it is over, is known to who waits.
type queued struct {
	dev    *Device
	on     *engine
	number int       // in line
	end    time.Time // on the described clock
	took   time.Duration
	err    error
	done   func(took time.Duration) // counts it
	count  sync.Once
}

// line is how many pieces of work were put in line, and how many of the first the host knows to be over.
type line struct {
	mu           sync.Mutex
	there, known int
}

// enqueue launches without holding the call. What fails is told by Wait, as a GPU does it.
func (p *program) enqueue(bound *launch.Bound, l launch.Launch, t region.Region) (device.Pending, error) {
	q := p.dev.put(onLaunch, time.Time{}, p.dev.meter.launched, func() (time.Duration, error) { return p.perform(bound, l, t) })
	for _, m := range bound.Memories() {
		m.(*memory).last.Store(q)
	}
	return q, nil
}

// put does a piece of work in line.
func (d *Device) put(on string, then time.Time, done func(time.Duration), work func() (time.Duration, error)) *queued {
	q := &queued{dev: d, on: d.engines[on], done: done}
	q.end, q.err = q.on.put(d.description.Pace, then, func() (took time.Duration, err error) {
		q.number = q.on.line.next()
		q.took, err = work()
		return q.took, err
	})
	return q
}

// ends is when a piece is over; of none, some time ago.
func (q *queued) ends() (at time.Time) {
	if q != nil {
		at = q.end
	}
	return at
}

// Wait holds the call until the piece is over, if that is not known yet.
func (q *queued) Wait() (time.Duration, error) {
	d := q.dev.description
	if q.knows() {
		q.dev.meter.waited()
		if d.Pace > 0 {
			_ = sleep(context.Background(), time.Until(q.end)+time.Duration(d.Pace*float64(d.Sync))) // which no context ends
		}
	}
	q.count.Do(func() {
		if q.err == nil {
			q.done(q.took)
		}
	})
	return q.took, q.err
}

// next is the number of one more.
func (l *line) next() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.there++
	return l.there
}

// knows notes that a piece is over, and those before it; it reports whether that is new.
func (q *queued) knows() bool {
	if q == nil {
		return false
	}
	l := &q.on.line
	l.mu.Lock()
	defer l.mu.Unlock()
	isNew := q.number > l.known
	l.known = max(l.known, q.number)
	return isNew
}
