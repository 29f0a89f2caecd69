package memory

import (
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Work that acquires, panics and releases twice never takes more than the budget, and leaves nothing behind.
func TestManyAtOnceStayWithinTheBudget(t *testing.T) {
	const most = 1000
	g := NewGovernor(most)
	var used, refused, granted atomic.Int64
	var group sync.WaitGroup
	for w := range 64 {
		group.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 7))
			for range 1600 {
				func() {
					bytes := r.Int64N(most)
					ticket, err := g.Acquire("test", bytes)
					if err != nil {
						refused.Add(1)
						if !errors.Is(err, ErrTooLarge) {
							t.Error(err)
						}
						return
					}
					granted.Add(1)
					if used.Add(bytes) > most {
						t.Error("more is used than the budget has")
					}
					defer func() {
						_ = recover()
						used.Add(-bytes)
						ticket.Release()
						ticket.Release()
					}()
					if r.IntN(50) == 0 {
						panic("work fails")
					}
				}()
			}
		})
	}
	group.Wait()
	if g.Granted() != 0 || granted.Load() == 0 || refused.Load()+granted.Load() != 64*1600 {
		t.Errorf("%d left; %d granted, %d refused", g.Granted(), granted.Load(), refused.Load())
	}
	all, err := g.Acquire("all", most)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Acquire("one more", 1); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	if g.Granted() != most {
		t.Error(g.Granted())
	}
	all.Release()
	(*Ticket)(nil).Release()
}

func TestTicketsGrowWithinTheBudget(t *testing.T) {
	g := NewGovernor(100)
	a, err := g.Acquire("a", 60)
	if err != nil {
		t.Fatal(err)
	}
	if needs, err := a.Grow(40); err != nil || needs != 100 {
		t.Errorf("40 more: %d are needed, %v", needs, err)
	}
	if needs, err := a.Grow(1); !errors.Is(err, ErrTooLarge) || needs != 101 || g.Granted() != 100 {
		t.Errorf("1 more than there are: %d are needed, %v; %d granted", needs, err, g.Granted())
	}
	if _, err := a.Grow(-30); err != nil || g.Granted() != 70 {
		t.Errorf("given back: %d granted, %v", g.Granted(), err)
	}
	if a.Release(); g.Granted() != 0 {
		t.Errorf("%d left", g.Granted())
	}
	if _, err := (*Ticket)(nil).Grow(1 << 40); err != nil {
		t.Error(err)
	}
}
