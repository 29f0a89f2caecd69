package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"weft/cli/stream"
	"weft/lang/check"
	"weft/lang/diag"
	"weft/ops"
	"weft/runtime/session"
)

type streamCommand struct {
	planFlags
	From   map[string]string `required:"" mapsep:"none" placeholder:"NAME=PLACE" help:"Have an array of the file come from there, frame by frame: a .npy file with the frames along its first dimension, or arrays in NPY form one behind another from - (standard input), tcp://HOST:PORT (a program that listens) or listen://PORT (one that calls)."`
	To     map[string]string `mapsep:"none" placeholder:"NAME=PLACE" help:"Hand an array over for each frame: to a .npy file, -, tcp:// or listen://."`
	Rate   float64           `placeholder:"HZ" help:"Frames a second: a file is read at it, and a frame that still waits when the next one is there is dropped, and counted. Otherwise each frame is waited for."`
	Frames int               `placeholder:"N" help:"End after so many frames."`
	Verify int               `placeholder:"N" help:"Compare every N-th frame with float64; the array of the file itself is, and frames that are planned for themselves."`
}

// Validate finds numbers that are none of frames.
func (c streamCommand) Validate() error {
	if !(c.Rate >= 0) || c.Frames < 0 || c.Verify < 0 {
		return errors.New("--rate, --frames and --verify must not be negative")
	}
	return nil
}

// Run runs the file for each frame until no more come.
func (c streamCommand) Run(ctx context.Context, s *streams) error {
	se, prog, err := c.open(s)
	if err == nil {
		err = prog.Err()
	}
	if err != nil {
		return err
	}
	to := &stream.Stream{
		Session: se, Program: prog, From: c.From, To: c.To, Rate: c.Rate, Most: c.Frames, Verify: c.Verify, In: s.in, Out: s.out, Terminal: terminalOf(s.out), Progress: progressOn(s.err),
		Check: func(values map[string]ops.Value) (*session.Program, error) {
			return session.Check(c.File, check.Options{Params: c.Params, Tolerance: c.Tolerance, Values: values})
		},
		Said: func(line string) { fmt.Fprintf(s.err, "weft: %s\n", line) },
		Show: func(found *diag.List) { _ = show(s.err, found) }, // of warnings alone
	}
	end := ""
	if _, is := isTerminal(s.err); is {
		to.Row = func(row string) { fmt.Fprintf(s.err, "\r%s\x1b[K", row); end = "\r\x1b[K" }
	}
	report, err := to.Run(ctx)
	if _, e := io.WriteString(s.err, end); e != nil {
		return errors.Join(err, e)
	}
	if report != nil {
		err = errors.Join(err, report.Write(s.err))
	}
	return err
}
