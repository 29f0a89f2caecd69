package exec

import (
	"sync/atomic"

	"weft/kernels/device"
)

// Task is something that runs beside a computation; Beside starts one.
type Task struct{ done chan error }

// Beside starts a task.
func Beside(f func() error) Task {
	t := Task{make(chan error, 1)}
	go func() { t.done <- f(); close(t.done) }()
	return t
}

// Wait gives the error once; later calls, and those on no task, give nil.
func (t Task) Wait() error {
	if t.done == nil {
		return nil
	}
	return <-t.done
}

// Populate gives memory its pages, and prepares launches, until it is stopped.
func Populate(pages [][]byte, prepare []func(ended func() bool) error) (stop func()) {
	var ended atomic.Bool
	populating := Beside(func() error {
		for _, data := range pages {
			device.Populate(data, ended.Load)
		}
		for _, p := range prepare {
			if err := p(ended.Load); err != nil {
				return err
			}
		}
		return nil
	})
	return func() {
		ended.Store(true)
		_ = populating.Wait() // what has no memory now says so when it is launched
	}
}
