// Package aside does what goes on beside a computation, such as reading what it needs next: by threads that give way to those that compute. A computation
// of a few long parts, one for each processor, takes as long as the part that is disturbed most.
package aside

import (
	"cmp"
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

type key struct{}

// Context says that what is done under it is beside a computation.
func Context(ctx context.Context) context.Context { return context.WithValue(ctx, key{}, true) }

// Go begins something beside a computation.
func Go(f func()) {
	go func() {
		lower()
		f()
	}()
}

// Each does n parts, as many at once as there are processors, and begins none behind one that failed. The error is that of the first one that has any.
func Each(ctx context.Context, n int, do func(part int) error) error {
	faults := make([]error, n)
	var next atomic.Int64
	var failed atomic.Bool
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		workers.Go(func() {
			if ctx.Value(key{}) != nil {
				lower()
			}
			for !failed.Load() {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if faults[i] = ctx.Err(); faults[i] == nil {
					faults[i] = do(i)
				}
				failed.CompareAndSwap(false, faults[i] != nil)
			}
		})
	}
	workers.Wait()
	return cmp.Or(faults...)
}
