// Package memory keeps runs within their budgets: a governor that hands out tickets, the budget a machine allows, and memory
// of which only a moving part is there.
package memory

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"sync"
)

// Kind of memory.
type Kind string

// Kinds. Pinned memory cannot be moved by the system, which devices need to copy at full speed; a refused ticket for it is
// granted as pageable memory, which is slower and never wrong.
const (
	Pageable Kind = "pageable"
	Pinned   Kind = "pinned"
)

// ErrTooLarge is a request beyond the whole budget: waiting would not help.
var ErrTooLarge = errors.New("larger than the whole budget")

// Governor hands out tickets for memory, never for more than its budget together. Requests are served in the order in which
// they come, so that large ones do not starve. Whoever works takes all it needs in one ticket: one that waits while it
// holds another could wait for ever.
type Governor struct {
	mu      sync.Mutex
	budget  func() int64
	granted int64
	open    map[*Ticket]struct{}
	waiting list.List // of *request
	events  Events
	pin     func(bytes int64) error // nil: all may be pinned
}

// Events count what the governor did.
type Events struct {
	Granted int64 // tickets
	Partial int64 // of them, with fewer bytes than asked for
	Denied  int64 // requests for pinned memory that became pageable
	Waited  int64 // requests that had to wait
	Peak    int64 // most bytes granted at once
}

// Ticket is the right to use some bytes, until Release.
type Ticket struct {
	Bytes int64
	Kind  Kind
	Owner string

	governor *Governor
	once     sync.Once
}

type request struct {
	bytes, least int64
	owner        string
	ready        chan *Ticket
}

// NewGovernor keeps to a budget in bytes.
func NewGovernor(budget int64) *Governor {
	return NewVariable(func() int64 { return budget })
}

// NewVariable keeps to a budget that is asked for at each request: what the system has left may change. When it shrinks below
// what is granted, nothing is granted until enough is released.
func NewVariable(budget func() int64) *Governor {
	return &Governor{budget: budget, open: map[*Ticket]struct{}{}}
}

// Pins makes Acquire of pinned memory go by a function that pins so many bytes or says why it cannot.
func (g *Governor) Pins(pin func(bytes int64) error) { g.pin = pin }

// Acquire waits for memory: bytes, or as much as there is from least on. owner names who asks, for reports.
func (g *Governor) Acquire(ctx context.Context, owner string, bytes, least int64) (*Ticket, error) {
	return g.acquire(ctx, Pageable, owner, bytes, least)
}

// AcquirePinned is Acquire of pinned memory. The ticket is of kind Pageable where it cannot be pinned.
func (g *Governor) AcquirePinned(ctx context.Context, owner string, bytes, least int64) (*Ticket, error) {
	return g.acquire(ctx, Pinned, owner, bytes, least)
}

// TryPinned grants pinned memory at once, or nil where the budget has no room for it now, others wait in line, or it cannot be
// pinned.
func (g *Governor) TryPinned(owner string, bytes int64) *Ticket {
	g.mu.Lock()
	defer g.mu.Unlock()
	if bytes < 0 || g.waiting.Len() > 0 || g.granted+bytes > g.budget() || g.pin != nil && g.pin(bytes) != nil {
		g.events.Denied++
		return nil
	}
	t := &Ticket{Bytes: bytes, Kind: Pinned, Owner: owner, governor: g}
	g.granted += bytes
	g.open[t] = struct{}{}
	g.events.Granted++
	g.events.Peak = max(g.events.Peak, g.granted)
	return t
}

func (g *Governor) acquire(ctx context.Context, kind Kind, owner string, bytes, least int64) (*Ticket, error) {
	if least < 0 || bytes < least {
		return nil, fmt.Errorf("memory: %s asks for %d bytes, at least %d", owner, bytes, least)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t, err := g.reserve(ctx, owner, bytes, least)
	if err != nil {
		return nil, err
	}
	t.Kind = Pageable
	if kind == Pinned {
		if g.pin == nil || g.pin(t.Bytes) == nil {
			t.Kind = Pinned
		} else {
			g.mu.Lock()
			g.events.Denied++
			g.mu.Unlock()
		}
	}
	return t, nil
}

// reserve grants at once or waits in line.
func (g *Governor) reserve(ctx context.Context, owner string, bytes, least int64) (*Ticket, error) {
	g.mu.Lock()
	if budget := g.budget(); least > budget {
		g.mu.Unlock()
		return nil, fmt.Errorf("memory: %s needs %d bytes, the budget is %d: %w", owner, least, budget, ErrTooLarge)
	}
	r := &request{bytes: bytes, least: least, owner: owner, ready: make(chan *Ticket, 1)}
	at := g.waiting.PushBack(r)
	g.serve()
	select {
	case t := <-r.ready:
		g.mu.Unlock()
		return t, nil
	default:
	}
	g.events.Waited++
	g.mu.Unlock()
	select {
	case t := <-r.ready:
		return t, nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case t := <-r.ready: // granted just now: hand it back
		g.release(t)
	default:
		g.waiting.Remove(at)
		g.serve() // the next in line may fit
	}
	return nil, ctx.Err()
}

// serve grants what fits to the first in line. The lock is held.
func (g *Governor) serve() {
	for front := g.waiting.Front(); front != nil; front = g.waiting.Front() {
		r := front.Value.(*request)
		free := g.budget() - g.granted
		if free < r.least || free <= 0 && r.least > 0 {
			return
		}
		t := &Ticket{Bytes: max(r.least, min(r.bytes, free)), Owner: r.owner, governor: g}
		g.granted += t.Bytes
		g.open[t] = struct{}{}
		g.events.Granted++
		if t.Bytes < r.bytes {
			g.events.Partial++
		}
		g.events.Peak = max(g.events.Peak, g.granted)
		g.waiting.Remove(front)
		r.ready <- t
	}
}

// Release gives the memory back. Later calls do nothing, nor does one on a nil ticket.
func (t *Ticket) Release() {
	if t == nil {
		return
	}
	t.once.Do(func() {
		t.governor.mu.Lock()
		defer t.governor.mu.Unlock()
		t.governor.release(t)
	})
}

func (g *Governor) release(t *Ticket) {
	if _, ok := g.open[t]; !ok {
		return
	}
	delete(g.open, t)
	g.granted -= t.Bytes
	g.serve()
}

// Granted is the bytes of all open tickets.
func (g *Governor) Granted() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.granted
}

// Events so far.
func (g *Governor) Events() Events {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.events
}

// Leaks names the tickets that were never released.
func (g *Governor) Leaks() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	var all []error
	for t := range g.open {
		all = append(all, fmt.Errorf("memory: %s never released %d bytes", t.Owner, t.Bytes))
	}
	return errors.Join(all...)
}
