package cli

import (
	"context"
	"io"
	"path/filepath"

	"weft/ops/files/fileio"
	"weft/planner/plan"
	"weft/runtime/session"
)

type planCommand struct {
	planFlags
	Output string `short:"o" placeholder:"FILE" help:"Write to a file, as JSON where its name ends in .json, instead of the terminal."`
}

// Run plans the file and writes the plan, which `weft run` takes in place of the file.
func (c planCommand) Run(ctx context.Context, s *streams) error {
	_, prog, p, err := c.plan(ctx, s, session.PlanOptions{})
	if err != nil {
		return err
	}
	if err := show(s.err, &prog.Found); err != nil {
		return err
	}
	write := plan.YAML
	if filepath.Ext(c.Output) == ".json" {
		write = plan.JSON
	}
	if c.Output == "" {
		return write(s.out, p.Value())
	}
	return fileio.WriteFile(c.Output, func(w io.Writer) error { return write(w, p.Value()) })
}
