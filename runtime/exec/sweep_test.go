package exec

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"weft/kernels/region"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tilesOf are n tiles of one point each.
func tilesOf(n int) []region.Region {
	out := make([]region.Region, n)
	for i := range out {
		out[i] = region.Region{{Lo: i, Hi: i + 1}}
	}
	return out
}

// ledger counts how often each tile was launched.
type ledger struct {
	mu    sync.Mutex
	count map[int]int
}

func (l *ledger) add(t region.Region) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count[t[0].Lo]++
}

func newSweep(threads int, launch func(region.Region) error) *Sweep {
	return &Sweep{Threads: threads, Bound: Bound{Launch: launch}}
}

func TestSweepLaunchesEveryTileOnce(t *testing.T) {
	for _, threads := range []int{1, 2, 7} {
		l := ledger{count: map[int]int{}}
		var running, most atomic.Int32
		s := newSweep(threads, func(tile region.Region) error {
			n := running.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			l.add(tile)
			running.Add(-1)
			return nil
		})
		if err := s.Run(context.Background(), tilesOf(100)); err != nil {
			t.Fatal(err)
		}
		for i := range 100 {
			if l.count[i] != 1 {
				t.Fatalf("%d threads: tile %d ran %d times", threads, i, l.count[i])
			}
		}
		if int(most.Load()) > threads || len(s.Turnaround) != 100 || s.QueuePeak > queuedPerThread*threads {
			t.Errorf("%d threads: %d at once, %d timed, %d queued", threads, most.Load(), len(s.Turnaround), s.QueuePeak)
		}
	}
}

func TestSweepLeavesWhatAFaultyLaunchDidNotDo(t *testing.T) {
	broken := errors.New("broken")
	l := ledger{count: map[int]int{}}
	s := newSweep(3, func(tile region.Region) error {
		if tile[0].Lo == 20 {
			return broken
		}
		l.add(tile)
		return nil
	})
	if err := s.Run(context.Background(), tilesOf(100)); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(s.Fault, broken) {
		t.Errorf("fault %v", s.Fault)
	}
	for _, tile := range s.Left {
		l.add(tile)
	}
	for i := range 100 {
		if l.count[i] != 1 {
			t.Errorf("tile %d: done or left %d times", i, l.count[i])
		}
	}
	if len(s.Left) < 2 {
		t.Errorf("launches went on after the fault: %d left", len(s.Left))
	}
}

func TestSweepStopsBetweenTiles(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var done atomic.Int32
	s := newSweep(2, func(region.Region) error {
		if done.Add(1) == 10 {
			cancel()
		}
		return nil
	})
	if err := s.Run(ctx, tilesOf(1000)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if n := done.Load(); n < 10 || n > 12 {
		t.Errorf("%d tiles ran, cancelled in the 10th of two threads", n)
	}
}

func TestMeanAndP95(t *testing.T) {
	var d []time.Duration
	for i := range 100 {
		d = append(d, time.Duration(100-i)*time.Second)
	}
	if mean, p95 := MeanAndP95(d); mean != 50.5 || p95 != 95 {
		t.Errorf("mean %g, p95 %g", mean, p95)
	}
	if mean, p95 := MeanAndP95(nil); mean != 0 || p95 != 0 {
		t.Errorf("nothing done: mean %g, p95 %g", mean, p95)
	}
}

func TestSweepStartsWithTheLongestTiles(t *testing.T) {
	var order []int64
	s := newSweep(1, func(tile region.Region) error {
		order = append(order, tile.Points())
		return nil
	})
	tiles := []region.Region{{{Lo: 0, Hi: 5}}, {{Lo: 5, Hi: 6}}, {{Lo: 6, Hi: 15}}}
	if err := s.Run(context.Background(), tiles); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(order, []int64{9, 5, 1}) || tiles[0].Points() != 5 {
		t.Errorf("launched tiles of %v points", order)
	}
}

// A thread without tiles takes part in launches under way until none is, where its own were long enough.
func TestIdleThreadsAssist(t *testing.T) {
	for _, long := range []bool{true, false} {
		parts := make(chan bool, 3)
		for range cap(parts) {
			parts <- true
		}
		var taken atomic.Int32
		s := newSweep(2, func(tile region.Region) error {
			if long {
				time.Sleep(worthAssisting + time.Millisecond)
			}
			return nil
		})
		s.Assist = func() bool {
			select {
			case <-parts:
				taken.Add(1)
				return true
			default:
				return false
			}
		}
		if err := s.Run(context.Background(), tilesOf(2)); err != nil {
			t.Fatal(err)
		}
		want := 0
		if slices.Max(s.Walls) > worthAssisting {
			want = cap(parts)
		}
		if got := int(taken.Load()); got != want && (long || want == 0) {
			t.Errorf("long %v: %d parts taken, want %d", long, got, want)
		}
	}
}
