package aside

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
)

func TestEachGivesTheFirstError(t *testing.T) {
	for _, ctx := range []context.Context{context.Background(), Context(context.Background())} {
		var done atomic.Int64
		if err := Each(ctx, 100, func(int) error { done.Add(1); return nil }); err != nil || done.Load() != 100 {
			t.Errorf("%d of 100 parts are done: %v", done.Load(), err)
		}
		first, second := errors.New("first"), errors.New("second")
		both := make(chan bool)
		err := Each(ctx, 2, func(part int) error {
			if part == 0 {
				both <- true
				return first
			}
			<-both
			return second
		})
		if err != first {
			t.Errorf("%v, and the first part failed", err)
		}
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if err := Each(stopped, 3, func(int) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("a run that is stopped gives %v", err)
	}
}
