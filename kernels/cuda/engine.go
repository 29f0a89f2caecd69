//go:build cuda

package cuda

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"gorgonia.org/cu"

	"weft/kernels/device"
)

// engine is one of the three things a GPU does side by side: copying in, computing, copying out. Each has a stream, on which
// its work goes one piece after the other.
type engine struct {
	stream cu.Stream
	mu     sync.Mutex  // held while a piece of work is put on the stream
	gone   atomic.Bool // with the context that it was made in

	spare  sync.Mutex
	timers []timer // that no piece has
}

// timer is a pair of events around a piece of work.
type timer struct{ start, stop cu.Event }

func newEngine() (*engine, error) {
	stream, err := cu.MakeStream(cu.NonBlocking)
	if err != nil {
		return nil, fmt.Errorf("making a stream: %w", err)
	}
	return &engine{stream: stream}, nil
}

// timer is one that no piece has; called in the device's context.
func (e *engine) timer() (t timer, err error) {
	e.spare.Lock()
	defer e.spare.Unlock()
	if n := len(e.timers); n > 0 {
		t = e.timers[n-1]
		e.timers = e.timers[:n-1]
		return t, nil
	}
	for _, to := range []*cu.Event{&t.start, &t.stop} {
		if *to, err = cu.MakeEvent(cu.BlockingSyncEvent); err != nil {
			return t, fmt.Errorf("making an event: %w", err)
		}
	}
	return t, nil
}

func (e *engine) giveBack(t timer) {
	e.spare.Lock()
	defer e.spare.Unlock()
	e.timers = append(e.timers, t)
}

// piece is work that was put on an engine.
type piece struct {
	dev  *Device
	on   *engine
	done func(*device.Usage, time.Duration) // counts it; nil: it does not count

	mu   sync.Mutex
	at   timer
	over bool // the host knows that it is
	took time.Duration
	err  error
}

// begin puts work on an engine, behind pieces on others, and does not wait for it. A context that ends before prevents it.
func (d *Device) begin(ctx context.Context, e *engine, after []*piece, work func(cu.Stream) error) (*piece, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p := &piece{dev: d, on: e}
	err := d.with(func() (err error) {
		d.reap()
		if p.at, err = e.timer(); err != nil {
			return err
		}
		if err = e.put(p.at, after, work); err != nil {
			e.giveBack(p.at)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// put records events right before and after the work, with no other between.
func (e *engine) put(t timer, after []*piece, work func(cu.Stream) error) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, p := range after {
		if err := p.before(e); err != nil {
			return err
		}
	}
	if err := t.start.Record(e.stream); err != nil {
		return err
	}
	if err := work(e.stream); err != nil {
		return err
	}
	return t.stop.Record(e.stream)
}

// before has an engine wait for a piece of another.
func (p *piece) before(e *engine) error {
	if p == nil || p.on == e {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over || p.on.gone.Load() {
		return nil
	}
	return e.stream.Wait(p.at.stop, 0)
}

// spin is how long the host asks again and again whether a piece is over before it sleeps: waking up takes as long as short pieces do.
const spin = 100 * time.Microsecond

// Wait returns when the piece is over, and how long it took on the device.
func (p *piece) Wait() (time.Duration, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.over && p.on.gone.Load() {
		p.over, p.err = true, fmt.Errorf("%w: its context is no more", device.ErrLost)
	}
	if p.over {
		return p.took, p.err
	}
	waited := false
	p.err = p.dev.with(func() error {
		err := p.at.stop.Query()
		for start := time.Now(); errors.Is(err, cu.NotReady) && time.Since(start) < spin; err = p.at.stop.Query() {
			waited = true
			runtime.Gosched()
		}
		if errors.Is(err, cu.NotReady) {
			err = p.at.stop.Synchronize()
		}
		return err
	})
	p.finish(waited)
	return p.took, p.err
}

// finish takes in what became of a piece that is over; of who has its lock.
func (p *piece) finish(waited bool) {
	p.over = true
	if p.err == nil {
		p.err = p.dev.with(func() error {
			ms, err := p.at.start.Elapsed(p.at.stop)
			p.took = time.Duration(ms * float64(time.Millisecond))
			return err
		})
	}
	p.on.giveBack(p.at)
	if p.done == nil {
		return
	}
	p.dev.account(func(u *device.Usage) {
		if waited {
			u.Waits++
		}
		if p.err == nil {
			p.done(u, p.took)
		}
	})
}

// leave is for a piece that nobody waits for: what became of it shows in what comes after.
func (d *Device) leave(p *piece) {
	d.leaving.Lock()
	defer d.leaving.Unlock()
	d.left = append(d.left, p)
}

// reap takes events back from pieces that nobody waits for; called in the device's context.
func (d *Device) reap() {
	d.leaving.Lock()
	defer d.leaving.Unlock()
	d.left = slices.DeleteFunc(d.left, func(p *piece) bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.at.stop.Query() != nil {
			return false
		}
		p.over = true
		p.on.giveBack(p.at)
		return true
	})
}
