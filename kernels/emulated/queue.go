package emulated

import (
	"context"
	"sync"
	"time"

	"weft/kernels/cuda/launch"
	"weft/kernels/device"
	"weft/kernels/region"
)

// queued is a launch in line. It has run by the time it is there; what became of it, and that it is over, is known to who waits.
type queued struct {
	dev    *Device
	number int       // in line
	end    time.Time // on the described clock
	took   time.Duration
	err    error
	count  sync.Once
}

// line is how many launches were put in line, and how many of the first the host knows to be over.
type line struct {
	mu           sync.Mutex
	there, known int
}

// enqueue launches without holding the call. What fails is told by Wait, as a GPU does it.
func (p *program) enqueue(bound *launch.Bound, l launch.Launch, t region.Region) (device.Pending, error) {
	q := &queued{dev: p.dev}
	q.end, q.err = p.dev.engines[onLaunch].put(p.dev.description.Pace, time.Time{}, func() (took time.Duration, err error) {
		q.number = p.dev.line.next()
		q.took, err = p.perform(bound, l, t)
		return q.took, err
	})
	for _, m := range bound.Memories() {
		m.(*memory).last.Store(q)
	}
	return q, nil
}

// ends is when a launch is over; of none, some time ago.
func (q *queued) ends() (at time.Time) {
	if q != nil {
		at = q.end
	}
	return at
}

// Wait holds the call until the launch is over, if that is not known yet.
func (q *queued) Wait() (time.Duration, error) {
	d := q.dev.description
	if q.dev.line.knows(q) {
		q.dev.meter.waited()
		if d.Pace > 0 {
			_ = sleep(context.Background(), time.Until(q.end)+time.Duration(d.Pace*float64(d.Sync))) // which no context ends
		}
	}
	q.count.Do(func() {
		if q.err == nil {
			q.dev.meter.launched(q.took)
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

// knows notes that a launch is over, and those before it; it reports whether that is new.
func (l *line) knows(q *queued) bool {
	if q == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	isNew := q.number > l.known
	l.known = max(l.known, q.number)
	return isNew
}
