package cli

import (
	"io"

	"weft/cli/lsp"
)

type lspCommand struct{}

// Run answers an editor over standard input and output until it says exit.
func (lspCommand) Run(s *streams) error {
	return lsp.Serve(s.in, open{s.out})
}

// open is a stream that nobody closes.
type open struct{ io.Writer }

// Close does nothing: the stream is the process's.
func (open) Close() error { return nil }
