package cache

import (
	"sync"
	"sync/atomic"
	"testing"
)

// Of what has the same name one is made at a time, and names that nobody makes are forgotten; other names do not wait.
func TestAlone(t *testing.T) {
	var a Alone
	defer a.Enter("other")()
	var inside, most atomic.Int32
	made := 0
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			defer a.Enter("same")()
			if n := inside.Add(1); n > 1 {
				most.Store(n)
			}
			made++
			inside.Add(-1)
		})
	}
	all.Wait()
	if most.Load() > 0 || made != 50 || len(a.names) != 1 {
		t.Errorf("%d at once, %d made, %d names left", most.Load(), made, len(a.names))
	}
}
