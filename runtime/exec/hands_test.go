package exec

import (
	"context"
	"sync"
	"testing"
	"time"

	"weft/kernels/region"
)

func idleHands() int {
	idle.Lock()
	defer idle.Unlock()
	return len(idle.hands)
}

// Threads that wait for work take it, come back before who waits for them goes on, and leave when nothing comes.
func TestHandsServeAndLeave(t *testing.T) {
	gone(t) // those of other tests
	served := false
	var waiter sync.WaitGroup
	h := new(hand)
	idle.Lock()
	idle.hands = append(idle.hands, h)
	idle.Unlock()
	begin(&waiter, func() { served = true })
	if h.work.Load() == nil || idleHands() != 0 {
		t.Fatal("a hand that waits was given nothing")
	}
	go h.serve()
	waiter.Wait()
	if !served {
		t.Fatal("nobody did the work")
	}
	gone(t)
}

// gone waits until no hand waits.
func gone(t *testing.T) {
	for end := time.Now().Add(10 * time.Second); idleHands() > 0; time.Sleep(patience) {
		if time.Now().After(end) {
			t.Fatal("a hand without work stays")
		}
	}
}

// A sweep takes threads that are awake, and no more than it may have.
func TestSweepsOfMany(t *testing.T) {
	for range 200 {
		var sum sync.Map
		Rouse(3)
		s := newSweep(4, func(tile region.Region) error {
			sum.Store(tile[0].Lo, true)
			return nil
		})
		if err := s.Run(context.Background(), tilesOf(9)); err != nil {
			t.Fatal(err)
		}
		for i := range 9 {
			if _, ok := sum.Load(i); !ok {
				t.Fatalf("tile %d was left out", i)
			}
		}
	}
	if n := idleHands(); n > 6 {
		t.Errorf("%d hands wait for three tiles at once", n)
	}
}
