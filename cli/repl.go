package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"weft/cli/repl"
	"weft/lang/diag"
	"weft/ops/problem"
	"weft/runtime/memory"
	"weft/runtime/notebook"
	"weft/runtime/session"
)

// keepingFlags are those of commands that keep what was computed.
type keepingFlags struct {
	deviceFlags
	Threads int      `placeholder:"N" help:"Launches at once (default: one a processor)."`
	Memory  byteSize `placeholder:"SIZE" help:"Limit of memory, such as 2GiB (default: from what the machine has); below 256MiB of the arrays alone."`
}

// keptShare is the part of the memory of arrays that values which were computed may take.
const keptShare = 4

// open opens a session, and says how many bytes are to be kept beside it.
func (f keepingFlags) open(s *streams) (se *session.Session, most int64, err error) {
	config := f.config(s)
	config.Threads, config.Memory = f.Threads, int64(f.Memory)
	if config.Memory == 0 {
		config.Memory = memory.System{}.Default()
	}
	most = config.Memory / keptShare
	config.Memory -= most
	se, err = session.Open(config)
	return se, most, err
}

type replCommand struct {
	keepingFlags
	File string `arg:"" optional:"" help:"Pipeline file to enter first."`
}

// Run reads inputs and shows what they give. Ctrl-C ends what is running, and nothing else.
func (c replCommand) Run(ctx context.Context, s *streams) error {
	se, most, err := c.open(s)
	if err != nil {
		return err
	}
	if release, ok := ctx.Value(interrupts{}).(func()); ok {
		release()
	}
	if f, ok := s.in.(*os.File); ok && onTerminal(f) {
		nobody := make(chan os.Signal, 1)
		signal.Notify(nobody, os.Interrupt)
		defer signal.Stop(nobody)
		fmt.Fprintf(s.out, "weft %s. A value is shown; :help lists commands; Ctrl-D ends.\n", version())
	}
	console := &repl.Console{
		Session: se, Notebook: notebook.New(se, most), Out: s.out, Err: s.err, Terminal: terminalOf(s.out), Progress: progressOn(s.err),
		Show: func(found *diag.List) error { return show(s.err, found) },
		Doc:  func(name string) error { return opsCommand{Name: name}.Run(s) },
		Devices: func() error {
			listDevices(s, se)
			listAccelerators(s, se)
			return nil
		},
		Interruptible: func(do func(context.Context) error) error {
			within, stop := signal.NotifyContext(ctx, os.Interrupt)
			defer stop()
			return guarded(within, do)
		},
	}
	if c.File != "" {
		if err := console.Load(c.File); err != nil {
			return err
		}
	}
	err = console.Run(s.in)
	learn(ctx, s, se)
	return err
}

// guarded is an error where something panics: a mistake of weft ends an input, and not the session.
func guarded(ctx context.Context, do func(context.Context) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("error[%s]: %v: this is a mistake in weft; please report it with what was entered", problem.InternalError, p)
		}
	}()
	return do(ctx)
}
