package exec

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
