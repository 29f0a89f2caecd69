package state

import "weft/ops/aside"

// errand is something that is done beside a task.
type errand struct {
	done chan struct{}
	err  error
}

func begin(f func() error) *errand {
	e := &errand{done: make(chan struct{})}
	aside.Go(func() {
		defer close(e.done)
		e.err = f()
	})
	return e
}

// first is the first error of some.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// ended reports that it is done; nil: there is none.
func (e *errand) ended() bool {
	if e == nil {
		return true
	}
	select {
	case <-e.done:
		return true
	default:
		return false
	}
}

// wait is for the end of it; nil: there is none.
func (e *errand) wait() error {
	if e == nil {
		return nil
	}
	<-e.done
	return e.err
}
