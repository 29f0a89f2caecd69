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
	open            map[*Ticket]struct{}
}

// Ticket is the right to use some bytes, until Release.
type Ticket struct {
	bytes    int64
	owner    string
	governor *Governor
}

// NewGovernor keeps to a budget in bytes.
func NewGovernor(budget int64) *Governor {
	return &Governor{budget: budget, open: map[*Ticket]struct{}{}}
}

// Acquire grants memory, or says that there is no room for it. owner names who asks, for reports.
func (g *Governor) Acquire(owner string, bytes int64) (*Ticket, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if left := g.budget - g.granted; bytes < 0 || bytes > left {
		return nil, fmt.Errorf("memory: %s needs %d bytes, the budget has %d: %w", owner, bytes, left, ErrTooLarge)
	}
	t := &Ticket{bytes: bytes, owner: owner, governor: g}
	g.granted += bytes
	g.open[t] = struct{}{}
	return t, nil
}

// Release gives the memory back. Later calls do nothing, nor does one on a nil ticket.
func (t *Ticket) Release() {
	if t == nil {
		return
	}
	g := t.governor
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, ok := g.open[t]; ok {
		delete(g.open, t)
		g.granted -= t.bytes
	}
}

// Leaks names the tickets that were never released.
func (g *Governor) Leaks() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	var all []error
	for t := range g.open {
		all = append(all, fmt.Errorf("memory: %s never released %d bytes", t.owner, t.bytes))
	}
	return errors.Join(all...)
}
