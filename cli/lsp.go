package cli

import (
	"context"
	"io"
	"sync"

	"weft/cli/lsp"
	"weft/runtime/report"
	"weft/runtime/session"
)

type lspCommand struct{ deviceFlags }

// Run answers an editor over standard input and output until it says exit.
func (c lspCommand) Run(s *streams) error {
	opened := sync.OnceValues(func() (*session.Session, error) { return session.Open(c.config(s)) })
	return lsp.Serve(s.in, open{s.out}, func(ctx context.Context, prog *session.Program) ([]report.Line, error) {
		se, err := opened()
		if err != nil {
			return nil, err
		}
		p, err := se.Plan(ctx, prog, session.PlanOptions{AsWritten: true}) // a search for types would run it
		if err != nil {
			return nil, err
		}
		return report.Lines(p), nil
	})
}

// open is a stream that nobody closes.
type open struct{ io.Writer }

// Close does nothing: the stream is the process's.
func (open) Close() error { return nil }
