// Package memory keeps runs within their budgets: a governor that hands out tickets, the budget a machine allows, and memory
// of which only a moving part is there.
package memory

import (
	"errors"
	"fmt"
	"sync"
)

// ErrTooLarge is a request beyond what is left of a budget.
var ErrTooLarge = errors.New("larger than the budget")

// Governor hands out tickets for memory, never for more than its budget together.
type Governor struct {
	mu              sync.Mutex
	budget, granted int64
}

// Ticket is the right to use some bytes, until Release.
type Ticket struct {
	bytes    int64
	governor *Governor
}

// NewGovernor keeps to a budget in bytes.
func NewGovernor(budget int64) *Governor { return &Governor{budget: budget} }

// Budget is what it keeps to.
func (g *Governor) Budget() int64 { return g.budget }

// Acquire grants memory, or says that there is no room for it. owner names who asks.
func (g *Governor) Acquire(owner string, bytes int64) (*Ticket, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if left := g.budget - g.granted; bytes < 0 || bytes > left {
		return nil, fmt.Errorf("memory: %s needs %d bytes, the budget has %d: %w", owner, bytes, left, ErrTooLarge)
	}
	g.granted += bytes
	return &Ticket{bytes, g}, nil
}

// Grow adds to what a ticket grants, or gives some of it back, where bytes is negative. needs is what all tickets grant with that, beyond the
// budget where there is an error. A nil ticket grants anything.
func (t *Ticket) Grow(bytes int64) (needs int64, err error) {
	if t == nil {
		return 0, nil
	}
	g := t.governor
	g.mu.Lock()
	defer g.mu.Unlock()
	if needs = g.granted + bytes; needs > g.budget {
		return needs, ErrTooLarge
	}
	g.granted, t.bytes = needs, t.bytes+bytes
	return needs, nil
}

// Release gives the memory back. Later calls do nothing, nor does one on a nil ticket.
func (t *Ticket) Release() {
	if t == nil {
		return
	}
	t.governor.mu.Lock()
	defer t.governor.mu.Unlock()
	t.governor.granted -= t.bytes
	t.bytes = 0
}

// Granted is what is not released.
func (g *Governor) Granted() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.granted
}
