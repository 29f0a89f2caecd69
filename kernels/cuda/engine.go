//go:build cuda

package cuda

import (
	"context"
	"fmt"
	"sync"
	"time"

	"gorgonia.org/cu"
)

// engine is one of the three things a GPU does side by side: copying in, computing, copying out. Each has a stream, on which
// its work goes one piece after the other.
type engine struct {
	stream cu.Stream
	mu     sync.Mutex // held while a piece of work is put on the stream
	timers chan timer // free ones
}

// timer is a pair of events around a piece of work.
type timer struct{ start, stop cu.Event }

// pieces is how much work may wait on an engine at a time: more than a run has launches and copies under way.
const pieces = 16

func newEngine() (*engine, error) {
	stream, err := cu.MakeStream(cu.NonBlocking)
	if err != nil {
		return nil, fmt.Errorf("making a stream: %w", err)
	}
	e := &engine{stream: stream, timers: make(chan timer, pieces)}
	for range pieces {
		var t timer
		for _, to := range []*cu.Event{&t.start, &t.stop} {
			if *to, err = cu.MakeEvent(cu.BlockingSyncEvent); err != nil {
				return nil, fmt.Errorf("making an event: %w", err)
			}
		}
		e.timers <- t
	}
	return e, nil
}

// timed puts work on an engine, waits for it and returns how long it took on the device. A context that ends before
// the work starts prevents it.
func (d *Device) timed(ctx context.Context, e *engine, work func(cu.Stream) error) (took time.Duration, err error) {
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case t := <-e.timers:
		defer func() { e.timers <- t }()
		err = d.with(func() error {
			if err := e.put(t, work); err != nil {
				return err
			}
			if err := t.stop.Synchronize(); err != nil {
				return err
			}
			ms, err := t.start.Elapsed(t.stop)
			took = time.Duration(ms * float64(time.Millisecond))
			return err
		})
		return took, err
	}
}

// put records events right before and after the work, with no other between.
func (e *engine) put(t timer, work func(cu.Stream) error) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := t.start.Record(e.stream); err != nil {
		return err
	}
	if err := work(e.stream); err != nil {
		return err
	}
	return t.stop.Record(e.stream)
}
