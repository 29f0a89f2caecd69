package cli

import (
	"context"
	"fmt"

	"weft/lang/check"
	"weft/planner/bound"
	"weft/runtime/session"
)

// deviceFlags say which devices there are besides those of the machine.
type deviceFlags struct {
	Devices string `placeholder:"FILE" help:"Add emulated devices, described in YAML (docs/gpu.md)."`
}

// config is a session with these devices.
func (f deviceFlags) config(s *streams) session.Config {
	return session.Config{Weft: version(), Emulated: f.Devices, Log: func(line string) { fmt.Fprintf(s.err, "weft: %s\n", line) }}
}

// planFlags are the flags of every command that plans.
type planFlags struct {
	deviceFlags
	File      string            `arg:"" help:"Pipeline file."`
	Params    map[string]string `short:"p" name:"param" mapsep:"none" placeholder:"NAME=VALUE" help:"Override a param of the file."`
	FuseLimit *int              `placeholder:"N" help:"Fuse at most N times: bisects a wrong answer to one fusion."`
	Threads   int               `placeholder:"N" help:"Launches at once (default: one a processor)."`
	Memory    byteSize          `placeholder:"SIZE" help:"Limit of memory, such as 2GiB (default: from what the machine has); below 256MiB of the arrays alone."`
	Device    string            `placeholder:"NAME" help:"Run all stages on the cpu, a gpu, or devices (NAME,NAME), whatever the file says."`

	Tolerance string `placeholder:"ERROR" help:"Error allowed in what sinks take ('0.1 dB', 1e-4): precision is chosen by measurement."`
}

// open opens a session by the flags, with what else a command asks of it, and checks the file.
func (f planFlags) open(s *streams, more ...func(*session.Config)) (*session.Session, *session.Program, error) {
	c := f.config(s)
	for _, set := range more {
		set(&c)
	}
	c.Device, c.Threads, c.Memory = f.Device, f.Threads, int64(f.Memory)
	se, err := session.Open(c)
	if err != nil {
		return nil, nil, err
	}
	prog, err := session.Check(f.File, check.Options{Params: f.Params, Tolerance: f.Tolerance})
	if f.Memory > 0 && f.Memory < littleMemory { // what a check takes is little beside a plan
		s.heap.sparing()
	}
	return se, prog, err
}

// plan opens a session and plans the file.
func (f planFlags) plan(ctx context.Context, s *streams, opt session.PlanOptions,
	more ...func(*session.Config)) (*session.Session, *session.Program, *bound.Plan, error) {
	se, prog, err := f.open(s, more...)
	if err != nil {
		return nil, nil, nil, err
	}
	opt.FuseLimit = f.FuseLimit
	p, err := se.Plan(ctx, prog, opt)
	return se, prog, p, err
}

// learn has a session learn from what it ran. Predictions are not worth failing a run for.
func learn(ctx context.Context, s *streams, se *session.Session) {
	if err := se.Learn(ctx); err != nil {
		fmt.Fprintf(s.err, "weft: predictions will be rough: %s\n", err)
	}
}
