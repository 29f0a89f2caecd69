package exec

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"

	"weft/kernels/region"
)

func (p *Hands) waiting() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.idle)
}

// Threads that wait for work take it, come back before who waits for them goes on, and leave when nothing comes, also where no clock goes on meanwhile.
func TestHandsServeAndLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, served := new(Hands), false
		var waiter sync.WaitGroup
		h := &hand{of: p}
		p.idle = append(p.idle, h)
		p.begin(&waiter, func() { served = true })
		if h.work.Load() == nil || p.waiting() != 0 {
			t.Fatal("a hand that waits was given nothing")
		}
		go h.serve()
		waiter.Wait()
		if !served {
			t.Fatal("nobody did the work")
		}
		synctest.Wait()
		if n := p.waiting(); n > 0 {
			t.Errorf("%d hands without work stay", n)
		}
	})
}

// A sweep takes threads that are awake, and no more than it may have.
func TestSweepsOfMany(t *testing.T) {
	p := new(Hands)
	for range 200 {
		var sum sync.Map
		p.Rouse(3)
		s := newSweep(4, func(tile region.Region) error {
			sum.Store(tile[0].Lo, true)
			return nil
		})
		s.Hands = p
		if err := s.Run(context.Background(), tilesOf(9)); err != nil {
			t.Fatal(err)
		}
		for i := range 9 {
			if _, ok := sum.Load(i); !ok {
				t.Fatalf("tile %d was left out", i)
			}
		}
	}
	if n := p.waiting(); n > 6 {
		t.Errorf("%d hands wait for three tiles at once", n)
	}
}
