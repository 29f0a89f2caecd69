package emulated

import (
	"context"
	"sync"
	"time"
)

// engine is a part of a device that does one thing at a time: one launches, one copies to the device, one copies back. The three work beside
// each other.
type engine struct {
	turn chan struct{} // taken by the call that works
	free time.Time     // until when it is busy, on the described clock
	woke time.Time     // when the last call that it held went on
	line line
}

func newEngine() *engine { return &engine{turn: make(chan struct{}, 1)} }

// run does a piece of work, which says how long the described device takes for it, and holds the call until the pace, host
// seconds for each of the device's, has been kept. The work begins behind what the device does until then.
func (e *engine) run(ctx context.Context, pace float64, then time.Time, work func() (time.Duration, error)) error {
	queued := time.Now()
	select {
	case e.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-e.turn }()
	if err := e.begin(queued, pace, then, work); err != nil || pace <= 0 {
		return err
	}
	err := sleep(ctx, time.Until(e.free))
	e.woke = time.Now()
	return err
}

// put does a piece of work, and says until when the described device is busy with it.
func (e *engine) put(pace float64, then time.Time, work func() (time.Duration, error)) (time.Time, error) {
	queued := time.Now()
	e.turn <- struct{}{}
	defer func() { <-e.turn }()
	err := e.begin(queued, pace, then, work)
	e.woke = e.free
	return e.free, err
}

// begin does a piece of work on the described clock. What timers of the host are late is not lost: the next piece begins as long after the last one as
// it comes after the last call went on.
func (e *engine) begin(queued time.Time, pace float64, then time.Time, work func() (time.Duration, error)) error {
	took, err := work()
	if err != nil || pace <= 0 {
		return err
	}
	start := queued
	if !e.free.IsZero() {
		start = e.free.Add(max(0, queued.Sub(e.woke)))
	}
	if start.Before(then) {
		start = then
	}
	e.free = start.Add(time.Duration(pace * float64(took)))
	if now := time.Now(); now.After(e.free) { // the host is slower than the description
		e.free = now
	}
	return nil
}

// bus is a way to the host that several devices share: what one copies, others wait for.
type bus struct {
	rate float64 // bytes a second; 0: as many as there are

	mu   sync.Mutex
	free time.Time
}

// reserve takes the bus for some bytes, and says how long it is until they are over.
func (b *bus) reserve(n int, pace float64) time.Duration {
	if b.rate <= 0 || pace <= 0 {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if b.free.Before(now) {
		b.free = now
	}
	b.free = b.free.Add(seconds(pace * float64(n) / b.rate))
	return time.Duration(float64(b.free.Sub(now)) / pace)
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
