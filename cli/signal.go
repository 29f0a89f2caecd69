package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"weft/ops/files/fileio"
)

// patience is how long a command may take, once a signal has asked it to end, to put in order what is open. What takes longer, such as a
// plan or a check under way, is given up.
const patience = 500 * time.Millisecond

// interrupts is the key of a context under which a command finds what leaves Ctrl-C to it.
type interrupts struct{}

// untilSignal runs a command, which a signal ends within a second whatever it is doing, and gives the exit code.
func untilSignal(run func(context.Context) int) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	ctx = context.WithValue(ctx, interrupts{}, func() {
		signal.Stop(signals)
		signal.Notify(signals, syscall.SIGTERM)
	})
	done := make(chan int, 1)
	go func() { done <- run(ctx) }()
	select {
	case code := <-done:
		return code
	case <-signals:
		cancel()
	}
	select {
	case code := <-done:
		return code
	case <-signals: // a second one: at once
	case <-time.After(patience):
	}
	fileio.Abandon()
	fmt.Fprintln(os.Stderr, "weft: cancelled")
	return exitCancelled
}
