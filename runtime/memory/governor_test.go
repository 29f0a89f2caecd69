package memory

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Work that acquires, is cancelled, panics, releases twice and shrinks the budget never takes more than the budget, never
// stops, and leaves nothing behind.
func TestManyAtOnceStayWithinTheBudget(t *testing.T) {
	const workers, each, most = 64, 1600, 1000 // 102,400 operations
	var budget atomic.Int64
	budget.Store(most)
	g := NewVariable(budget.Load)
	var pinned atomic.Int64
	g.Pins(func(bytes int64) error {
		if pinned.Add(1)%3 == 0 {
			return errors.New("no more memory can be locked")
		}
		return nil
	})
	var used, over, denied, cancelled, refused atomic.Int64
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 7))
			for range each {
				func() {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					least := r.Int64N(most / 2)
					want := least + r.Int64N(most/2)
					if r.IntN(20) == 0 {
						want, least = 2*most, 2*most // never
					}
					if r.IntN(4) == 0 {
						soon := time.AfterFunc(time.Duration(r.IntN(50))*time.Microsecond, cancel)
						defer soon.Stop()
					}
					acquire := g.Acquire
					if r.IntN(2) == 0 {
						acquire = g.AcquirePinned
					}
					ticket, err := acquire(ctx, "test", want, least)
					switch {
					case errors.Is(err, ErrTooLarge):
						refused.Add(1)
						return
					case errors.Is(err, context.Canceled):
						cancelled.Add(1)
						return
					case err != nil:
						t.Error(err)
						return
					}
					defer func() { _ = recover() }()
					if r.IntN(10) == 0 {
						defer ticket.Release() // once more
					}
					defer ticket.Release()
					if ticket.Bytes < least || ticket.Bytes > want {
						t.Errorf("granted %d of %d..%d", ticket.Bytes, least, want)
					}
					if ticket.Kind == Pageable {
						denied.Add(1)
					}
					if used.Add(ticket.Bytes) > most {
						over.Add(1)
					}
					defer used.Add(-ticket.Bytes)
					if r.IntN(10) == 0 {
						panic("work that fails")
					}
				}()
			}
		})
	}
	wg.Wait()
	e := g.Events()
	if over.Load() > 0 || e.Peak > most {
		t.Errorf("%d times over the budget, peak %d of %d", over.Load(), e.Peak, most)
	}
	if err := g.Leaks(); err != nil || g.Granted() != 0 {
		t.Errorf("%d bytes left: %v", g.Granted(), err)
	}
	if e.Granted == 0 || e.Partial == 0 || e.Denied == 0 || e.Waited == 0 || cancelled.Load() == 0 || refused.Load() == 0 {
		t.Errorf("not all was tried: %+v, %d cancelled, %d refused", e, cancelled.Load(), refused.Load())
	}
}

func TestLargeRequestsAreServedInTurn(t *testing.T) {
	g := NewGovernor(100)
	first, err := g.Acquire(t.Context(), "first", 60, 60)
	if err != nil {
		t.Fatal(err)
	}
	order := make(chan string, 3)
	var wg sync.WaitGroup
	ask := func(name string, bytes int64) {
		before := g.Events().Waited
		wg.Go(func() {
			ticket, err := g.Acquire(t.Context(), name, bytes, bytes)
			if err != nil {
				t.Error(err)
				return
			}
			order <- name
			ticket.Release()
		})
		for g.Events().Waited == before {
			time.Sleep(time.Millisecond)
		}
	}
	ask("large", 90)
	ask("small", 20) // would fit now, but came later
	if g.Granted() != 60 {
		t.Errorf("%d bytes granted while the large request waits", g.Granted())
	}
	first.Release()
	wg.Wait()
	if a, b := <-order, <-order; a != "large" || b != "small" {
		t.Errorf("served %s, then %s", a, b)
	}
}

func TestShrinkingBudgetsGrantNothingMore(t *testing.T) {
	budget := int64(100)
	g := NewVariable(func() int64 { return budget })
	a, err := g.Acquire(t.Context(), "a", 80, 80)
	if err != nil {
		t.Fatal(err)
	}
	budget = 50
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	if _, err := g.Acquire(ctx, "b", 10, 10); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("granted beyond a budget that shrank: %v", err)
	}
	a.Release()
	b, err := g.Acquire(t.Context(), "b", 80, 10)
	if err != nil || b.Bytes != 50 {
		t.Errorf("%+v, %v", b, err)
	}
	if g.Leaks() == nil {
		t.Error("the open ticket is not named")
	}
	b.Release()
	b.Release()
	if g.Granted() != 0 {
		t.Errorf("%d bytes left", g.Granted())
	}
	var none *Ticket
	none.Release()
}

// Pinned memory that is only tried for is granted at once or not at all.
func TestPinnedMemoryIsTriedFor(t *testing.T) {
	g := NewGovernor(100)
	first := g.TryPinned("a", 60)
	if first == nil || first.Kind != Pinned || g.TryPinned("b", 50) != nil || g.TryPinned("b", -1) != nil {
		t.Fatalf("first %+v, %+v", first, g.Events())
	}
	ctx, cancel := context.WithCancel(t.Context())
	var waiter sync.WaitGroup
	waiter.Go(func() {
		if got, err := g.Acquire(ctx, "waits", 90, 90); err == nil {
			got.Release()
		}
	})
	for g.Events().Waited == 0 {
		time.Sleep(time.Millisecond)
	}
	if g.TryPinned("c", 10) != nil {
		t.Error("granted ahead of one that waits")
	}
	cancel()
	waiter.Wait()
	first.Release()
	g.Pins(func(int64) error { return errors.New("no more memory can be locked") })
	if g.TryPinned("d", 10) != nil {
		t.Error("granted what cannot be pinned")
	}
	if e := g.Events(); e.Granted != 1 || e.Denied != 4 || e.Peak != 60 || g.Granted() != 0 || g.Leaks() != nil {
		t.Errorf("%+v, %d granted, %v", e, g.Granted(), g.Leaks())
	}
}
