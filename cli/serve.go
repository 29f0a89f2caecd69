package cli

import (
	"context"

	"weft/cli/serve"
)

type serveCommand struct{ keepingFlags }

// Run answers a program over standard input and output until it is gone.
func (c serveCommand) Run(ctx context.Context, s *streams) error {
	se, most, err := c.open(s)
	if err != nil {
		return err
	}
	server := &serve.Server{Session: se, Version: version(), Kept: most, Guard: guarded}
	if err := server.Serve(ctx, s.in, open{s.out}); err != nil {
		return err
	}
	learn(ctx, s, se)
	return nil
}
